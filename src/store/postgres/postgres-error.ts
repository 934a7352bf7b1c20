/** Errors of the connection to PostgreSQL, and what to tell the operator of them. */
import { OperatorError } from '../../errors/operator-error.ts';
import { type PostgresOptions, SCHEMA_NAME } from './connect.ts';

/** PostgreSQL cannot be reached at the moment; trying again later may help. */
export class PostgresUnreachableError extends Error {
  override readonly name = 'PostgresUnreachableError';
}

/** PostgreSQL is there, and cannot write at the moment: its disk is full, or somebody has locked a table. */
export class PostgresBlockedError extends Error {
  override readonly name = 'PostgresBlockedError';
}

/** PostgreSQL sent nothing for so long during a statement that the connection was given up. */
export class PostgresSilentError extends Error {
  override readonly name = 'PostgresSilentError';
}

export const NO_SUCH_DATABASE = '3D000';

/** Returns the SQLSTATE of an error from PostgreSQL. */
export const sqlStateOf = (error: unknown) => (error as { code?: string } | null)?.code;

/** Has a replica ended the statement, or its connection, because it stood in the way of what the replica replays? */
export function isCancelledByRecovery(error: unknown): error is Error {
  return error instanceof Error && /conflict with recovery/.test(error.message);
}

/** Errors of PostgreSQL that the operator has to resolve, by SQLSTATE. */
const REFUSALS: Readonly<Record<string, (options: PostgresOptions, message: string) => string>> = {
  '28P01': ({ user }) => `PostgreSQL refuses the password of user ${user}. Check --postgres-password.`,
  '28000': ({ user }, message) => `PostgreSQL refuses user ${user}: ${message}. Check --postgres-user and pg_hba.conf.`,
  [NO_SUCH_DATABASE]: ({ database }) =>
    `there is no database ${database}. Check --network and --postgres-database; the scanner needs the database to exist (createdb ${database}).`,
  '42501': ({ user, database }, message) =>
    `user ${user} may not do this in the database ${database}: ${message}. Let that user own the database and all that is in its schema ${SCHEMA_NAME}.`,
};

/** Node's codes for a certificate that it does not trust. */
const CERTIFICATE = /CERT|VERIFY_LEAF|^ERR_TLS_/;
/** What to do about certificate errors other than an unknown authority. */
const CERTIFICATE_REMEDIES: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'Give a name that the certificate has as --postgres-host',
  CERT_HAS_EXPIRED: 'Renew the certificate on the server',
  CERT_NOT_YET_VALID: 'Check the clocks of both machines',
};
/** The driver's message, without a code, for a server without TLS. */
const NO_TLS = /does not support SSL/;
/** The driver's message, without a code, when the server asks for a password and there is none. */
const NO_PASSWORD = /^SASL: .* client password must be/;

const DISK_FULL = '53100';
const LOCK_NOT_AVAILABLE = '55P03';
const READ_ONLY = '25006';

/** SQLSTATEs of a server that starts, stops or has crashed, and those of a pooler that has no connection to it. */
const STARTING_OR_STOPPING = /^(57P0[123]|08...)$/;
/** The driver's messages without a code. */
const TIMEOUT = 'timeout expired';
const BROKEN = /^Connection terminated|^Client .* is not queryable$/;
/** A pooler's message for a setting that is sent while connecting. */
const NO_SUCH_SETTING = /^unsupported startup parameter/;

/**
 * The error to throw for an error of the driver: an OperatorError when the operator has to act, a PostgresUnreachableError
 * when the server cannot be reached, otherwise the error itself.
 */
export function postgresErrorToThrow(error: unknown, options: PostgresOptions): unknown {
  if (!(error instanceof Error) || error instanceof OperatorError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const operatorError = (message: string) => new OperatorError(message, { cause: error });
  const refusal = code === undefined ? undefined : REFUSALS[code];
  if (refusal !== undefined) return operatorError(refusal(options, error.message));
  if (NO_PASSWORD.test(error.message)) {
    return operatorError(`PostgreSQL asks user ${options.user} for a password. Give it with --postgres-password.`);
  }
  if (NO_SUCH_SETTING.test(error.message)) {
    return operatorError(`the connection pooler at ${options.host}:${options.port} refuses us: ${error.message}.`);
  }
  if (CERTIFICATE.test(code ?? '')) {
    const remedy = CERTIFICATE_REMEDIES[code!] ?? 'Give its authority in NODE_EXTRA_CA_CERTS';
    return operatorError(
      `PostgreSQL's certificate cannot be trusted: ${error.message}. ${remedy}, or encrypt without a proof: PGSSLMODE=no-verify.`,
    );
  }
  if (NO_TLS.test(error.message)) {
    return operatorError(`PGSSLMODE asks for TLS, and PostgreSQL at ${options.host} has none.`);
  }
  if (code === LOCK_NOT_AVAILABLE) {
    return new PostgresBlockedError(`a table is locked by somebody else: ${error.message}`, { cause: error });
  }
  if (code === DISK_FULL) {
    const { host, port } = options;
    return new PostgresBlockedError(`the disk of PostgreSQL at ${host}:${port} is full: ${error.message}`, {
      cause: error,
    });
  }
  const reason = unreachableReason(error);
  if (reason === undefined) return error;
  return new PostgresUnreachableError(`PostgreSQL at ${options.host}:${options.port} is not reachable: ${reason}`, {
    cause: error,
  });
}

/** Returns the reason why the server cannot be reached; `undefined` if something else is wrong. */
function unreachableReason(error: Error): string | undefined {
  const { code = '', errors } = error as NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] };
  if (error.message === TIMEOUT) return 'it does not answer. Is --postgres-host right?';
  if (BROKEN.test(error.message)) return 'the connection broke.';
  if (STARTING_OR_STOPPING.test(code)) return `${error.message}.`;
  // Node's own codes, ERR_…, are programming errors.
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

/**
 * Explains an error for a program that does not wait for the server: also returns an OperatorError if the server cannot
 * be reached, can only be read, or is a replica that cancelled the statement.
 */
export function explainFinalPostgresError(error: unknown, options: PostgresOptions): unknown {
  const explained = postgresErrorToThrow(error, options);
  if (isCancelledByRecovery(explained)) {
    const remedy = 'Set hot_standby_feedback = on there, or ask the primary.';
    return new OperatorError(`the replica at ${options.host} ended it: ${explained.message}. ${remedy}`, {
      cause: error,
    });
  }
  if (sqlStateOf(error) === READ_ONLY) {
    const text =
      `the database ${options.database} at ${options.host} is read-only. If it is a replica, name the primary with ` +
      '--postgres-host; otherwise default_transaction_read_only is on (managed hosts set it when a disk is full).';
    return new OperatorError(text, { cause: error });
  }
  if (!(explained instanceof PostgresUnreachableError)) return explained;
  return new OperatorError(explained.message, { cause: explained });
}
