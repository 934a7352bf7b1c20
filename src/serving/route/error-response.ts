/** The only mapping from errors to responses. */
import { IncompleteError, StoreError } from '../../store/read/store-error.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import { ApiError } from '../errors/api-error.ts';
import { causeOfStoreError, unavailable } from '../errors/causes-of-503.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import type { ThrottledLog } from '../logging/throttled-log.ts';
import { ClientGone } from '../resources/caller.ts';
import { type ResourceName, ResourceRefusal } from '../resources/shared-resources.ts';
import { withChainTip } from './readiness.ts';

/** Where errors are logged, and what they say of the tip. */
export interface ErrorContext {
  readonly tipWatch: TipWatch;
  readonly throttledLog: ThrottledLog;
}

/** Returns the response for any error. Faults of the server are logged, and the response does not show them. */
export function errorResponse(context: ErrorContext, error: unknown): PreparedResponse {
  const { status, retryAfter, body, tip } = toApiError(context, error);
  const response = new PreparedResponse(body, {
    status,
    headers: retryAfter === undefined ? [] : ['retry-after', String(retryAfter)],
  });
  return tip === null ? response : withChainTip(context, tip, response);
}

/** Converts an error to the client's view of it. */
export function toApiError({ tipWatch, throttledLog }: ErrorContext, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ResourceRefusal) return error.isOverShare ? overShare(error.resource) : unavailable('busy');
  if (error instanceof ClientGone) return CLIENT_GONE;
  if (error instanceof IncompleteError) return unavailable('being added', error.what);
  if (error instanceof StoreError && error.kind !== 'fault' && error.kind !== 'incomplete') {
    if (error.kind === 'missing privileges') tipWatch.recheckPrivileges();
    if (error.kind === 'too slow') throttledLog.warn('too slow', error.cause ?? error, 'A read took too long.');
    return unavailable(causeOfStoreError(error.kind));
  }
  throttledLog.error('fault', error, 'A request failed; it was answered with 500.');
  return new ApiError(500, 'Internal server error');
}

/** A response that no client receives. It is only counted in the metrics. */
const CLIENT_GONE = new ApiError(499, 'The client has closed the connection');

function overShare(resource: ResourceName): ApiError {
  return new ApiError(429, `Too much of this client at a time (${resource}). Try again when it has less in progress.`, {
    retryAfter: 1,
  });
}
