/** Compares the times of the queries for lists and look-ups on a large and on a small database. */
import type pg from 'pg';
import { READING_SETTINGS } from '../src/store/read/read-connection.ts';
import type { LargeDatabase } from './large-database.ts';
import { listedQueries } from './list-and-lookup-queries.ts';
import type { ListedQuery } from './listed-query.ts';
import { blocksOf, depthOf, executeSql, run } from './query-plans.ts';
import { type Column, count, type Report } from './report.ts';
import type { Bed } from './test-bed.ts';

/** The most that the larger database may cost. */
const SIZE_FACTOR = 1.5;
/** The runs of each query. The fastest one counts, because other work on the machine slows down the others. */
const RUNS = 30;
/** The runs of a query that misses the mark. */
const MAX_RUNS = 300;

export interface SizeFactor extends Pick<ListedQuery, 'place'> {
  readonly name: string;
  readonly small: Cost;
  readonly large: Cost;
  /** The ratio of the times. */
  readonly factor: number;
}

/** The cost in PostgreSQL for a caller. */
interface Cost {
  readonly microseconds: number;
  readonly blocks: number;
}

const isMet = ({ factor }: SizeFactor) => factor <= SIZE_FACTOR;

/**
 * Runs each query on both databases in turn, deep pages in the middle of their lists. Offset anchors are left out: all of a
 * list's are read once for a tip.
 */
export async function measureSizeFactors(
  bed: Bed,
  small: LargeDatabase,
  large: LargeDatabase,
  { runs = RUNS, maxRuns = MAX_RUNS } = {},
): Promise<SizeFactor[]> {
  const [a, b] = [await open(bed, small), await open(bed, large)];
  const factors: SizeFactor[] = [];
  for (const [n, listed] of a.queries.entries()) {
    if (listed.place === 'offset anchors') continue;
    const statements = [await prepare(a.client, n, listed), await prepare(b.client, n, b.queries[n]!)] as const;
    let best = [await costOf(a.client, statements[0]), await costOf(b.client, statements[1])] as const;
    for (let i = 1; i < runs || (i < maxRuns && factorOf(...best) > SIZE_FACTOR); i++) {
      const [onSmall, onLarge] = best;
      best = [
        faster(onSmall, await costOf(a.client, statements[0])),
        faster(onLarge, await costOf(b.client, statements[1])),
      ];
    }
    const [onSmall, onLarge] = best;
    const factor = factorOf(onSmall, onLarge);
    factors.push({ name: listed.query.name, place: listed.place, small: onSmall, large: onLarge, factor });
  }
  await bed.disconnect(a.client);
  await bed.disconnect(b.client);
  return factors;
}

async function open(bed: Bed, database: LargeDatabase) {
  const client = await bed.connect(database.postgres);
  const queries = await listedQueries(client, database.transactions, depthOf(database));
  await client.query(READING_SETTINGS);
  return { client, queries };
}

async function prepare(client: pg.Client, n: number, listed: ListedQuery): Promise<string> {
  await client.query(`prepare q${n} as ${listed.query.sql}`);
  return executeSql(`q${n}`, listed);
}

async function costOf(client: pg.Client, statement: string): Promise<Cost> {
  const { plan, milliseconds } = await run(client, statement);
  return { microseconds: milliseconds * 1000, blocks: blocksOf(plan) };
}

const faster = (one: Cost, other: Cost) => (one.microseconds < other.microseconds ? one : other);
const factorOf = (small: Cost, large: Cost) => large.microseconds / small.microseconds;

/** Prints the table; false when a query takes too much longer. */
export function reportSizeFactors(
  report: Report,
  [small, large]: readonly [LargeDatabase, LargeDatabase],
  factors: readonly SizeFactor[],
): boolean {
  const sizes = [small, large].map(({ transactions }) => count(transactions));
  const both = (unit: string, cell: (cost: Cost) => string): Column<SizeFactor>[] => [
    [`${unit} at ${sizes[0]}`, (each) => cell(each.small)],
    [`${unit} at ${sizes[1]}`, (each) => cell(each.large)],
  ];
  report.rows(
    `Size: PostgreSQL's time with ${sizes.join(' and ')} transactions, at most ${SIZE_FACTOR} times as long`,
    factors,
    [
      ['query', ({ name }) => name],
      ['page', ({ place }) => place],
      ...both('µs', ({ microseconds }) => microseconds.toFixed(1)),
      ['factor', ({ factor }) => factor.toFixed(2)],
      ...both('blocks', ({ blocks }) => blocks.toFixed(1)),
      ['met', (each) => (isMet(each) ? 'yes' : 'NO')],
    ],
  );
  return factors.every(isMet);
}
