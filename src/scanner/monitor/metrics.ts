/** The scanner's status as numbers for Prometheus. The help texts are their documentation. */
import { type Metric, Registry } from 'prom-client';
import { blocksBehind, MOST_BLOCKS_BEHIND, reasonNotReady } from './readiness.ts';
import { ERROR_KINDS, PHASES, type StatusReport } from './status-report.ts';

/** A status, and when it is looked at, as `monotonicSeconds` has it. */
export interface Observation {
  readonly report: StatusReport;
  readonly now: number;
  /** How long the main thread has not given a sign of life. */
  readonly silentSeconds: number;
}

/** Null: there is nothing to tell yet. With labels: a sample for each of their values. */
type Figure = number | null | { readonly label: string; readonly values: Readonly<Record<string, number>> };

interface Definition {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly figure: (observation: Observation) => Figure;
}

const DEFINITIONS: readonly Definition[] = [
  {
    type: 'gauge',
    name: 'height_blocks',
    help: 'Height of the newest block in the index, as readers see it',
    figure: ({ report }) => report.tip?.height ?? null,
  },
  {
    type: 'gauge',
    name: 'node_height_blocks',
    help: "Height of the node's tip when it was last told",
    figure: ({ report }) => report.nodeHeight,
  },
  {
    type: 'gauge',
    name: 'lag_blocks',
    help: 'Blocks of the node that are not in the index yet',
    figure: ({ report }) => (report.tip === null || report.nodeHeight === null ? null : blocksBehind(report)),
  },
  {
    type: 'gauge',
    name: 'tip_timestamp_seconds',
    help: 'Time of the newest block in the index, since the epoch: time() minus this grows when the scanner, the node or the chain stands still',
    figure: ({ report }) => report.tip?.timestamp ?? null,
  },
  {
    type: 'gauge',
    name: 'node_unanswered_seconds',
    help: 'How long ago the node last told its tip, for which it is asked every ten seconds at least',
    figure: ({ report, now }) => (report.nodeAnsweredAt === null ? null : Math.max(0, now - report.nodeAnsweredAt)),
  },
  {
    type: 'gauge',
    name: 'phase',
    help: '1 for what the scanner is doing, 0 for the rest; "pausing" is the wait after a failure',
    figure: ({ report }) => ({
      label: 'phase',
      values: Object.fromEntries(PHASES.map((phase) => [phase, Number(phase === report.phase)])),
    }),
  },
  {
    type: 'gauge',
    name: 'ready',
    help: `1 when the index follows the node's tip, as /ready says: at most ${MOST_BLOCKS_BEHIND} blocks behind, and what was tried last succeeded`,
    figure: ({ report, now }) => Number(reasonNotReady(report, now) === null),
  },
  {
    type: 'counter',
    name: 'blocks_total',
    help: 'Blocks indexed since the start, counted when they are committed; rate() of this is blocks per second',
    figure: ({ report }) => report.blocks,
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
    help: 'Reorganisations followed since the start',
    figure: ({ report }) => report.reorganisations,
  },
  {
    type: 'counter',
    name: 'reorganised_blocks_total',
    help: 'Blocks that were left in these reorganisations, all together',
    figure: ({ report }) => report.blocksLeft,
  },
  {
    type: 'gauge',
    name: 'deepest_reorganisation_blocks',
    help: 'Blocks that were left in the deepest of these reorganisations; the scanner can undo 1,000',
    figure: ({ report }) => report.mostBlocksLeft,
  },
  {
    type: 'counter',
    name: 'errors_total',
    help: 'What failed and is tried again, by who is to blame: the node and what it gives, the database, a block that contradicts the ledger, or something unforeseen',
    figure: ({ report: { errors } }) => ({
      label: 'kind',
      values: Object.fromEntries(ERROR_KINDS.map((kind) => [kind, errors[kind]])),
    }),
  },
  {
    type: 'gauge',
    name: 'failures_in_a_row',
    help: 'Errors since something last succeeded: what keeps growing will not pass by itself, and /ready says what it is',
    figure: ({ report }) => report.failuresInARow,
  },
  {
    type: 'gauge',
    name: 'main_thread_silent_seconds',
    help: 'How long the main thread has given no sign of life, of which there is one every second: the other figures are so old',
    figure: ({ silentSeconds }) => silentSeconds,
  },
];

const PREFIX = 'chain_indexer_scanner_';

/** The full names of all figures. */
export const METRIC_NAMES: readonly string[] = DEFINITIONS.map(({ name }) => PREFIX + name);

/** Gives the text that Prometheus reads, made of what `observe` gives at that moment. */
export function metricsText(observe: () => Observation): () => Promise<string> {
  const registry = new Registry();
  for (const { type, name, help, figure } of DEFINITIONS) {
    const full = PREFIX + name;
    const get = async () => ({ name: full, help, type, aggregator: 'sum', values: samples(figure(observe())) });
    // The registry asks a metric for no more than this.
    registry.registerMetric({ name: full, get } as unknown as Metric);
  }
  return () => registry.metrics();
}

function samples(figure: Figure) {
  if (figure === null) return [];
  if (typeof figure === 'number') return [{ value: figure, labels: {} }];
  const { label, values } = figure;
  return Object.entries(values).map(([name, value]) => ({ value, labels: { [label]: name } }));
}
