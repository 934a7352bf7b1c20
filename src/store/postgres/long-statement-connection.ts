/** Connections for statements that may take long: the writes of the scanner, building indexes, verifying, exports. */
import type pg from 'pg';
import {
  breakPostgresConnection,
  closePostgresConnection,
  connectPostgres,
  createPostgresClient,
  POSTGRES_TIMEOUTS,
  type PostgresOptions,
  type PostgresTimeouts,
  postgresSocketOf,
} from './connect.ts';
import { serverAnswers } from './hosts.ts';
import { PostgresSilentError, PostgresUnreachableError } from './postgres-error.ts';

interface LongStatementConnectionOptions {
  /** Called when the connection breaks while no statement is in flight. */
  onLost?(error: Error): void;
  /** Called every `stallMs` while a statement makes no progress, with the seconds since the last byte. */
  onStall?(seconds: number): void;
  /** Aborts connecting. */
  readonly signal?: AbortSignal | undefined;
  /** False: a statement may take any time, as building an index does. True unless given. */
  readonly givesUp?: boolean;
}

/**
 * An open connection for statements that may take long. Waiting for a lock and for a server that sends nothing is limited
 * by the timeouts; and the server closes its side soon after this process or the network is gone, so that no lock remains.
 * If there are other servers, a connection that stalls is broken as soon as its server does not answer a new connection.
 * Rejects as `connectPostgres` does.
 */
export async function openLongStatementConnection(
  options: PostgresOptions,
  applicationName: string,
  { onLost, onStall, signal, givesUp = true }: LongStatementConnectionOptions = {},
): Promise<pg.Client> {
  const timeouts = { ...POSTGRES_TIMEOUTS, ...options.timeouts };
  const client = createPostgresClient(options, applicationName);
  client.on('error', onLost ?? (() => {}));
  const stop = (): void => breakPostgresConnection(client);
  const stalled = (seconds: number): void => {
    onStall?.(seconds);
    if (options.others !== undefined && options.others.length > 0) void breakIfServerIsGone();
  };
  const breakIfServerIsGone = async (): Promise<void> => {
    if (await serverAnswers(options, applicationName)) return;
    const text = `PostgreSQL at ${options.host} does not answer any more; the connection was given up`;
    breakPostgresConnection(client, new PostgresUnreachableError(text));
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await connectPostgres(client, options, timeouts.lockMs);
    watchStall(client, { ...timeouts, giveUpMs: givesUp ? timeouts.giveUpMs : Number.POSITIVE_INFINITY }, stalled);
    for (const setting of SETTINGS) await client.query(setting).catch(ignoreUnknownSetting);
  } catch (error) {
    breakPostgresConnection(client);
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  return client;
}

/** Does something with such a connection, which is closed at the end, and broken when `signal` is aborted. */
export async function withLongStatementConnection<T>(
  options: PostgresOptions,
  applicationName: string,
  watching: LongStatementConnectionOptions,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await openLongStatementConnection(options, applicationName, watching);
  const stop = (): void => breakPostgresConnection(client);
  watching.signal?.addEventListener('abort', stop, { once: true });
  try {
    return await work(client);
  } finally {
    watching.signal?.removeEventListener('abort', stop);
    await closePostgresConnection(client);
  }
}

const SETTINGS = [
  // So that the server notices a lost client. Not every operating system supports all of these.
  `set client_connection_check_interval = '1s'`,
  'set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3',
  `set tcp_user_timeout = '30s'`,
];

function ignoreUnknownSetting(error: unknown): void {
  if ((error as { code?: string }).code === undefined) throw error;
}

/** Checks within the shorter of the two limits. */
const CHECKS = 3;

/**
 * Watches an open connection until it closes. While a statement is in flight and no byte is sent or received, calls
 * `onStall` with the seconds every `stallMs`; after `giveUpMs` it breaks the connection, and the statement fails with a
 * {@link PostgresSilentError}.
 */
function watchStall(
  client: pg.Client,
  { stallMs, giveUpMs }: Pick<PostgresTimeouts, 'stallMs' | 'giveUpMs'>,
  onStall: (seconds: number) => void,
): void {
  const socket = postgresSocketOf(client);
  // Whoever has a statement in flight has sent it since the last one ended.
  let writtenWhenIdle = socket.bytesWritten;
  client.on('drain', () => {
    writtenWhenIdle = socket.bytesWritten;
  });
  let bytesBefore = -1;
  let since = performance.now();
  let reports = 0;
  const check = (): void => {
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (socket.bytesWritten === writtenWhenIdle || bytes !== bytesBefore) {
      bytesBefore = bytes;
      since = performance.now();
      reports = 0;
      return;
    }
    const silentMs = performance.now() - since;
    if (silentMs >= giveUpMs) {
      const seconds = Math.round(silentMs / 1000);
      socket.destroy(
        new PostgresSilentError(`PostgreSQL has been silent for ${seconds} s; the connection was given up`),
      );
    } else if (silentMs >= (reports + 1) * stallMs) {
      reports = Math.floor(silentMs / stallMs);
      onStall(Math.round(silentMs / 1000));
    }
  };
  const timer = setInterval(check, Math.min(stallMs, giveUpMs) / CHECKS);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}
