/**
 * Connections to PostgreSQL. Values come back as the program holds them: `bytea` as lower-case hex, `bigint` columns
 * (heights, indexes, seconds: all below 2^53) as numbers, `numeric` (amounts, nonces) as `bigint`.
 */
import pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import { CONNECTION_TIMEOUTS, type ConnectionTimeouts, socketOf, watchStall } from './timeouts.ts';

export interface PostgresOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string | undefined;
  readonly database: string;
  readonly maxConnections: number;
  /** How long patient connections wait for what does not come; `PATIENCE` where nothing is said. */
  readonly patience?: Partial<ConnectionTimeouts> | undefined;
}

/** Everything of ours lives in a schema of its own, so that a resync drops nothing else. */
export const SCHEMA = 'chain_indexer';

const BYTEA = 17;
const INT8 = 20;
const NUMERIC = 1700;

const parsers = new Map<number, (text: string) => unknown>([
  [BYTEA, (text) => text.slice(2)],
  [INT8, Number],
  [NUMERIC, BigInt],
]);

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text');
  },
};

function settings(options: PostgresOptions, applicationName: string): pg.ClientConfig {
  return {
    host: options.host,
    port: options.port,
    user: options.user,
    password: options.password,
    database: options.database,
    application_name: applicationName,
    connectionTimeoutMillis: options.patience?.connectMs ?? CONNECTION_TIMEOUTS.connectMs,
    keepAlive: true,
    // Without it the operating system would notice only after two hours that the server's machine has vanished.
    keepAliveInitialDelayMillis: 10_000,
    // As the parsers above expect it, whatever a role or the server has for others. Only our schema: in any other one
    // somebody could put functions that fit our statements better than PostgreSQL's own, and they would run as our
    // user.
    options: `-c search_path=${SCHEMA} -c bytea_output=hex`,
    types,
  };
}

/** One connection, not yet open. */
export function createClient(options: PostgresOptions, applicationName: string): pg.Client {
  return new pg.Client(settings(options, applicationName));
}

/** An open connection for a moment. Rejects with the driver's error. */
export async function openConnection(options: PostgresOptions, applicationName: string): Promise<pg.Client> {
  const client = createClient(options, applicationName);
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    // The server would wait a minute for a password that does not come, and keep the program alive.
    breakConnection(client);
    throw error;
  }
  return client;
}

export interface RetryingConnectionOptions {
  /** Told when the connection breaks while nobody waits for it. */
  onLost?(error: Error): void;
  /** Told again and again while a statement has to wait; seconds. */
  onSilence?(seconds: number): void;
  /** Ends the attempt to connect. */
  readonly signal?: AbortSignal | undefined;
  /** False: a statement may take as long as it wants, as the build of an index does. */
  readonly givesUp?: boolean;
}

/**
 * An open connection for statements that may take long. It waits neither for a lock nor for a silent server for ever,
 * and the server ends its side soon after this program or the network has failed, so that no lock stays behind. Rejects
 * with the driver's error.
 */
export async function openConnectionWithRetry(
  options: PostgresOptions,
  applicationName: string,
  { onLost, onSilence, signal, givesUp = true }: RetryingConnectionOptions = {},
): Promise<pg.Client> {
  const patience = { ...CONNECTION_TIMEOUTS, ...options.patience };
  const client = new pg.Client({ ...settings(options, applicationName), lock_timeout: patience.lockMs });
  client.on('error', onLost ?? (() => {}));
  const stop = (): void => breakConnection(client);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    watchStall(client, { ...patience, giveUpMs: givesUp ? patience.giveUpMs : Number.POSITIVE_INFINITY }, onSilence);
    for (const setting of SETTINGS) await client.query(setting).catch(ignoreUnknownSetting);
  } catch (error) {
    breakConnection(client);
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  return client;
}

const SETTINGS = [
  // When the server notices that nobody is left at the other end. Some systems have not all of these.
  `set client_connection_check_interval = '1s'`,
  'set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3',
  `set tcp_user_timeout = '30s'`,
  // What an administrator may have limited for other programs: a batch, or an index, takes the time that it takes.
  'set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set idle_session_timeout = 0',
  // From PostgreSQL 17 on.
  `select set_config('transaction_timeout', '0', false) where current_setting('transaction_timeout', true) is not null`,
];

function ignoreUnknownSetting(error: unknown): void {
  if ((error as { code?: string }).code === undefined) throw error;
}

/** Ends a connection; one whose server is silent is broken off. */
export async function closeConnection(client: pg.Client): Promise<void> {
  const impatience = setTimeout(() => breakConnection(client), CLOSE_MS);
  await client.end().catch(() => {});
  clearTimeout(impatience);
}

const CLOSE_MS = 2_000;

/** Breaks a connection off, whatever is under way; the statement under way fails. */
export function breakConnection(client: pg.Client, reason?: Error): void {
  socketOf(client).destroy(reason);
}

/** PostgreSQL cannot be reached at the moment, which waiting may mend. */
export class PostgresUnreachableError extends Error {
  override readonly name = 'PostgresUnreachableError';
}

/** Errors of PostgreSQL that no waiting cures, by SQLSTATE. */
const REFUSALS: Readonly<Record<string, (options: PostgresOptions, message: string) => string>> = {
  '28P01': ({ user }) => `PostgreSQL refuses the password of user ${user}. Check --postgres-password.`,
  '28000': ({ user }, message) => `PostgreSQL refuses user ${user}: ${message}. Check --postgres-user and pg_hba.conf.`,
  '3D000': ({ database }) =>
    `there is no database ${database}. Create it (createdb ${database}), or name another with --postgres-database.`,
  '42501': ({ user, database }, message) =>
    `user ${user} may not do this in the database ${database}: ${message}. Let that user own the database and all that is in its schema ${SCHEMA}.`,
};

/** How Node names what is wrong with a server's certificate. */
const CERTIFICATE = /CERT|VERIFY_LEAF|^ERR_TLS_/;
/** What the driver says, without a code, to a server without TLS. */
const NO_TLS = /does not support SSL/;
/** What the driver says, without a code, when the server asks for a password and there is none. */
const NO_PASSWORD = /^SASL: .* client password must be/;

const LOCK_NOT_AVAILABLE = '55P03';
/** What a replica says to a long statement when it has to apply what the primary has cleaned up. */
const CANCELLED_BY_REPLICA = /conflict with recovery/;

/** A server that starts, stops or has crashed says so with these. */
const AWAY = new Set(['57P01', '57P02', '57P03']);
/** What the driver says without a code. */
const TIMEOUT = 'timeout expired';
const BROKEN = 'Connection terminated unexpectedly';

/**
 * What to throw for an error of the driver: an OperatorError when the operator has to act, a PostgresUnreachableError
 * when the server cannot be reached, the error itself otherwise.
 */
export function explainPostgresError(error: unknown, options: PostgresOptions): unknown {
  if (!(error instanceof Error) || error instanceof OperatorError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const refusal = code === undefined ? undefined : REFUSALS[code];
  if (refusal !== undefined) return new OperatorError(refusal(options, error.message), { cause: error });
  if (NO_PASSWORD.test(error.message)) {
    return new OperatorError(`PostgreSQL asks user ${options.user} for a password. Give it with --postgres-password.`, {
      cause: error,
    });
  }
  if (CERTIFICATE.test(code ?? '')) {
    const remedy = 'Give its authority in NODE_EXTRA_CA_CERTS, or encrypt without a proof: PGSSLMODE=no-verify.';
    return new OperatorError(`PostgreSQL's certificate cannot be trusted: ${error.message}. ${remedy}`, {
      cause: error,
    });
  }
  if (NO_TLS.test(error.message)) {
    return new OperatorError(`PGSSLMODE asks for TLS, and PostgreSQL at ${options.host} has none.`, { cause: error });
  }
  if (code === LOCK_NOT_AVAILABLE) {
    return new Error(`a table is locked by somebody else: ${error.message}`, { cause: error });
  }
  const reason = unreachableReason(error);
  if (reason === undefined) return error;
  return new PostgresUnreachableError(`PostgreSQL at ${options.host}:${options.port} is not reachable: ${reason}`, {
    cause: error,
  });
}

/** Why the server cannot be reached, `undefined` when something else is wrong. */
function unreachableReason(error: Error): string | undefined {
  const { code = '', errors } = error as NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] };
  if (error.message === TIMEOUT) return 'it does not answer. Is --postgres-host right?';
  if (error.message === BROKEN) return 'the connection broke.';
  if (AWAY.has(code)) return `${error.message}.`;
  // Node's own, ERR_…, are mistakes of ours.
  if (errors === undefined && !/^E(?!RR_)/.test(code)) return undefined;
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return 'nothing listens there. Is it running, and are --postgres-host and --postgres-port right?';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'its host name is not known. Is --postgres-host right?';
    default:
      return `${errors?.[0]?.message ?? error.message}.`;
  }
}

/** As `explainPostgresError` does, for a program that does not wait: the operator has to make the server reachable. */
export function explainWithoutWaiting(error: unknown, options: PostgresOptions): unknown {
  const explained = explainPostgresError(error, options);
  if (explained instanceof Error && CANCELLED_BY_REPLICA.test(explained.message)) {
    const remedy = 'Set hot_standby_feedback = on there, or ask the primary.';
    return new OperatorError(`the replica at ${options.host} ended it: ${explained.message}. ${remedy}`, {
      cause: error,
    });
  }
  if (!(explained instanceof PostgresUnreachableError)) return explained;
  return new OperatorError(explained.message, { cause: explained });
}

/** Hex as a parameter or COPY field of type `bytea`. */
export function bytea(hex: string): string {
  return `\\x${hex}`;
}
