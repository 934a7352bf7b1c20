/** The scanner's status as Prometheus metrics. The help texts are their documentation. */
import { Registry } from 'prom-client';
import { buildLabels } from '../../config/build.ts';
import { addBuildInfo, addCollected } from '../../resources/process-registry.ts';
import { STORAGE_VERSION } from '../../store/schema/database-identity.ts';
import { UNDO_DEPTH } from '../../store/write/undo-log.ts';
import { blocksBehind, MAX_BLOCKS_BEHIND, reasonNotReady } from './readiness.ts';
import { SCANNER_ERROR_KINDS, SCANNER_PHASES, type StatusReport } from './status-report.ts';

/** A status, and the time at which it was observed (`monotonicSeconds`). */
interface ObservedStatus {
  readonly report: StatusReport;
  readonly now: number;
  /** The seconds since the last report of the main thread. */
  readonly silentSeconds: number;
}

/** The value of a metric: null if there is none yet; with a label, a sample for each value of the label. */
type Figure = number | null | { readonly label: string; readonly values: Readonly<Record<string, number>> };

interface Definition {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly figure: (observation: ObservedStatus) => Figure;
}

const DEFINITIONS: readonly Definition[] = [
  {
    type: 'gauge',
    name: 'height_blocks',
    help: 'Height of the newest block in the index, as the API shows it',
    figure: ({ report }) => report.tip?.height ?? null,
  },
  {
    type: 'gauge',
    name: 'node_height_blocks',
    help: "Height of the node's tip when the node last reported it",
    figure: ({ report }) => report.nodeHeight,
  },
  {
    type: 'gauge',
    name: 'lag_blocks',
    help: 'Blocks of the node that are not indexed yet; absent while the node is away',
    figure: ({ report, now }) => blocksBehind(report, now),
  },
  {
    type: 'gauge',
    name: 'tip_timestamp_seconds',
    help: 'Unix time of the newest block in the index; time() minus this grows if the scanner, the node or the chain stands still',
    figure: ({ report }) => report.tip?.timestamp ?? null,
  },
  {
    type: 'gauge',
    name: 'node_response_age_seconds',
    help: 'Seconds since the node last reported its tip; it is polled at least every ten seconds',
    figure: ({ report, now }) => (report.nodeAnsweredAt === null ? null : Math.max(0, now - report.nodeAnsweredAt)),
  },
  {
    type: 'gauge',
    name: 'node_in_use',
    help: '1 for the node that the scanner follows, 0 for the others of --node-rpc-address',
    figure: ({ report }) => ({ label: 'node', values: report.nodes }),
  },
  {
    type: 'gauge',
    name: 'phase',
    help: '1 for the current phase, 0 for the others; "pausing" is the wait after a failure',
    figure: ({ report }) => ({
      label: 'phase',
      values: Object.fromEntries(SCANNER_PHASES.map((phase) => [phase, Number(phase === report.phase)])),
    }),
  },
  {
    type: 'gauge',
    name: 'ready',
    help: `1 if the index follows the node's tip, as in /ready: at most ${MAX_BLOCKS_BEHIND} blocks behind, and the last attempt succeeded`,
    figure: ({ report, now }) => Number(reasonNotReady(report, now) === null),
  },
  {
    type: 'counter',
    name: 'blocks_total',
    help: 'Blocks indexed since the start, counted when committed; rate() of this is blocks per second',
    figure: ({ report }) => report.blocks,
  },
  {
    type: 'counter',
    name: 'commits_total',
    help: 'Commits of these blocks; many blocks in one far from the tip',
    figure: ({ report }) => report.commits,
  },
  {
    type: 'counter',
    name: 'transactions_total',
    help: 'Transactions in these blocks',
    figure: ({ report }) => report.transactions,
  },
  {
    type: 'counter',
    name: 'reorganisations_total',
    help: 'Reorganisations applied since the start',
    figure: ({ report }) => report.reorganisations,
  },
  {
    type: 'counter',
    name: 'reorganised_blocks_total',
    help: 'Blocks removed by these reorganisations',
    figure: ({ report }) => report.blocksRemoved,
  },
  {
    type: 'gauge',
    name: 'deepest_reorganisation_blocks',
    help: `Blocks removed by the deepest of these reorganisations; the scanner can undo ${UNDO_DEPTH.toLocaleString('en-US')}`,
    figure: ({ report }) => report.deepestReorganisation,
  },
  {
    type: 'counter',
    name: 'errors_total',
    help: 'Failures, which are retried, by cause: the node and its responses, the database, a block that contradicts the ledger, or anything else',
    figure: ({ report: { errors } }) => ({
      label: 'kind',
      values: Object.fromEntries(SCANNER_ERROR_KINDS.map((kind) => [kind, errors[kind]])),
    }),
  },
  {
    type: 'gauge',
    name: 'consecutive_failures',
    help: 'Failures since the last success; if it keeps growing the cause does not pass by itself, and /ready names it',
    figure: ({ report }) => report.failuresInARow,
  },
  {
    type: 'gauge',
    name: 'main_thread_heartbeat_age_seconds',
    help: 'Seconds since the last heartbeat of the main thread, which sends one every second; the other metrics are that old',
    figure: ({ silentSeconds }) => silentSeconds,
  },
];

const PREFIX = 'chain_indexer_scanner_';

/** The full names of all metrics. */
export const SCANNER_METRIC_NAMES: readonly string[] = ['build_info', ...DEFINITIONS.map(({ name }) => name)].map(
  (name) => PREFIX + name,
);

/** Returns a function that writes the metrics for Prometheus, from what `observe` returns at that moment. */
export function scannerMetricsText(observe: () => ObservedStatus): () => Promise<string> {
  const registry = new Registry();
  addBuildInfo(registry, `${PREFIX}build_info`, buildLabels(STORAGE_VERSION));
  for (const { type, name, help, figure } of DEFINITIONS) {
    addCollected(registry, { type, name: PREFIX + name, help, values: () => samples(figure(observe())) });
  }
  return () => registry.metrics();
}

function samples(figure: Figure) {
  if (figure === null) return [];
  if (typeof figure === 'number') return [{ value: figure, labels: {} }];
  const { label, values } = figure;
  return Object.entries(values).map(([name, value]) => ({ value, labels: { [label]: name } }));
}
