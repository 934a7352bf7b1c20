import pg from 'pg';

/** Why a query gave no result. The message is for the client of the API: what happened and what to do next. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: 'unavailable' | 'too slow' | 'not ready' | 'missing privileges' | 'fault';

  constructor(kind: StoreError['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export const databaseUnavailableError = () =>
  new StoreError('unavailable', 'The database cannot be reached at the moment. Try again soon.');
export const tooSlowError = () => new StoreError('too slow', 'The database took too long to answer. Try again later.');
export const noChainError = () =>
  new StoreError('not ready', 'The database holds no chain yet; the scanner fills it. Try again soon.');
export const missingPrivilegesError = () =>
  new StoreError(
    'missing privileges',
    "The web server's database user may not read the index. Its operator has to grant that; the server's log says how.",
  );

/** Classifies the error of a failed statement: what the callers get, and whether running it again may help. */
export function classifyPgError(error: Error): {
  readonly kind: StoreError['kind'];
  readonly isRetryable: boolean;
  readonly message: string;
} {
  // Only the server's own errors carry an SQLSTATE; the codes of sockets may look like one (EPIPE).
  const sqlState = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  // Cancelled by the statement timeout.
  if (sqlState === '57014') return { kind: 'too slow', isRetryable: false, message: tooSlowError().message };
  // No such table, column or schema: the scanner has not created them yet, or is creating them again.
  if (['42P01', '42703', '3F000'].includes(sqlState)) {
    return { kind: 'not ready', isRetryable: false, message: noChainError().message };
  }
  // The user has no right to the schema or a table.
  if (sqlState === '42501')
    return { kind: 'missing privileges', isRetryable: false, message: missingPrivilegesError().message };
  // A replica cancels what stands in the way of its recovery; a changed table makes prepared statements invalid once.
  if (['40001', '40P01', '0A000'].includes(sqlState)) {
    return { kind: 'unavailable', isRetryable: true, message: databaseUnavailableError().message };
  }
  // Connection lost (08), server shutting down or starting (57P), out of resources (53), or an error of the socket.
  if (sqlState === '' || /^(08|57P|53)/.test(sqlState)) {
    return { kind: 'unavailable', isRetryable: true, message: databaseUnavailableError().message };
  }
  return { kind: 'fault', isRetryable: false, message: 'Internal server error' };
}
