/** When a request is refused with 503 before anything is read: the chain cannot be served, or the server is busy. */
import { databaseUnavailableError, missingPrivilegesError, noChainError } from '../../store/read/store-error.ts';
import type { ServedTip } from '../../store/read/tip-watch.ts';
import { unavailable } from './api-error.ts';
import type { ApiContext } from './context.ts';

/** Throws the error 503 unless the index can be read. */
export function requireReady(context: Pick<ApiContext, 'network' | 'tipWatch'>): void {
  const tip = requireTip(context);
  if (tip.isReady) return;
  throw unavailable(
    `The index is being built: the scanner has reached height ${tip.height} and is not at the chain's tip yet.`,
    5,
  );
}

/** The tip of this network's chain, also while the index is being built. Throws the error 503 when there is none. */
export function requireTip({ network, tipWatch }: Pick<ApiContext, 'network' | 'tipWatch'>): ServedTip {
  const { tip } = tipWatch;
  if (!tipWatch.isFresh) throw databaseUnavailableError();
  if (tipWatch.lacksPrivileges) throw missingPrivilegesError();
  if (tip === null) throw noChainError();
  if (tip.genesisId !== network.genesisId) {
    throw unavailable('The database holds the chain of another network than this server is for.');
  }
  return tip;
}

/** Throws the error 503 while the server cannot take another request. */
export function requireCapacity({
  connections,
  metrics,
  maxRequestsInFlight,
}: Pick<ApiContext, 'connections' | 'metrics' | 'maxRequestsInFlight'>): void {
  if (connections.unsent.isFull) throw unavailable('Clients are slow to take what they asked for. Try again soon.', 5);
  if (metrics.requestsInFlight > maxRequestsInFlight) {
    throw unavailable('Too many requests are being answered. Try again soon.');
  }
}

export function isReady(context: Pick<ApiContext, 'network' | 'tipWatch'>): boolean {
  try {
    requireReady(context);
    return true;
  } catch {
    return false;
  }
}
