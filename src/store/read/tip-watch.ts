/**
 * Knows the chain's tip in the process. It asks for one row by its own connection, many times a second: that works on
 * a replica as well, where a notification would not arrive.
 */
import type { Id } from '../../chain/types.ts';
import type { PostgresOptions } from '../postgres/connect.ts';
import { grantHint, missingPrivileges, PRIVILEGES_SQL, type Privileges } from './privileges.ts';
import { ReadConnection } from './read-connection.ts';
import { classifyPgError } from './store-error.ts';

export interface ServedTip {
  /** Grows with every commit of the scanner. */
  readonly revision: number;
  readonly height: number;
  readonly id: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly medianTime: number;
  readonly transactionCount: number;
  /** Says which network's chain it is. */
  readonly genesisId: Id;
  /** False while a bulk sync is under way and the indexes for reading do not exist. */
  readonly isReady: boolean;
}

export interface TipWatchOptions {
  readonly postgres: PostgresOptions;
  readonly intervalMs?: number;
  readonly logger: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
}

/** What the database holds for this user. */
type Index = 'readable' | 'missing' | 'forbidden';

const STATEMENT = {
  name: 'tip',
  sql: `select revision, height, block_id as id, timestamp, median_time as "medianTime",
               transaction_count as "transactionCount", is_ready as "isReady",
               (select value from meta where name = 'genesis_id') as "genesisId"
        from chain_tip`,
};
const INTERVAL_MS = 15;
const INTERVAL_WITHOUT_REQUESTS_MS = 100;
const WITHOUT_REQUESTS_AFTER_MS = 5_000;
/** A tip that was refused though it should be there is not asked for again so soon: PostgreSQL logs each refusal. */
const PAUSE_AFTER_REFUSAL_MS = 1_000;
/** A tip that was not confirmed for so long is not trusted: the database may be gone. */
const LONGEST_UNCONFIRMED_MS = 2_000;
/** After so long without it, those are not kept waiting either whose questions were sent before. */
const LONGEST_SILENCE_MS = 4_000;
/** How often the watch looks whether there were answers. */
const GUARD_INTERVAL_MS = 250;
/**
 * The process itself may have been busy for so long, with what thousands of requests bring at once: then it is not the
 * database that was silent. After a longer standstill nothing is taken for granted.
 */
const LONGEST_STANDSTILL_MS = 10_000;

export class TipWatch {
  /** The newest tip seen; null while the database holds none that may be read, or was never reached. */
  tip: ServedTip | null = null;
  readonly #connection: ReadConnection;
  readonly #options: TipWatchOptions;
  readonly #listeners: (() => void)[] = [];
  readonly #guard: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #openedAt = Number.POSITIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #isAtOnce = true;
  /** Was the tip there, and readable, when the database was asked last? */
  #isThere = false;
  #index: Index | undefined;
  #isToldConfirmed = true;
  #guardedAt = performance.now();
  #told = 0;

  constructor(options: TipWatchOptions) {
    this.#options = options;
    this.#connection = new ReadConnection(options.postgres, 2_000, { onIdle: () => this.#onIdle(), onLost: () => {} });
    this.#guard = setInterval(() => {
      this.#allowForStandstill();
      this.#connection.cutWhenStuck();
      this.#tellConfirmation();
    }, GUARD_INTERVAL_MS);
    this.#guard.unref();
  }

  /** Connects; throws when the database cannot be reached, but goes on trying. */
  async open(): Promise<void> {
    this.#openedAt = performance.now();
    await this.#connection.open();
  }

  /** Calls back whenever the tip becomes another one. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Does the database confirm the tip at the moment? */
  get isFresh(): boolean {
    return performance.now() - this.#confirmedAt < LONGEST_UNCONFIRMED_MS;
  }

  /** So long the database has not confirmed the tip, or not since the start. */
  get staleSeconds(): number {
    return Math.max(this.#silenceMs, 0) / 1_000;
  }

  /** Has the tip not been confirmed for so long that nobody should wait for the database? */
  get isSilent(): boolean {
    return this.#silenceMs >= LONGEST_SILENCE_MS;
  }

  /** Is there an index that the user may not read? */
  get isForbidden(): boolean {
    return this.#index === 'forbidden';
  }

  /** Says that somebody is reading: the watch is closer then. */
  noteRequest(): void {
    const now = performance.now();
    const wasQuiet = now - this.#requestedAt > WITHOUT_REQUESTS_AFTER_MS;
    this.#requestedAt = now;
    if (wasQuiet) this.lookNow();
  }

  /** Looks without waiting for the interval's end. */
  lookNow(): void {
    this.#isAtOnce = true;
    if (this.#connection.state === 'idle') this.#look();
  }

  /** An answer is of that tip, which may be newer than the one that was seen last. */
  noteTold(revision: number): void {
    if (revision <= (this.tip?.revision ?? 0)) return;
    this.#told = Math.max(this.#told, revision);
    this.lookNow();
  }

  /** The newest revision that clients of this process know from an answer or may know at any moment. */
  get toldRevision(): number {
    return Math.max(this.#told, this.tip?.revision ?? 0);
  }

  /** A question was refused: looks what the user may read. */
  lookAtAccess(): void {
    if (this.isForbidden) return;
    this.#isThere = false;
    this.lookNow();
  }

  close(): void {
    clearInterval(this.#guard);
    clearTimeout(this.#timer);
    this.#connection.close();
  }

  /** Called when the connection is open, and after each look. */
  #onIdle(): void {
    if (this.#isAtOnce) {
      this.#look();
      return;
    }
    const isQuiet = this.tip === null || performance.now() - this.#requestedAt > WITHOUT_REQUESTS_AFTER_MS;
    const intervalMs = this.#options.intervalMs ?? INTERVAL_MS;
    this.#timer = setTimeout(() => this.#look(), isQuiet ? INTERVAL_WITHOUT_REQUESTS_MS : intervalMs);
    this.#timer.unref();
  }

  #look(): void {
    clearTimeout(this.#timer);
    if (this.#connection.state !== 'idle') return;
    this.#isAtOnce = false;
    if (this.#isThere) this.#lookForTip();
    else this.#lookForIndex();
  }

  #lookForTip(): void {
    let tip: ServedTip | null = null;
    this.#connection.run<ServedTip>(STATEMENT, [], {
      row: (row) => {
        tip = row;
      },
      done: (error) => {
        if (!error) this.#found('readable', tip);
        else if (['not ready', 'forbidden'].includes(classifyPgError(error).kind)) this.#onRefused();
      },
    });
  }

  /** Without the table, or the right to read it, there is no chain: that is an answer, too. */
  #onRefused(): void {
    this.#refusedAt = performance.now();
    this.#isThere = false;
    this.#isAtOnce = true;
    this.#see(null);
  }

  #lookForIndex(): void {
    let access: Privileges | undefined;
    this.#connection.run<Privileges>(PRIVILEGES_SQL, [], {
      row: (row) => {
        access = row;
      },
      done: (error) => {
        if (!error && access !== undefined) this.#onAccess(access);
      },
    });
  }

  #onAccess(access: Privileges): void {
    const reason = missingPrivileges(access);
    const isRefused = performance.now() - this.#refusedAt < PAUSE_AFTER_REFUSAL_MS;
    if (reason !== null) this.#found('forbidden', null, reason);
    else if (!access.hasTip || isRefused) this.#found('missing', null);
    else {
      this.#isThere = true;
      this.#isAtOnce = true;
    }
  }

  #found(index: Index, tip: ServedTip | null, reason?: string): void {
    if (index !== this.#index) this.#tellIndex(index, reason);
    this.#index = index;
    this.#see(tip);
  }

  #see(tip: ServedTip | null): void {
    this.#confirmedAt = performance.now();
    const isSame =
      tip?.revision === this.tip?.revision && tip?.id === this.tip?.id && tip?.isReady === this.tip?.isReady;

    if (isSame) return;
    // An index that is made anew counts from the start.
    if (tip === null || tip.revision < (this.tip?.revision ?? 0)) this.#told = 0;
    this.tip = tip;
    for (const listener of this.#listeners) listener();
  }

  #tellIndex(index: Index, reason: string | undefined): void {
    const { logger, postgres } = this.#options;
    if (index === 'forbidden') {
      logger.warn(
        { reason },
        `User ${postgres.user} may not read the index. Requests are answered with 503 until it may. ${grantHint(postgres)}`,
      );
    } else if (index === 'missing') {
      logger.warn({}, 'The database holds no chain yet; requests wait for the scanner with 503.');
    } else if (this.#index !== undefined) logger.info({}, 'The index can be read now.');
  }

  /** So long the tip has not been confirmed; below zero while nothing was asked. */
  get #silenceMs(): number {
    return performance.now() - Math.max(this.#openedAt, this.#confirmedAt);
  }

  /** Time in which this process did not come to look does not count as the database's silence. */
  #allowForStandstill(): void {
    const now = performance.now();
    const standstillMs = now - this.#guardedAt - GUARD_INTERVAL_MS;
    this.#guardedAt = now;
    if (standstillMs > GUARD_INTERVAL_MS && standstillMs < LONGEST_STANDSTILL_MS) this.#confirmedAt += standstillMs;
  }

  #tellConfirmation(): void {
    const isConfirmed = this.#silenceMs < LONGEST_UNCONFIRMED_MS;
    if (isConfirmed === this.#isToldConfirmed) return;
    this.#isToldConfirmed = isConfirmed;
    const { logger } = this.#options;
    if (isConfirmed) logger.info({}, 'The database confirms the tip again.');
    else {
      logger.warn(
        {},
        `The database has not confirmed the tip for ${LONGEST_UNCONFIRMED_MS / 1_000} s. ` +
          'Requests are answered with 503 until it does.',
      );
    }
  }
}
