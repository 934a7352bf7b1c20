import pg from 'pg';
import { isCancelledByRecovery } from '../postgres/postgres-error.ts';
import type { MigrationProgress } from '../schema/in-place-migrations.ts';

/** The reason why a query gave no result. `src/serving/errors/causes-of-503.ts` has the messages for clients. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: 'unavailable' | 'too slow' | 'not ready' | 'missing privileges' | 'stopping' | 'incomplete' | 'fault';

  constructor(kind: StoreError['kind'], cause?: unknown) {
    super(`A query of the database gave no result: ${kind}`, { cause });
    this.kind = kind;
  }
}

/** The query needs something that is being added to the index in place. */
export class IncompleteError extends StoreError {
  /** Such as `index outputs_kind is being built (40 %)`. */
  readonly what: string;

  constructor({ text, percent }: MigrationProgress) {
    super('incomplete');
    this.what = `${text} (${percent} %)`;
  }
}

/** Classifies the error of a failed statement: the error for the callers, and whether a retry may help. */
export function classifyPgError(error: Error): {
  readonly kind: StoreError['kind'];
  readonly isRetryable: boolean;
} {
  // Only the server's own errors carry an SQLSTATE; the codes of sockets may look like one (EPIPE).
  const sqlState = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  if (isCancelledByRecovery(error)) return { kind: 'unavailable', isRetryable: true };
  // Cancelled by the statement timeout.
  if (sqlState === '57014') return { kind: 'too slow', isRetryable: false };
  // No such table, column or schema: the scanner has not created them yet, or is creating them again.
  if (['42P01', '42703', '3F000'].includes(sqlState)) {
    return { kind: 'not ready', isRetryable: false };
  }
  // The user has no right to the schema or a table.
  if (sqlState === '42501') return { kind: 'missing privileges', isRetryable: false };
  // A replica cancels what stands in the way of its recovery; a changed table makes prepared statements invalid once.
  if (['40001', '40P01', '0A000'].includes(sqlState)) {
    return { kind: 'unavailable', isRetryable: true };
  }
  // Connection lost (08), server shutting down or starting (57P), out of resources (53), or an error of the socket.
  if (sqlState === '' || /^(08|57P|53)/.test(sqlState)) {
    return { kind: 'unavailable', isRetryable: true };
  }
  return { kind: 'fault', isRetryable: false };
}
