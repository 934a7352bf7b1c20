/** The checks that refuse a request with 503 before anything is read, and the tip that responses name. */
import type { Network } from '../../chain/networks/network.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import type { ServedTip, TipWatch } from '../../store/read/tip-watch.ts';
import { unavailable } from '../errors/causes-of-503.ts';
import type { PreparedResponse } from '../http/prepared-response.ts';

interface ServedChain {
  readonly network: Network;
  readonly tipWatch: TipWatch;
}

/** Throws the error 503 unless the index is complete and readable. */
export function requireReady(context: ServedChain): void {
  const tip = requireTip(context);
  if (tip.isReady) return;
  throw unavailable('index incomplete', tip.height);
}

/**
 * Returns the tip of this network's chain, also while the index is being built. Throws the error 503 if there is none.
 */
export function requireTip({ network, tipWatch }: ServedChain): ServedTip {
  const { tip } = tipWatch;
  if (!tipWatch.isFresh) throw unavailable('database away');
  if (tipWatch.lacksPrivileges) throw unavailable('missing privileges');
  if (tip === null) throw unavailable('no chain');
  if (tip.genesisId !== network.genesisId) throw unavailable('other network');
  return tip;
}

/** Names the tip in the response, which makes it known to the client. Returns the response. */
export function withChainTip(
  { tipWatch }: Pick<ServedChain, 'tipWatch'>,
  tip: SnapshotTip,
  response: PreparedResponse,
): PreparedResponse {
  tipWatch.noteAdvertised(tip.revision);
  return response.withTip(tip);
}

export function isReady(context: ServedChain): boolean {
  try {
    requireReady(context);
    return true;
  } catch {
    return false;
  }
}
