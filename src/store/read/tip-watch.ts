/**
 * The tip of the chain as this process knows it. It polls one row over a connection of its own, many times a second: that
 * works on a replica as well, where LISTEN/NOTIFY does not.
 */
import type { Id } from '../../chain/types.ts';
import { LastingCondition } from '../../errors/lasting-condition.ts';
import { type PostgresOptions, SCHEMA_NAME } from '../postgres/connect.ts';
import {
  IN_PLACE_MIGRATIONS,
  type InPlaceMigration,
  MIGRATION_PROGRESS_SQL,
  type MissingMigrations,
  missingMigrations,
} from '../schema/in-place-migrations.ts';
import type { HostInUse } from './host-in-use.ts';
import { COMPLETENESS_QUERY, INDEX_NAMES_ARRAY } from './index-completeness.ts';
import { OtherHosts } from './other-hosts.ts';
import { ReadConnection } from './read-connection.ts';
import { grantHint, missingPrivileges, PRIVILEGES_QUERY, type Privileges } from './read-privileges.ts';
import { REPLICATION_QUERY, ReplicaLag, type Replication } from './replica-lag.ts';
import { classifyPgError } from './store-error.ts';

export interface ServedTip {
  /** Grows with every commit of the scanner. */
  readonly revision: number;
  readonly height: number;
  readonly id: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly transactionCount: number;
  /** Says which network's chain it is; null in an index that is being restored. */
  readonly genesisId: Id | null;
  /** False while a bulk sync or a restore is under way: the indexes for reading do not all exist. */
  readonly isReady: boolean;
}

interface TipWatchOptions {
  readonly postgres: PostgresOptions;
  /** Which server is read from, if there are several. */
  readonly hosts?: HostInUse | undefined;
  /** The most seconds that a replica may be behind; 0, the default: no limit. */
  readonly maxLagSeconds?: number | undefined;
  /** What this program needs of the index besides its tables (default `IN_PLACE_MIGRATIONS`). */
  readonly migrations?: readonly InPlaceMigration[] | undefined;
  readonly logger: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
}

/** The state of the database for this user: an index, no index yet, or one that the user may not read. */
type IndexState = 'readable' | 'missing' | 'unreadable';

/** `migrationRows`: the SQL of {@link MIGRATION_PROGRESS_SQL}, or of null for a program without migrations. */
const tipStatement = (migrationRows: string) => ({
  name: 'tip',
  sql: `select revision, height, block_id as id, timestamp,
               transaction_count as "transactionCount", is_ready as "isReady",
               (select value from ${SCHEMA_NAME}.meta where name = 'genesis_id') as "genesisId",
               tableoid::text as "table", ${migrationRows} as "migrationRows"
        from ${SCHEMA_NAME}.chain_tip`,
});
/** The intervals between polls, in milliseconds: while there are requests, and while there are none. */
const INTERVAL_MS = 15;
const IDLE_INTERVAL_MS = 100;
/** Milliseconds after the last request from which on there are none. */
const IDLE_AFTER_MS = 5_000;
/** Pause after PostgreSQL has refused the poll although the table should be there: it logs each refusal. */
const REFUSAL_PAUSE_MS = 1_000;
/** Milliseconds after the last successful poll until which the tip counts as fresh; later the database may be unreachable. */
const FRESH_MS = 2_000;
/** Milliseconds after the last successful poll from which on queries in flight are given up as well. */
const UNRESPONSIVE_AFTER_MS = 4_000;
/** The interval between looks whether an index that was incomplete is complete. */
const INCOMPLETE_PAUSE_MS = 1_000;
/** The interval between looks at the replication, in milliseconds. */
const REPLICATION_INTERVAL_MS = 1_000;
/** How long a new server with an older tip may take to catch up, in milliseconds. */
const CATCH_UP_MS = 10_000;
/** The interval between checks whether polls succeeded, in milliseconds. */
const CHECK_INTERVAL_MS = 250;
/**
 * A blocked event loop delays polls without any fault of the database, as when thousands of requests arrive at once. Up to
 * this many milliseconds such a delay does not make the tip stale; after a longer one the database has to answer first.
 */
const MAX_EVENT_LOOP_DELAY_MS = 10_000;

export class TipWatch {
  /** The newest tip seen; null while the database holds none that may be read, or was never reached. */
  tip: ServedTip | null = null;
  /** What the database lacks of the migrations; null if it has all. */
  missingMigrations: MissingMigrations | null = null;
  #migrationRows: string | null = null;
  readonly #connection: ReadConnection;
  readonly #options: TipWatchOptions;
  readonly #migrations: readonly InPlaceMigration[];
  readonly #statement: ReturnType<typeof tipStatement>;
  readonly #listeners: (() => void)[] = [];
  readonly #silent: LastingCondition;
  readonly #unread: LastingCondition;
  #lossReason: string | undefined;
  readonly #checkTimer: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #openedAt = Number.POSITIVE_INFINITY;
  #polledAt = Number.NEGATIVE_INFINITY;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #isPollDue = true;
  /** Did the last check find a tip that the user may read? */
  #isReadable = false;
  #index: IndexState | undefined;
  #hadIndex = false;
  #checkedAt = performance.now();
  #advertised = 0;
  /** When the connection to another server was opened; null while none is tried. */
  #movingSince: number | null = null;
  #lag = new ReplicaLag();
  #lagSeconds = 0;
  /** Null before the first look. */
  #isReplica: boolean | null = null;
  #timeline: string | null = null;
  readonly #others: OtherHosts | null = null;
  /** The server with a newer timeline that is connected to next, and is used whatever its tip is. */
  #newer: PostgresOptions | null = null;
  /** Is the connection being closed for it? */
  #isLeaving = false;
  /** Has the index been found complete since the last event that may have replaced it? */
  #isComplete = false;
  /** The table of the tip that was seen last: another one after the index was dropped and restored. */
  #table: string | null = null;
  #completenessCheckedAt = Number.NEGATIVE_INFINITY;
  readonly #incomplete: LastingCondition;
  #lagCheckedAt = Number.NEGATIVE_INFINITY;

  constructor(options: TipWatchOptions) {
    this.#options = options;
    const { hosts, postgres, logger, migrations = IN_PLACE_MIGRATIONS } = options;
    this.#migrations = migrations;
    this.#statement = tipStatement(migrations.length > 0 ? MIGRATION_PROGRESS_SQL : 'null::text');
    this.#silent = new LastingCondition(logger, {
      holds: 'Waiting for PostgreSQL: requests are answered with 503 until it confirms the tip.',
      ended: 'PostgreSQL confirms the tip again.',
    });
    this.#unread = new LastingCondition(logger, {
      holds: 'There is no index to read: requests are answered with 503 until there is one.',
      ended: 'The index can be read now.',
    });
    this.#incomplete = new LastingCondition(logger, {
      holds: 'The index is not complete, as while it is restored: requests are answered with 503 until it is.',
      ended: 'The index is complete.',
    });
    if (hosts) this.#others = new OtherHosts(postgres, () => this.#preferNewerTimeline());
    this.#connection = new ReadConnection({
      server: () => hosts?.tried ?? postgres,
      statementTimeoutMs: 2_000,
      onReady: () => this.#onReady(),
      onLost: (error) => this.#onLost(error),
    });
    this.#checkTimer = setInterval(() => {
      this.#discountEventLoopDelay();
      this.#connection.cutWhenStalled();
      this.#logFreshness();
    }, CHECK_INTERVAL_MS);
    this.#checkTimer.unref();
  }

  /** Connects; throws when the database cannot be reached, but goes on trying. */
  async open(): Promise<void> {
    this.#openedAt = performance.now();
    // In good time for the first tip, or soon afterwards.
    void this.#others?.ask();
    await this.#connection.open().catch((error: unknown) => {
      this.#logSilence();
      throw error;
    });
  }

  /** Calls back whenever the tip changes. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Was the tip polled in the last {@link FRESH_MS}? */
  get isFresh(): boolean {
    return this.isFreshAt(performance.now());
  }

  /** {@link isFresh} at this moment, in milliseconds of `performance.now()`. */
  isFreshAt(now: number): boolean {
    return now - this.#polledAt < FRESH_MS;
  }

  /** Seconds since the last successful poll, or since the start. */
  get staleSeconds(): number {
    return Math.max(this.#staleMs, 0) / 1_000;
  }

  /** Has no poll succeeded for so long that callers should not wait for the database? */
  get isUnresponsive(): boolean {
    return this.#staleMs >= UNRESPONSIVE_AFTER_MS;
  }

  /**
   * If the lag exceeds `--max-lag`: the whole lag in seconds, and behind whom. A replica is behind its primary, any server behind
   * another one that has had a newer tip for so long. Otherwise null, also without a limit.
   */
  get excessiveLag(): { readonly seconds: number; readonly behind: 'primary' | 'other server' } | null {
    const { maxLagSeconds = 0 } = this.#options;
    if (maxLagSeconds === 0) return null;
    const others = this.#others?.secondsBehind ?? 0;
    // If both reasons hold, always the same one is reported, though the other number may be larger at times.
    if (this.#lagSeconds > maxLagSeconds) return { seconds: Math.floor(this.#lagSeconds), behind: 'primary' };
    return others > maxLagSeconds ? { seconds: Math.floor(others), behind: 'other server' } : null;
  }

  /**
   * Is the database a replica, and how many seconds is it behind its primary? `timeline`: of a primary, in hex. Null while that is
   * unknown.
   */
  get replication(): {
    readonly isReplica: boolean;
    readonly lagSeconds: number;
    readonly timeline: string | null;
  } | null {
    if (this.#isReplica === null) return null;
    return { isReplica: this.#isReplica, lagSeconds: this.#lagSeconds, timeline: this.#timeline };
  }

  /** Host and port of the server that is read from. */
  get database(): string {
    const { hosts, postgres } = this.#options;
    const { host, port } = hosts?.used ?? postgres;
    return `${host}:${port}`;
  }

  /** Is there an index that the database user may not read? */
  get lacksPrivileges(): boolean {
    return this.#index === 'unreadable';
  }

  /** Called with each request: polls are more frequent then. */
  noteRequest(now = performance.now()): void {
    const wasIdle = now - this.#requestedAt > IDLE_AFTER_MS;
    this.#requestedAt = now;
    if (wasIdle) this.pollNow();
  }

  /** Polls without waiting for the end of the interval. */
  pollNow(): void {
    this.#isPollDue = true;
    if (this.#connection.isIdle) this.#poll();
  }

  /** Called with the revision of each response, which may be newer than the last poll. */
  noteAdvertised(revision: number): void {
    if (revision <= (this.tip?.revision ?? 0)) return;
    this.#advertised = Math.max(this.#advertised, revision);
    this.pollNow();
  }

  /** The newest revision that clients of this process know, or may learn with the next response. */
  get advertisedRevision(): number {
    return Math.max(this.#advertised, this.tip?.revision ?? 0);
  }

  /** Called if PostgreSQL has refused a query: checks what the user may read. */
  recheckPrivileges(): void {
    if (this.lacksPrivileges) return;
    this.#isReadable = false;
    this.pollNow();
  }

  close(): void {
    clearInterval(this.#checkTimer);
    clearTimeout(this.#timer);
    this.#others?.close();
    this.#connection.close();
  }

  #onLost(error: Error): void {
    this.#lossReason = error.message;
    const { hosts } = this.#options;
    // A server with a newer timeline that cannot be reached after all is one of several again.
    if (!this.#isLeaving) {
      hosts?.tryNext();
      this.#newer = null;
    }
    this.#isLeaving = false;
    this.#movingSince = null;
    this.#isPollDue = true;
    // Another server may have another state, and this one may have another role.
    if (hosts) this.#lag = new ReplicaLag();
    this.#isReplica = null;
    this.#timeline = null;
    this.#lagCheckedAt = Number.NEGATIVE_INFINITY;
    this.#isComplete = false;
  }

  /** Of several primaries, the one with the newest timeline is read from: the scanner writes there. */
  #preferNewerTimeline(): void {
    const { hosts, logger } = this.#options;
    if (hosts === undefined || this.#timeline === null) return;
    const newer = this.#others!.newerPrimary(this.#timeline);
    if (newer === null) return;
    const { host, port } = newer.options;
    logger.warn(
      { host, port, timeline: newer.timeline, old: { host: hosts.tried.host, port: hosts.tried.port } },
      'Another database server was promoted: it is read from now on, and no longer the old primary.',
    );
    this.#newer = newer.options;
    hosts.try(newer.options);
    this.#isLeaving = true;
    this.#connection.move();
  }

  /** Called when the connection is open, and after each poll. */
  #onReady(): void {
    const isLagDue = performance.now() - this.#lagCheckedAt >= REPLICATION_INTERVAL_MS;
    // A primary stays one while the connection lasts.
    if (isLagDue && this.#isReplica !== false) {
      this.#checkLag();
      return;
    }
    if (this.#isPollDue) {
      this.#poll();
      return;
    }
    const isIdle = this.tip === null || performance.now() - this.#requestedAt > IDLE_AFTER_MS;
    this.#timer = setTimeout(() => this.#poll(), isIdle ? IDLE_INTERVAL_MS : INTERVAL_MS);
    this.#timer.unref();
  }

  #poll(): void {
    clearTimeout(this.#timer);
    if (!this.#connection.isIdle) return;
    this.#isPollDue = false;
    if (this.#isReadable) this.#pollTip();
    else this.#checkPrivileges();
  }

  #checkLag(): void {
    this.#lagCheckedAt = performance.now();
    this.#connection.run<Replication>(REPLICATION_QUERY, [], (_, [row]) => {
      if (row === undefined) return;
      this.#lagSeconds = this.#lag.note(row, performance.now() / 1_000);
      this.#isReplica = row.isReplica;
      this.#timeline = row.timeline;
    });
  }

  #pollTip(): void {
    type Row = ServedTip & { readonly table: string; readonly migrationRows: string | null };
    this.#connection.run<Row>(this.#statement, [], (error, [row]) => {
      if (!error) {
        const { table = null, migrationRows = null, ...tip } = row ?? {};
        if (table !== this.#table) this.#isComplete = false;
        this.#table = table;
        this.#foundTip(row === undefined ? null : (tip as ServedTip), migrationRows);
      } else if (['not ready', 'missing privileges'].includes(classifyPgError(error).kind)) this.#onRefused();
    });
  }

  /** A tip that says it is ready is believed when the index is seen to be complete: a restore may have begun with its row. */
  #foundTip(tip: ServedTip | null, migrationRows: string | null): void {
    const isBack = tip === null || !tip.isReady || tip.revision < (this.tip?.revision ?? 0);
    if (isBack) this.#isComplete = false;
    if (tip === null || !tip.isReady || this.#isComplete) {
      this.#found('readable', tip, undefined, migrationRows);
      return;
    }
    const now = performance.now();
    if (now - this.#completenessCheckedAt < INCOMPLETE_PAUSE_MS) {
      this.#found('readable', { ...tip, isReady: false }, undefined, migrationRows);
      return;
    }
    this.#connection.run<{ readonly missing: string | null }>(
      COMPLETENESS_QUERY,
      [INDEX_NAMES_ARRAY],
      (error, [row]) => {
        // Without a connection nothing is known: the next poll decides.
        if (error !== null && classifyPgError(error).kind === 'unavailable') return;
        const missing = error === null ? (row?.missing ?? null) : error.message;
        this.#isComplete = missing === null;
        if (missing === null) this.#incomplete.ended();
        else {
          this.#completenessCheckedAt = now;
          this.#incomplete.holds({ missing });
        }
        this.#found('readable', { ...tip, isReady: missing === null }, undefined, migrationRows);
      },
    );
  }

  /** There is no chain if the table, or the privilege to read it, is missing: that is a successful poll, too. */
  #onRefused(): void {
    this.#refusedAt = performance.now();
    this.#isReadable = false;
    this.#isPollDue = true;
    this.#take(null);
  }

  #checkPrivileges(): void {
    this.#connection.run<Privileges>(PRIVILEGES_QUERY, [], (_, [privileges]) => {
      if (privileges !== undefined) this.#onPrivileges(privileges);
    });
  }

  #onPrivileges(privileges: Privileges): void {
    const { postgres } = this.#options;
    const lacks = missingPrivileges(privileges);
    const isRefused = performance.now() - this.#refusedAt < REFUSAL_PAUSE_MS;
    if (lacks !== null)
      this.#found('unreadable', null, `User ${postgres.user} may not read the index: ${lacks}. ${grantHint(postgres)}`);
    else if (!privileges.hasTip || isRefused)
      this.#found('missing', null, 'The database holds no chain yet; the scanner fills it.');
    else {
      this.#isReadable = true;
      this.#isPollDue = true;
    }
  }

  #found(index: IndexState, tip: ServedTip | null, reason?: string, migrationRows: string | null = null): void {
    if (index === 'readable') this.#unread.ended();
    // No index is normal at a first start.
    else this.#unread.holds({ reason }, index, index === 'missing' && !this.#hadIndex ? 'info' : 'warn');
    this.#hadIndex ||= index === 'readable';
    this.#index = index;
    this.#take(tip, migrationRows);
  }

  #take(tip: ServedTip | null, migrationRows: string | null = null): void {
    if (!this.#mayTakeFromHost(tip)) return;
    this.#polledAt = performance.now();
    this.#lossReason = undefined;
    if (tip !== null && (this.tip === null || migrationRows !== this.#migrationRows)) {
      this.#migrationRows = migrationRows;
      this.missingMigrations = missingMigrations(this.#migrations, migrationRows);
    }
    const isSame =
      tip?.revision === this.tip?.revision &&
      tip?.id === this.tip?.id &&
      tip?.isReady === this.tip?.isReady &&
      tip?.genesisId === this.tip?.genesisId;
    this.#others?.served(tip?.revision ?? 0, this.#timeline);

    if (isSame) return;
    // A database restored from a backup has an older revision. A resync starts its revisions at the current time, above all
    // earlier ones.
    if (tip === null || tip.revision < (this.tip?.revision ?? 0)) this.#advertised = 0;
    this.tip = tip;
    for (const listener of this.#listeners) listener();
  }

  /** False while another server that is tried has no tip, or one older than was served. Otherwise that server is used. */
  #mayTakeFromHost(tip: ServedTip | null): boolean {
    const { hosts, logger } = this.#options;
    if (!hosts?.isMoving) return true;
    this.#movingSince ??= performance.now();
    const isOlder = (tip?.revision ?? 0) < (this.tip?.revision ?? 0);
    if (isOlder && this.#newer === null && performance.now() - this.#movingSince < CATCH_UP_MS) return false;
    const { host, port } = hosts.tried;
    logger.warn({ host, port }, 'Another database server is read from now on.');
    hosts.use();
    this.#newer = null;
    return true;
  }

  /** Milliseconds since the last successful poll; below zero before the first one. */
  get #staleMs(): number {
    return performance.now() - Math.max(this.#openedAt, this.#polledAt);
  }

  /** Time in which the event loop was blocked does not count as time without a successful poll. */
  #discountEventLoopDelay(): void {
    const now = performance.now();
    const delayMs = now - this.#checkedAt - CHECK_INTERVAL_MS;
    this.#checkedAt = now;
    if (delayMs > CHECK_INTERVAL_MS && delayMs < MAX_EVENT_LOOP_DELAY_MS) this.#polledAt += delayMs;
  }

  #logFreshness(): void {
    if (this.isFresh) this.#silent.ended();
    else if (this.#staleMs >= FRESH_MS) this.#logSilence();
  }

  #logSilence(): void {
    this.#silent.holds(this.#lossReason === undefined ? {} : { reason: this.#lossReason });
  }
}
