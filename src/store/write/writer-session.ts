/** The scanner's connections: one that writes, one that reads ahead; and the lock that makes it the only writer. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { EXIT_CONFIGURATION, OperatorError } from '../../errors/operator-error.ts';
import {
  ADVISORY_LOCKS,
  breakPostgresConnection,
  closePostgresConnection,
  POSTGRES_TIMEOUTS,
  type PostgresOptions,
  WRITER_LOCK_SQL,
} from '../postgres/connect.ts';
import { primaryOf } from '../postgres/hosts.ts';
import { openLongStatementConnection } from '../postgres/long-statement-connection.ts';
import { PostgresUnreachableError, postgresErrorToThrow } from '../postgres/postgres-error.ts';

/**
 * The exit status of a failure that may pass, such as a failover or another scanner: a supervisor restarts the scanner.
 */
const EXIT_MAY_PASS = 1;

/**
 * Settings of the writer's connections. The ledger reads and writes by key; the planner must not choose otherwise while a
 * bulk sync grows the tables. A crash of the database may lose the newest commits, which the scanner then fetches again.
 */
export const WRITER_SETTINGS = `
  set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set enable_material = off;
  set jit = off; set synchronous_commit = off`;

export class WriterSession {
  /** The options whose first server is the one that is written to. */
  readonly postgres: PostgresOptions;
  readonly writer: pg.Client;
  readonly reader: pg.Client;
  /** Aborted when a connection breaks while no statement runs on it: the writer's lock may be lost with it. */
  readonly lost: AbortSignal;

  private constructor(postgres: PostgresOptions, writer: pg.Client, reader: pg.Client, lost: AbortSignal) {
    this.postgres = postgres;
    this.lost = lost;
    this.writer = writer;
    this.reader = reader;
  }

  /**
   * Opens both connections and takes the writer's lock. Throws an OperatorError when the operator has to act, another
   * error when trying again may help.
   */
  static async open(given: PostgresOptions, session: WriterSessionOptions = {}) {
    const { onLost, onStall, signal } = session;
    const options = await primaryOf(given, 'chain-indexer scanner (search)');
    signal?.throwIfAborted();
    const opened: pg.Client[] = [];
    const lost = new AbortController();
    const stop = (): void => {
      for (const client of opened) breakPostgresConnection(client);
    };
    signal?.addEventListener('abort', stop, { once: true });
    const connect = async (name: string, what: string): Promise<pg.Client> => {
      const client = await openLongStatementConnection(options, name, {
        onLost: (error) => {
          onLost?.(error);
          lost.abort(error);
        },
        onStall: (seconds) => onStall?.(what, seconds),
        signal,
      });
      opened.push(client);
      return client;
    };
    try {
      const connecting = [
        connect('chain-indexer scanner', 'writing'),
        connect('chain-indexer scanner (reads)', 'reading'),
      ] as const;
      // A connection that opens after the other one failed must be closed, too.
      await Promise.allSettled(connecting);
      const [writer, reader] = await Promise.all(connecting);
      await checkServer(writer, options, session);
      await takeWriterLock(writer, options, session);
      return new WriterSession(options, writer, reader, lost.signal);
    } catch (error) {
      await Promise.all(opened.map(closePostgresConnection));
      const toThrow = postgresErrorToThrow(error, options);
      const mayPass =
        session.isReconnect && toThrow instanceof OperatorError && toThrow.exitCode === EXIT_CONFIGURATION;
      throw mayPass ? new PostgresUnreachableError(toThrow.message, { cause: toThrow }) : toThrow;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Makes the connections ready for blocks. */
  async prepare(): Promise<void> {
    await this.writer.query(WRITER_SETTINGS);
    await this.reader.query(WRITER_SETTINGS);
  }

  /** Ends both connections; an open transaction is rolled back. */
  async close(): Promise<void> {
    await Promise.all([closePostgresConnection(this.writer), closePostgresConnection(this.reader)]);
  }

  /** Destroys both connections: running statements fail, open transactions are rolled back. */
  abandon(): void {
    for (const client of [this.writer, this.reader]) breakPostgresConnection(client);
  }
}

interface WriterSessionOptions {
  /** Called when a connection breaks while no statement runs on it. */
  onLost?(error: Error): void;
  /** Called while a statement waits for PostgreSQL: its purpose, and the seconds so far. */
  onStall?(what: string, seconds: number): void;
  /** Called once when another scanner holds the writer's lock: which one. What it throws ends the waiting. */
  onLockHeld?(text: string, writer: pg.Client): Promise<void>;
  /**
   * Did this process have a session before? What refuses the connection now may pass: a password that is being changed, a database
   * that is restored, a pooler in another mode. A database that is read-only now may be writable again soon, and the
   * writer's lock may be held by an old connection of this process that the server still believes to be alive.
   */
  readonly isReconnect?: boolean;
  /** Ends the waiting for a connection and for the lock. */
  readonly signal?: AbortSignal | undefined;
}

const LOCK_RETRY_MS = 200;
/** The factor by which a reconnecting process waits longer for the lock. */
const RECONNECT_FACTOR = 3;
/** The wait is logged from this attempt on: a scanner that is just being stopped releases the lock earlier. */
const LOGGED_ATTEMPT = 10;

async function takeWriterLock(
  writer: pg.Client,
  { database, timeouts }: PostgresOptions,
  { onLockHeld, signal, isReconnect = false }: WriterSessionOptions,
): Promise<void> {
  const { writerMs } = { ...POSTGRES_TIMEOUTS, ...timeouts };
  const deadline = performance.now() + (isReconnect ? RECONNECT_FACTOR * writerMs : writerMs);
  for (let attempt = 1; ; attempt++) {
    const { rows } = await writer.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      ADVISORY_LOCKS.writer,
    ]);
    if (rows[0]?.taken) return;
    if (performance.now() >= deadline) {
      const remedy = 'nothing was changed. Stop it first, or use another database.';
      throw new OperatorError(`${await lockHolderText(writer, database)}; ${remedy}`, { exitCode: EXIT_MAY_PASS });
    }
    if (attempt === LOGGED_ATTEMPT) await onLockHeld?.(await lockHolderText(writer, database), writer);
    signal?.throwIfAborted();
    await sleep(LOCK_RETRY_MS);
  }
}

async function lockHolderText(writer: pg.Client, database: string): Promise<string> {
  // Only the role itself and pg_read_all_stats may see when, and from where, a role connected.
  const { rows } = await writer.query<{ pid: number; role: string; since: string | null; host: string | null }>(
    `select pid, usename as role, to_char(backend_start, 'YYYY-MM-DD HH24:MI:SS') as since, host(client_addr) as host
       from (${WRITER_LOCK_SQL}) l join pg_stat_activity using (pid)`,
  );
  const holder = rows[0];
  const where = holder?.host ? ` from ${holder.host}` : '';
  const since = holder?.since ? `connected${where} since ${holder.since} UTC, ` : '';
  const which = holder ? ` (${since}user ${holder.role}, PostgreSQL process ${holder.pid})` : '';
  return `another scanner is writing to the database ${database}${which}`;
}

const OLDEST_SERVER = 150_000;

async function checkServer(
  client: pg.Client,
  { host, database, user }: PostgresOptions,
  { isReconnect = false }: WriterSessionOptions,
): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string; read_only: string; is_replica: boolean }>(
    `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
            current_setting('transaction_read_only') as read_only, pg_is_in_recovery() as is_replica`,
  );
  if (Number(rows[0]?.version) < OLDEST_SERVER)
    throw new OperatorError('PostgreSQL 15 or newer is needed. Upgrade it, or name another with --postgres-host.');
  if (rows[0]?.encoding !== 'UTF8') {
    throw new OperatorError(
      `the database ${database} has the encoding ${rows[0]?.encoding}, UTF8 is needed. Create another one: createdb ` +
        '--encoding UTF8 --template template0 NAME, or name it with --postgres-database.',
    );
  }
  if (rows[0].read_only === 'off') return;
  const [reason, remedy] = rows[0].is_replica
    ? ['it is a replica', 'The scanner writes to the primary.']
    : [
        'it is a primary, and default_transaction_read_only is on',
        `Managed hosts set it when a disk is full: make room, then set it back where it is set (the server, the database or user ${user}).`,
      ];
  const text = `the database ${database} at ${host} is read-only: ${reason}; nothing was changed`;
  if (isReconnect) throw new Error(text);
  throw new OperatorError(`${text}. ${remedy}`, { exitCode: EXIT_MAY_PASS });
}
