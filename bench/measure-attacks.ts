/** Measures the effects of malicious clients on others: each kind of attack alone, or attacks composed from seeds. */
import { appendFile } from 'node:fs/promises';
import { alone, type Composition, compose } from './attack-composition.ts';
import {
  type AttackMeasures,
  LIMITS,
  limitsBeside,
  MARKS,
  MAX_BARE_P99_MS,
  type Mark,
  missedMarks,
} from './attack-effect-limits.ts';
import { attackKinds } from './attack-kinds.ts';
import { AttackBed } from './attack-test-bed.ts';
import type { BenchChain } from './measured-chain.ts';
import { bytesText, count, milliseconds, percentile, type Report, sorted } from './report.ts';
import type { Bed } from './test-bed.ts';

const WATCH_MS = 1_000;
/** The longest watch after an attack: longer than the limit, so that a miss is seen. */
const TIMES = { attackMs: 2_500, watchMs: WATCH_MS, longestWatchMs: 2_250 };
const SHARED_TIMES = { ...TIMES, longestWatchMs: 15_000 };
const MAX_WATCH_ALONE_MS = 60_000;
/** The most tries of a seed while the machine is too busy. */
const MAX_TRIES = 3;

/** Measures each attack alone, and before them a server without any; prints a line for each. */
export async function measureAttacks(
  bed: Bed,
  options: { readonly chain: BenchChain; readonly seconds: number; readonly only: string; readonly report: Report },
): Promise<void> {
  const { report, only } = options;
  const attackBed = await AttackBed.open(bed, options.chain);
  const times = { attackMs: options.seconds * 1_000, watchMs: WATCH_MS, longestWatchMs: MAX_WATCH_ALONE_MS };
  const results: object[] = [];
  const measure = async (kind: string, composition: Composition): Promise<void> => {
    const measures = await attackBed.run(composition, times);
    report.say(resultLine(kind, { composition, measures, tries: 1, missed: missedMarks(measures, LIMITS) }));
    results.push({ kind, ...summaryOf(measures) });
  };
  try {
    const { harmful, usual } = attackKinds(attackBed.targets);
    const kinds = [...harmful, ...usual].filter(([kind]) => kind.includes(only));
    for (const [place, [kind, attack]] of kinds.entries()) {
      const composition = alone(kind, attack);
      if (place === 0) await measure('none', { ...composition, attackers: [] });
      await measure(kind, composition);
      await attackBed.stopServer();
    }
  } finally {
    await attackBed.close();
  }
  report.keep('attacks', results);
}

export interface SeedsOptions {
  readonly chain: BenchChain;
  readonly seeds: readonly number[];
  /** Limits are longer, as on a machine that others use as well. */
  readonly isShared: boolean;
  /** A line of JSON for each seed is added to this file. */
  readonly file: string | undefined;
  readonly say: (text: string) => void;
}

interface SeedResult {
  readonly composition: Composition;
  readonly measures: AttackMeasures;
  readonly tries: number;
  readonly missed: readonly Mark[];
}

/** Measures the attacks that seeds compose. False when a mark was missed. */
export async function measureSeeds(bed: Bed, options: SeedsOptions): Promise<boolean> {
  const { say, file } = options;
  const attackBed = await AttackBed.open(bed, options.chain);
  const results: SeedResult[] = [];
  try {
    const kinds = attackKinds(attackBed.targets);
    // Those with the same memory one after the other: the web server stays.
    const compositions = options.seeds
      .map((seed) => compose(seed, kinds))
      .toSorted((a, b) => a.memoryBytes - b.memoryBytes);
    for (const composition of compositions) {
      const result = await measureSeed(attackBed, composition, options);
      results.push(result);
      say(resultLine(`seed ${composition.seed}`, result));
      if (file !== undefined) await appendFile(file, `${JSON.stringify(recordOf(result))}\n`);
    }
  } finally {
    await attackBed.close();
  }
  return reportSeeds(results, options);
}

async function measureSeed(bed: AttackBed, composition: Composition, options: SeedsOptions): Promise<SeedResult> {
  for (let tries = 1; ; tries++) {
    const measures = await bed.run(composition, options.isShared ? SHARED_TIMES : TIMES);
    const bareP99Ms = percentile(measures.bareMs, 0.99);
    if (bareP99Ms > MAX_BARE_P99_MS && tries < MAX_TRIES) continue;
    return { composition, measures, tries, missed: missedMarks(measures, limits(options, bareP99Ms)) };
  }
}

const limits = ({ isShared }: SeedsOptions, bareP99Ms: number) => (isShared ? limitsBeside(bareP99Ms) : LIMITS);

function resultLine(title: string, { composition, measures, tries, missed }: SeedResult): string {
  const { memoryBytes: most, attackers } = composition;
  const { p50Ms, p99Ms, bareP99Ms, longestLargeMs, longestStreamMs, statuses, memoryBytes, openFiles, normalAfterMs } =
    summaryOf(measures);
  const attacks = attackers.map(({ kind, attack }) => `${kind} × ${attack.connections}`).join('; ');
  return [
    `${title}: p50 ${milliseconds(p50Ms)}, p99 ${milliseconds(p99Ms)} ms (bare ${milliseconds(bareP99Ms)})`,
    `large ${milliseconds(longestLargeMs)}, stream ${milliseconds(longestStreamMs)} ms, ${statusesText(statuses)}`,
    `${bytesText(memoryBytes)} of ${bytesText(most)}, ${count(openFiles)} files, normal ${normalText(normalAfterMs)}`,
    `${missed.length === 0 ? 'met' : `SHORT: ${missed.join(', ')}`}${tries > 1 ? `, try ${tries}` : ''}`,
    `[${attacks}]`,
  ].join('; ');
}

function reportSeeds(results: readonly SeedResult[], options: SeedsOptions): boolean {
  const pooled = sorted(results.flatMap(({ measures }) => measures.smallMs));
  const bare = sorted(results.flatMap(({ measures }) => measures.bareMs));
  const pooledP99Ms = percentile(pooled, 0.99);
  const { pooledP99Ms: limit } = limits(options, percentile(bare, 0.99));
  const worst = results.toSorted((a, b) => p99Of(b) - p99Of(a))[0];
  const short = results.filter(({ missed }) => missed.length > 0);
  const byMark = MARKS.map((mark) => [mark, short.filter(({ missed }) => missed.includes(mark)).length] as const);
  const isPooledMet = pooledP99Ms <= limit;
  options.say(
    [
      `${results.length} seeds: pooled p50 ${milliseconds(percentile(pooled, 0.5))}, p99 ${milliseconds(pooledP99Ms)} ms ` +
        `(at most ${milliseconds(limit)}: ${isPooledMet ? 'met' : 'not met'}; bare ${milliseconds(percentile(bare, 0.99))})`,
      worst && `worst seed ${worst.composition.seed} with p99 ${milliseconds(p99Of(worst))} ms`,
      `${short.length} seeds fall short${short.length === 0 ? '' : ` (${byMark.flatMap(([mark, n]) => (n > 0 ? [`${mark} ${n}`] : [])).join(', ')})`}`,
      `${results.filter(({ tries }) => tries > 1).length} repeated because the machine was busy, ` +
        `${results.filter(({ measures }) => percentile(measures.bareMs, 0.99) > MAX_BARE_P99_MS).length} of them in vain`,
    ]
      .filter(Boolean)
      .join('; '),
  );
  return isPooledMet && short.length === 0;
}

const p99Of = ({ measures }: SeedResult) => percentile(measures.smallMs, 0.99);
const normalText = (ms: number | null) => (ms === null ? 'never' : `after ${(ms / 1_000).toFixed(2)} s`);

function statusesText(statuses: Readonly<Record<number, number>>): string {
  return Object.entries(statuses)
    .map(([status, times]) => `${status === '0' ? 'broken' : status} × ${times}`)
    .join(', ');
}

function summaryOf({ smallMs, bareMs, ...rest }: AttackMeasures) {
  return {
    p50Ms: percentile(smallMs, 0.5),
    p99Ms: percentile(smallMs, 0.99),
    bareP99Ms: percentile(bareMs, 0.99),
    ...rest,
  };
}

/** Returns the record of an attack, without its bytes. */
function recordOf({ composition, measures, tries, missed }: SeedResult) {
  const attackers = composition.attackers.map(({ attack: { requests, ...attack }, ...attacker }) => ({
    ...attacker,
    ...attack,
    firstPath: requests[0]?.path,
  }));
  return { seed: composition.seed, ...summaryOf(measures), tries, missed, attackers };
}
