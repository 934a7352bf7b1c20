/** Checks whether the scanner follows the node's tip. */
import type { ScannerPhase, StatusReport } from './status-report.ts';

/** Maximum number of blocks behind the node: about 20 minutes at the target spacing. */
export const MAX_BLOCKS_BEHIND = 10;
/** The node is polled for its tip at least every ten seconds. */
const MAX_NODE_SILENCE_SECONDS = 60;

const PHASE_TEXTS: Readonly<Record<ScannerPhase, string | null>> = {
  waiting_for_database: 'waiting for the database',
  waiting_for_node: 'waiting for the node',
  creating: 'creating the index',
  bulk_sync: 'syncing in bulk',
  building_indexes: 'building the indexes for reading',
  following: null,
  reorganising: null,
  pausing: 'pausing after a failure',
  stopping: 'stopping',
};

/**
 * Returns the blocks of the node that are not indexed yet; null while either height is unknown, the node has not told its own
 * lately, or it is below the index. `now`: of `monotonicSeconds`.
 */
export function blocksBehind({ tip, nodeHeight, nodeAnsweredAt, lastError }: StatusReport, now: number): number | null {
  if (tip === null || nodeHeight === null || nodeAnsweredAt === null) return null;
  if (lastError?.kind === 'node' || now - nodeAnsweredAt > MAX_NODE_SILENCE_SECONDS) return null;
  return nodeHeight < tip.height ? null : nodeHeight - tip.height;
}

/**
 * Returns the reason why the index does not follow the node's tip, for the operator. Null if it does: it is near that
 * tip, the node reported it lately, and the last attempt succeeded. `now`: of `monotonicSeconds`.
 */
export function reasonNotReady(report: StatusReport, now: number): string | null {
  const { phase, tip, nodeHeight, nodeAnsweredAt, failuresInARow, lastError } = report;
  const text = PHASE_TEXTS[phase];
  if (lastError !== null) {
    const times = failuresInARow === 1 ? 'once' : `${failuresInARow} times in a row`;
    return `${text === null ? '' : `${text}; `}failed ${times}, the last time (${lastError.kind}): ${lastError.text}`;
  }
  if (tip !== null && nodeHeight !== null && nodeHeight < tip.height && phase === 'waiting_for_node')
    return `waiting for the node: it is at height ${nodeHeight}, behind the index at ${tip.height}`;
  if (text !== null) return text;
  if (nodeAnsweredAt === null) return 'the node has not told its tip yet';
  const silence = now - nodeAnsweredAt;
  if (silence > MAX_NODE_SILENCE_SECONDS) return `the node has not told its tip for ${Math.round(silence)} s`;
  const behind = blocksBehind(report, now) ?? 0;
  return behind > MAX_BLOCKS_BEHIND ? `${behind} blocks behind the node` : null;
}
