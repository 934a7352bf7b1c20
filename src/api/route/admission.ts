/** When a request is refused with 503 before anything is read: the chain cannot be served. */
import type { ServedTip } from '../../store/read/tip-watch.ts';
import { unavailable } from '../errors/unavailable.ts';
import type { ApiContext } from './context.ts';

/** Throws the error 503 unless the index can be read. */
export function requireReady(context: Pick<ApiContext, 'network' | 'tipWatch'>): void {
  const tip = requireTip(context);
  if (tip.isReady) return;
  throw unavailable('index incomplete', tip.height);
}

/** The tip of this network's chain, also while the index is being built. Throws the error 503 when there is none. */
export function requireTip({ network, tipWatch }: Pick<ApiContext, 'network' | 'tipWatch'>): ServedTip {
  const { tip } = tipWatch;
  if (!tipWatch.isFresh) throw unavailable('database away');
  if (tipWatch.lacksPrivileges) throw unavailable('missing privileges');
  if (tip === null) throw unavailable('no chain');
  if (tip.genesisId !== network.genesisId) throw unavailable('other network');
  return tip;
}

export function isReady(context: Pick<ApiContext, 'network' | 'tipWatch'>): boolean {
  try {
    requireReady(context);
    return true;
  } catch {
    return false;
  }
}
