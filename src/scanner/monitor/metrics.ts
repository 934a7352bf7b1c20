/** The scanner's status as Prometheus metrics. The help texts are their documentation. */
import { Registry } from 'prom-client';
import { buildLabels } from '../../config/this-build.ts';
import {
  addBuildInfo,
  addCollectedMetric,
  type Figure,
  samplesByLabelValue,
} from '../../monitoring/process-registry.ts';
import { STORAGE_VERSION } from '../../store/schema/database-identity.ts';
import { UNDO_DEPTH } from '../../store/write/undo-log.ts';
import { blocksBehind, MAX_BLOCKS_BEHIND, reasonNotReady } from './readiness.ts';
import { SCANNER_PHASES, type StatusReport } from './status-report.ts';

/** A status, and the time at which it was observed (`monotonicSeconds`). */
interface ObservedStatus {
  readonly report: StatusReport;
  readonly now: number;
  /** The seconds since the last report of the main thread. */
  readonly silentSeconds: number;
}

const HELP = {
  height_blocks: 'Height of the newest block in the index, as the API shows it',
  node_height_blocks: "Height of the node's tip when the node last reported it",
  lag_blocks: 'Blocks of the node that are not indexed yet; absent while the node is away',
  tip_timestamp_seconds:
    'Unix time of the newest block in the index; time() minus this grows if the scanner, the node or the chain stands still',
  node_response_age_seconds: 'Seconds since the node last reported its tip; it is polled at least every ten seconds',
  node_in_use: '1 for the node that the scanner follows, 0 for the others of --node-rpc-address',
  phase: '1 for the current phase, 0 for the others; "pausing" is the wait after a failure',
  ready: `1 if the index follows the node's tip, as in /ready: at most ${MAX_BLOCKS_BEHIND} blocks behind, and the last attempt succeeded`,
  blocks_total: 'Blocks indexed since the start, counted when committed; rate() of this is blocks per second',
  commits_total: 'Commits of these blocks; many blocks in one far from the tip',
  transactions_total: 'Transactions in these blocks',
  reorganisations_total: 'Reorganisations applied since the start',
  reorganised_blocks_total: 'Blocks removed by these reorganisations',
  deepest_reorganisation_blocks: `Blocks removed by the deepest of these reorganisations; the scanner can undo ${UNDO_DEPTH.toLocaleString('en-US')}`,
  errors_total:
    'Failures, which are retried, by cause: the node and its responses, the database, a block that contradicts the ledger, or anything else',
  consecutive_failures:
    'Failures since the last success; if it keeps growing the cause does not pass by itself, and /ready names it',
  main_thread_heartbeat_age_seconds:
    'Seconds since the last heartbeat of the main thread, which sends one every second; the other metrics are that old',
};

const FIGURES: Readonly<Record<keyof typeof HELP, (observation: ObservedStatus) => Figure>> = {
  height_blocks: ({ report }) => report.tip?.height ?? null,
  node_height_blocks: ({ report }) => report.nodeHeight,
  lag_blocks: ({ report, now }) => blocksBehind(report, now),
  tip_timestamp_seconds: ({ report }) => report.tip?.timestamp ?? null,
  node_response_age_seconds: ({ report, now }) =>
    report.nodeAnsweredAt === null ? null : Math.max(0, now - report.nodeAnsweredAt),
  node_in_use: ({ report }) => samplesByLabelValue('node', report.nodes),
  phase: ({ report }) =>
    samplesByLabelValue(
      'phase',
      Object.fromEntries(SCANNER_PHASES.map((phase) => [phase, Number(phase === report.phase)])),
    ),
  ready: ({ report, now }) => Number(reasonNotReady(report, now) === null),
  blocks_total: ({ report }) => report.blocks,
  commits_total: ({ report }) => report.commits,
  transactions_total: ({ report }) => report.transactions,
  reorganisations_total: ({ report }) => report.reorganisations,
  reorganised_blocks_total: ({ report }) => report.blocksRemoved,
  deepest_reorganisation_blocks: ({ report }) => report.deepestReorganisation,
  errors_total: ({ report }) => samplesByLabelValue('kind', report.errors),
  consecutive_failures: ({ report }) => report.failuresInARow,
  main_thread_heartbeat_age_seconds: ({ silentSeconds }) => silentSeconds,
};

const PREFIX = 'chain_indexer_scanner_';

/** The full names of all metrics. */
export const SCANNER_METRIC_NAMES: readonly string[] = ['build_info', ...Object.keys(HELP)].map(
  (name) => PREFIX + name,
);

/** Returns a function that writes the metrics for Prometheus, from what `observe` returns at that moment. */
export function scannerMetricsWriter(observe: () => ObservedStatus): () => Promise<string> {
  const registry = new Registry();
  addBuildInfo(registry, `${PREFIX}build_info`, buildLabels(STORAGE_VERSION));
  for (const [name, figure] of Object.entries(FIGURES)) {
    addCollectedMetric(registry, PREFIX + name, HELP[name as keyof typeof HELP], () => figure(observe()));
  }
  return () => registry.metrics();
}
