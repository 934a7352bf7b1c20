/** A great many hostile requests, and a great many idle connections: none may end the server, hang, or get a wrong 5xx. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { defaultMemory } from '../src/config/memory.ts';
import { freePort } from '../src/embedded/free-port.ts';
import type { PostgresOptions } from '../src/store/postgres/connect.ts';
import type { Bed } from './bed.ts';
import type { BenchChain } from './chain.ts';
import { nextMessage } from './next-message.ts';
import { Probe, type ProbeResult } from './probe.ts';
import { bytesText, count, milliseconds, type Report } from './report.ts';
import type { FuzzingOutcome, FuzzingTask, IdleOutcome } from './request-fuzzing-process.ts';
import { readSampleIds } from './sample-ids.ts';
import { holdingsOf } from './usage.ts';

/** Connections that one process of ours holds at most: it has a limit of open files as well. */
const IDLE_PER_PROCESS = 15_000;
const IDLE_SECONDS = 5;
/** So much memory has to be given for each: 16 kB, which are 5 of 16 parts, and something for the program. */
const LEAST_BYTES_PER_IDLE = 60_000;

export interface FuzzingResult {
  readonly seed: number;
  readonly hostile: FuzzingOutcome;
  readonly idle: IdleOutcome & { readonly asked: number; readonly residentBytes: number };
  /** Another client meanwhile, in both. */
  readonly others: { readonly hostile: ProbeResult; readonly idle: ProbeResult };
  readonly residentBytes: number;
}

export interface FuzzingOptions {
  readonly chain: Pick<BenchChain, 'network' | 'networkArgument'>;
  readonly postgres: PostgresOptions;
  readonly requests: number;
  readonly idle: number;
  readonly seed: number;
  readonly say: (text: string) => void;
}

/** Rejects when the server ends. */
export async function measureFuzzing(bed: Bed, options: FuzzingOptions): Promise<FuzzingResult> {
  const { chain, postgres, requests, seed, say } = options;
  const client = await bed.connect(postgres);
  const samples = await readSampleIds(client, chain.network);
  await bed.disconnect(client);
  const { blocks, txs, addresses, pools, delegations, tokens, nfts, orders, pairs, tickers } = samples;
  const known = [blocks, txs, addresses, pools, delegations, tokens, nfts, orders, pairs, tickers].flatMap((ids) =>
    ids.slice(0, 20),
  );
  const node = `127.0.0.1:${await freePort()}`;
  const maxMemory = Math.max(defaultMemory(), LEAST_BYTES_PER_IDLE * options.idle);
  const settings = { 'enable-post-routes': 'true', 'log-level': 'fatal', 'max-memory': String(maxMemory) };
  const { program, port } = await bed.startWebServer({ network: chain.networkArgument, node, postgres, settings });
  const probe = new Probe(port, () => '/api/v2/chain/tip');
  try {
    say(`${count(requests)} hostile requests, seed ${seed} ...`);
    const hostile = await program.orEnd(
      run<FuzzingOutcome>([{ kind: 'requests', port, count: requests, seed, known }]),
    );
    const hostileOthers = probe.take();
    const residentBytes = holdingsOf(program.pid)?.residentBytes ?? 0;
    say(`${count(options.idle)} idle connections ...`);
    const tasks: FuzzingTask[] = [];
    for (let rest = options.idle; rest > 0; rest -= IDLE_PER_PROCESS) {
      tasks.push({
        kind: 'idle',
        port,
        count: Math.min(rest, IDLE_PER_PROCESS),
        seconds: IDLE_SECONDS + tasks.length * 10,
      });
    }
    let idleBytes = 0;
    const looking = setInterval(() => {
      idleBytes = Math.max(idleBytes, holdingsOf(program.pid)?.residentBytes ?? 0);
    }, 200);
    const idle = await program.orEnd(run<IdleOutcome>(tasks.reverse()));
    clearInterval(looking);
    const [first] = hostile;
    return {
      seed,
      hostile: first!,
      idle: {
        asked: options.idle,
        opened: idle.reduce((sum, { opened }) => sum + opened, 0),
        held: idle.reduce((sum, { held }) => sum + held, 0),
        residentBytes: idleBytes,
      },
      others: { hostile: hostileOthers, idle: probe.take() },
      residentBytes,
    };
  } finally {
    await probe.stop();
    await bed.stop(program);
  }
}

/** Each task in a process of its own, all at the same time. */
function run<Outcome>(tasks: readonly FuzzingTask[]): Promise<Outcome[]> {
  return Promise.all(
    tasks.map(async (task) => {
      const child = fork(fileURLToPath(new URL('./request-fuzzing-process.ts', import.meta.url)));
      try {
        child.send(task);
        const outcome = (await nextMessage(child, 'a hostile client')) as Outcome | { readonly failure: string };
        if (typeof outcome === 'object' && outcome !== null && 'failure' in outcome) throw new Error(outcome.failure);
        return outcome as Outcome;
      } finally {
        child.kill();
      }
    }),
  );
}

/** Prints what came back; the first faults whole, so that they can be tried again. */
export function reportFuzzing(report: Report, { seed, hostile, idle, others, residentBytes }: FuzzingResult): void {
  const statuses = Object.entries(hostile.statuses).map(([status, times]) => `${status}: ${count(times)}`);
  report.table(
    `hostile requests, seed ${seed}`,
    ['what', 'figure'],
    [
      ['requests', count(hostile.requests)],
      ['connections', count(hostile.connections)],
      ['answers by status', statuses.join(', ')],
      ['faults (another 5xx than a documented 503, silence, no answer)', count(hostile.faultCount)],
      [
        "others' p99 and failures meanwhile",
        `${milliseconds(others.hostile.p99Ms)} ms, ${count(others.hostile.failures)}`,
      ],
      ['memory afterwards', bytesText(residentBytes)],
      [`idle connections of ${count(idle.asked)}: opened, and held`, `${count(idle.opened)}, ${count(idle.held)}`],
      ["others' p99 and failures meanwhile", `${milliseconds(others.idle.p99Ms)} ms, ${count(others.idle.failures)}`],
      ['memory meanwhile', bytesText(idle.residentBytes)],
    ],
  );
  for (const fault of hostile.faults) report.say(`fault: ${fault}`);
}
