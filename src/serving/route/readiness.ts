/**
 * The one account of readiness. `/ready`, `/status`, the metrics, the pages and the log say what {@link whyNotReady} says;
 * requests are refused for {@link requireReady}, which is a part of it.
 */
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { LastingCondition } from '../../errors/lasting-condition.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import type { ServedTip, TipWatch } from '../../store/read/tip-watch.ts';
import type { ApiError } from '../errors/api-error.ts';
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
export function requireTip({ network, tipWatch }: ServedChain): ServedTip & { readonly genesisId: Id } {
  const { tip } = tipWatch;
  if (!tipWatch.isFresh) throw unavailable('database away');
  if (tipWatch.lacksPrivileges) throw unavailable('missing privileges');
  // A restore may not have reached the row yet that names the genesis.
  if (tip === null || tip.genesisId === null) throw unavailable('no chain');
  if (tip.genesisId !== network.genesisId) throw unavailable('other network');
  return tip as ServedTip & { readonly genesisId: Id };
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

interface ServingState extends ServedChain {
  /** Is the server stopping? */
  readonly isStopping: () => boolean;
}

/**
 * Returns why clients should be sent to another server; null if this one is ready. Unlike {@link requireReady} it includes a stop
 * and what is too old (`--max-lag`): requests that come all the same are answered.
 */
export function whyNotReady(state: ServingState): ApiError | null {
  if (state.isStopping()) return unavailable('stopping');
  try {
    requireReady(state);
  } catch (error) {
    return error as ApiError;
  }
  const { excessiveLag } = state.tipWatch;
  if (excessiveLag === null) return null;
  const { behind, seconds } = excessiveLag;
  return behind === 'primary' ? unavailable('replica behind', seconds) : unavailable('database superseded', seconds);
}

const CHECK_MS = 500;

/**
 * Logs when the server becomes ready or is no longer ready, and why: as a warning when it was ready before, since a server that starts
 * has to wait. Returns the function that ends this.
 */
export function logReadiness(
  state: ServingState,
  logger: ConstructorParameters<typeof LastingCondition>[0],
): () => void {
  const condition = new LastingCondition(logger, {
    holds: 'Not ready: /ready returns 503.',
    ended: 'Ready: /ready returns 200.',
  });
  let wasReady = false;
  const timer = setInterval(() => {
    const reason = whyNotReady(state);
    if (reason === null) {
      wasReady = true;
      condition.ended();
    }
    // The numbers in the message change, and a stop has its own lines.
    else if (!state.isStopping()) {
      condition.holds({ reason: reason.message }, reason.message.replaceAll(/\d+/g, ''), wasReady ? 'warn' : 'info');
    }
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}
