/** What clients that mean harm can do to others: each attack on a web server of its own, while two clients behave. */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defaultMemory } from '../src/config/memory.ts';
import { freePort } from '../src/embedded/free-port.ts';
import type { PostgresOptions } from '../src/store/postgres/connect.ts';
import type { Attack } from './attack-process.ts';
import type { Bed } from './bed.ts';
import type { BenchChain } from './chain.ts';
import { nextMessage } from './next-message.ts';
import { Probe, type ProbeResult } from './probe.ts';
import { bytesText, count, milliseconds, type Report } from './report.ts';
import { readSampleIds, type SampleIds } from './sample-ids.ts';
import { holdingsOf } from './usage.ts';

const API = '/api/v2';
/** What issue 16 asks for. */
const MARKS = { p99Ms: 50, openFiles: 2_000, recoverySeconds: 10 } as const;
const LOOK_MS = 100;
/** Before the attack: how the server is when nobody does it harm. */
const QUIET_SECONDS = 3;
/** As many open files more than before count as the same. */
const SAME_FILES = 20;

export interface AttackResult {
  readonly name: string;
  readonly before: Probes;
  readonly during: Probes;
  readonly after: Probes;
  readonly peakResidentBytes: number;
  readonly peakOpenFiles: number;
  /** Until the clients are served as before and nothing of the attack is held; null when it was not seen in a minute. */
  readonly recoverySeconds: number | null;
  /** What the server wrote to its log meanwhile. */
  readonly logBytes: number;
  /** Which marks were missed. */
  readonly missed: readonly string[];
}

interface Probes {
  readonly tip: ProbeResult;
  readonly transaction: ProbeResult;
}

type Plan = Omit<Attack, 'port'>;

/** The attacks of the review, by what they do, and some more of their kind. */
function plans(samples: SampleIds): Readonly<Record<string, Plan>> {
  const many = { reads: 'never', pipeline: 1_400 } as const;
  const transactions = samples.txs.slice(0, 2_000).map((id) => `${API}/transaction/${id}`);
  const pages = Array.from({ length: 200 }, (_, i) => `${API}/transaction?items=100&offset=${i}`);
  return {
    'files of /docs, not read': { ...many, connections: 18, paths: ['/docs/static/swagger-ui-bundle.js'] },
    'small answers, not read': { ...many, connections: 150, paths: [`${API}/transaction?items=8`] },
    'large answers, not read': { ...many, connections: 300, pipeline: 20, paths: pages },
    'large answers, not read, 1,000 connections': {
      ...many,
      connections: 1_000,
      pipeline: 30,
      paths: pages.slice(0, 1),
    },
    '20,000 requests at once': { reads: 'all', connections: 1, pipeline: 20_000, paths: transactions },
    '20,000 requests at once, not read': { reads: 'never', connections: 1, pipeline: 20_000, paths: transactions },
    'unfinished bodies of 2 MB': { reads: 'never', connections: 200, pipeline: 1, paths: [''], bodyBytes: 2_097_152 },
    'whole lists': {
      reads: 'all',
      connections: 8,
      pipeline: 1,
      paths: ['all-utxos', 'spendable-utxos'].map(
        (list) => `${API}/address/${samples.busiestAddress}/${list}?junk={n}`,
      ),
    },
    'pages of the explorer': {
      reads: 'all',
      connections: 300,
      pipeline: 4,
      paths: samples.addresses.map((address) => `/address/${address}?junk={n}`),
      accept: 'text/html',
    },
    'parameters that nobody knows': {
      reads: 'all',
      connections: 4,
      pipeline: 1,
      paths: [`${API}/transaction?items=100&junk={n}`],
    },
    'fee rates while the node is away': {
      reads: 'all',
      connections: 4,
      pipeline: 4,
      paths: [`${API}/feerate?in_top_x_mb={n}`],
    },
    'metrics, all the time': { reads: 'all', connections: 20, pipeline: 1, paths: ['/metrics'] },
    'requests that come a byte a second': {
      reads: 'slowly sends',
      connections: 1_000,
      pipeline: 1,
      paths: [`${API}/chain/tip`],
    },
  };
}

export interface AttackOptions {
  readonly chain: Pick<BenchChain, 'network' | 'networkArgument'>;
  readonly postgres: PostgresOptions;
  /** How long each attack takes. */
  readonly seconds: number;
  /** Only attacks whose name contains this. */
  readonly only: string;
  readonly onResult: (result: AttackResult) => void;
}

/** Runs the attacks, one after the other. */
export async function measureAttacks(bed: Bed, options: AttackOptions): Promise<AttackResult[]> {
  const client = await bed.connect(options.postgres);
  const samples = await readSampleIds(client, options.chain.network);
  await bed.disconnect(client);
  const results: AttackResult[] = [];
  for (const [name, plan] of Object.entries(plans(samples))) {
    if (!name.includes(options.only)) continue;
    const result = await measureAttack(bed, options, name, plan, samples);
    results.push(result);
    options.onResult(result);
  }
  return results;
}

async function measureAttack(
  bed: Bed,
  { chain, postgres, seconds }: AttackOptions,
  name: string,
  plan: Plan,
  samples: SampleIds,
): Promise<AttackResult> {
  // No node is there: what is asked of it fails.
  const node = `127.0.0.1:${await freePort()}`;
  const settings = { 'enable-post-routes': 'true', 'max-memory': String(defaultMemory()) };
  const { program, port } = await bed.startWebServer({ network: chain.networkArgument, node, postgres, settings });
  const attacker = fork(fileURLToPath(new URL('./attack-process.ts', import.meta.url)));
  let next = 0;
  const tip = new Probe(port, () => `${API}/chain/tip`);
  const transaction = new Probe(port, () => `${API}/transaction/${samples.txs[next++ % samples.txs.length]!}`);
  const take = (): Probes => ({ tip: tip.take(), transaction: transaction.take() });
  const peaks = { residentBytes: 0, openFiles: 0 };
  const looking = setInterval(() => {
    const holdings = holdingsOf(program.pid);
    peaks.residentBytes = Math.max(peaks.residentBytes, holdings?.residentBytes ?? 0);
    peaks.openFiles = Math.max(peaks.openFiles, holdings?.openFiles ?? 0);
  }, LOOK_MS);
  try {
    // What was just started is slower.
    await sleep(1_000);
    take();
    await sleep(QUIET_SECONDS * 1_000);
    const before = take();
    const filesBefore = holdingsOf(program.pid)?.openFiles ?? 0;
    const logBefore = program.outputBytes;
    await tell(attacker, { ...plan, port });
    await sleep(seconds * 1_000);
    const during = take();
    await tell(attacker, 'end');
    const recoverySeconds = await recovery(program.pid, filesBefore, take);
    await sleep(1_000);
    const after = take();
    const result = {
      name,
      before,
      during,
      after,
      peakResidentBytes: peaks.residentBytes,
      peakOpenFiles: peaks.openFiles,
      recoverySeconds,
      logBytes: program.outputBytes - logBefore,
    };
    return { ...result, missed: missedBy(result) };
  } finally {
    clearInterval(looking);
    attacker.kill();
    await Promise.all([tip.stop(), transaction.stop()]);
    await bed.stop(program);
  }
}

async function tell(attacker: ChildProcess, message: Attack | 'end'): Promise<void> {
  const told = nextMessage(attacker, 'the attacker');
  attacker.send(message);
  await told;
}

/** Seconds until half a second has passed in which all were served in time and the open files were as before. */
async function recovery(pid: number, filesBefore: number, take: () => Probes): Promise<number | null> {
  const since = performance.now();
  take();
  for (;;) {
    await sleep(500);
    const { tip, transaction } = take();
    const isServed = [tip, transaction].every(
      ({ answers, failures, p99Ms }) => answers > 0 && failures === 0 && p99Ms < MARKS.p99Ms,
    );
    const files = holdingsOf(pid)?.openFiles ?? Number.POSITIVE_INFINITY;
    const seconds = (performance.now() - since) / 1_000;
    if (isServed && files <= filesBefore + SAME_FILES) return seconds;
    if (seconds > 60) return null;
  }
}

function missedBy(result: Omit<AttackResult, 'missed'>): string[] {
  const { during, recoverySeconds } = result;
  const marks: readonly (readonly [isMissed: boolean, what: string])[] = [
    [!(during.tip.p99Ms < MARKS.p99Ms), 'tip p99'],
    [!(during.transaction.p99Ms < MARKS.p99Ms), 'transaction p99'],
    [during.tip.failures + during.transaction.failures > 0, 'answers'],
    [result.peakResidentBytes > defaultMemory(), 'memory'],
    [result.peakOpenFiles >= MARKS.openFiles, 'open files'],
    [recoverySeconds === null || recoverySeconds > MARKS.recoverySeconds, 'recovery'],
  ];
  return marks.filter(([isMissed]) => isMissed).map(([, what]) => what);
}

/** Prints a row for each attack. */
export function reportAttacks(report: Report, results: readonly AttackResult[]): void {
  const p99 = ({ p99Ms }: ProbeResult) => milliseconds(p99Ms);
  const rows = results.map((result) => [
    result.name,
    `${p99(result.before.tip)} / ${p99(result.before.transaction)}`,
    `${p99(result.during.tip)} / ${p99(result.during.transaction)}`,
    count(result.during.tip.failures + result.during.transaction.failures),
    bytesText(result.peakResidentBytes),
    count(result.peakOpenFiles),
    result.recoverySeconds === null ? 'never' : `${result.recoverySeconds.toFixed(1)} s`,
    bytesText(result.logBytes),
    result.missed.length === 0 ? 'yes' : `no: ${result.missed.join(', ')}`,
  ]);
  const { p99Ms, openFiles, recoverySeconds } = MARKS;
  const head = ['attack', 'p99 before', 'p99 during', 'failures', 'memory', 'files', 'normal after', 'log', 'marks'];
  report.table(
    `attacks: p99 in ms of /chain/tip and /transaction/{id} for others, below ${p99Ms}; most memory, below ${bytesText(defaultMemory())}; ` +
      `open files, below ${openFiles}; all as before within ${recoverySeconds} s`,
    head,
    rows,
  );
}
