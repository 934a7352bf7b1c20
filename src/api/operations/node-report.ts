/** What a web server knows of the node in use, for `/status` and the metrics. */
import type { NodeClient } from '../../node/client.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import type { NodeReport } from '../metrics/metrics.ts';

/** The node is asked at most once in this time, however many requests come. */
const KEPT_MS = 1_000;
/** A scrape must not wait for a node that answers slowly. */
const MAX_CALL_MS = 500;

interface NodeReportOptions {
  readonly node: NodeClient | null;
  readonly nodeHeight: () => number | null;
  readonly tipWatch: Pick<TipWatch, 'tip'>;
}

/** Returns the function that reports the state of the node in use; it resolves with null without a node. */
export function createNodeReports({ node, nodeHeight, tipWatch }: NodeReportOptions): () => Promise<NodeReport | null> {
  let kept: { readonly report: Promise<NodeReport>; readonly at: number } | null = null;

  async function ask(asked: NodeClient): Promise<NodeReport> {
    const { tip } = tipWatch;
    const signal = AbortSignal.timeout(MAX_CALL_MS);
    const id = tip && (await asked.blockIdAtHeight(tip.height, { signal }).catch(() => null));
    const { problem, answeredAt } = asked.connection.health;
    return {
      address: asked.nodes[asked.inUse.index]!,
      reachable: problem === null,
      onOurChain: problem?.kind === 'other network' ? false : id === null ? null : id === tip!.id,
      height: problem === null ? nodeHeight() : null,
      answerAgeSeconds: answeredAt === null ? null : Math.round(performance.now() - answeredAt) / 1_000,
      problem: problem?.message ?? null,
    };
  }

  return async () => {
    const now = performance.now();
    if (node === null) return null;
    if (kept === null || now - kept.at >= KEPT_MS) kept = { report: ask(node), at: now };
    return kept.report;
  };
}
