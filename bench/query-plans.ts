/** The plans of the queries behind lists, on a large database, and what is wrong with them. */
import pg from 'pg';
import { argumentTexts } from '../src/store/postgres/column-values.ts';
import { ANCHOR_STEP } from '../src/store/queries/lists/keyset.ts';
import { READING_SETTINGS } from '../src/store/read/read-connection.ts';
import type { LargeDatabase } from './large-database.ts';
import { listedQueries } from './list-and-lookup-queries.ts';
import { type ListedQuery, MAX_SKIP, PAGE_ROWS } from './listed-query.ts';
import { count, milliseconds, type Report } from './report.ts';
import type { Bed } from './test-bed.ts';

/** Page 10,000 of a list with ten entries a page; less deep where the lists are shorter. */
const DEEPEST = 100_000;
export const depthOf = ({ listLength }: LargeDatabase) => Math.min(DEEPEST, Math.floor(listLength / 2));
/**
 * Ranked by what each block changes, so sorted for each page, and twice for an offset: markets with a trade within a day, pools
 * younger than a month. And what happened to a pool in a day, in its order, and all that an owner has, by currency.
 */
const RANKED_ANEW = /^markets_by_|pools_by_ap(y|r_expected)$|^pool_events_of_day$|^owned$/;
const MAX_RANKED_ANEW = 1_000;
/** A sort of one page, from two walks along an index. */
const MAX_SORTED_ROWS = 2 * PAGE_ROWS;
/** A table with no more rows may be read as a whole. */
const SMALL_TABLE_ROWS = 100;
/** The factor by which a deep page may read more than the first. */
const DEPTH_FACTOR = 1.5;
/** Differences of a few blocks are those of an index's height, and of the entries between an anchor and the page in it. */
const DEPTH_BLOCKS = 9;

export interface ExplainedQuery {
  readonly name: string;
  readonly place: ListedQuery['place'];
  readonly milliseconds: number;
  /** Blocks of 8 kB that were looked at, in memory or not. */
  readonly blocks: number;
  /** Rows that the scans gave or passed over. */
  readonly rows: number;
  /** The blocks of a deep page per block of the first page. */
  readonly depthFactor: number | null;
  readonly faults: readonly string[];
  /** The plan as PostgreSQL prints it. */
  readonly plan: string;
}

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Explains every query, each with the settings and the generic plan that the web server uses. */
export async function explainQueries(bed: Bed, large: LargeDatabase): Promise<ExplainedQuery[]> {
  const client = await bed.connect(large.postgres);
  const queries = await listedQueries(client, large.transactions, depthOf(large));
  await client.query(READING_SETTINGS);
  const explained: ExplainedQuery[] = [];
  for (const [n, listed] of queries.entries()) {
    const name = `q${n}`;
    await client.query(`prepare ${name} as ${listed.query.sql}`);
    const execute = executeSql(name, listed);
    // The first time the blocks may still come from the disk.
    await client.query(execute);
    const { plan, milliseconds: time } = await run(client, execute);
    const blocks = blocksOf(plan);
    const isDeep = listed.place === 'deep, by cursor' || listed.place === 'deep, by offset';
    const first = isDeep
      ? explained.findLast((other) => other.name === listed.query.name && other.place === 'first page')
      : undefined;
    const text = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${execute}`);
    explained.push({
      name: listed.query.name,
      place: listed.place,
      milliseconds: time,
      blocks,
      rows: rowsRead(plan),
      depthFactor: first ? blocks / first.blocks : null,
      faults: faultsAt(listed, plan, first),
      plan: text.rows.map((row) => row['QUERY PLAN']).join('\n'),
    });
  }
  await bed.disconnect(client);
  return explained;
}

/** Runs a statement once: its plan with what it read, and the time without planning. */
export async function run(
  client: pg.Client,
  statement: string,
): Promise<{ readonly plan: PlanNode; readonly milliseconds: number }> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode; 'Execution Time': number }] }>(
    `explain (analyze, buffers, timing off, format json) ${statement}`,
  );
  const [{ Plan: plan, 'Execution Time': milliseconds }] = rows[0]!['QUERY PLAN'];
  return { plan, milliseconds };
}

/** Runs a query that was prepared under a name. */
export function executeSql(name: string, { query, parameters }: Pick<ListedQuery, 'query' | 'parameters'>): string {
  const values = argumentTexts(query, parameters).map((text) => (text === null ? 'null' : pg.escapeLiteral(text)));
  return values.length === 0 ? `execute ${name}` : `execute ${name} (${values.join(', ')})`;
}

const childrenOf = (node: PlanNode) => node.Plans ?? [];
export const blocksOf = (node: PlanNode) => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);
const rowsOf = (node: PlanNode) =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops'];

/** Returns the rows that all scans of tables and indexes returned, or read and discarded. */
function rowsRead(node: PlanNode): number {
  const own = node['Relation Name'] === undefined ? 0 : rowsOf(node);
  return childrenOf(node).reduce((sum, child) => sum + rowsRead(child), own);
}

function faultsAt(
  { query, place, fetchesSkipped }: ListedQuery,
  plan: PlanNode,
  first: ExplainedQuery | undefined,
): string[] {
  const isRankedAnew = RANKED_ANEW.test(query.name);
  const maxSortedRows = isRankedAnew ? MAX_RANKED_ANEW : MAX_SORTED_ROWS;
  switch (place) {
    case 'one thing':
    case 'first page':
      return faultsOf(plan, maxSortedRows);
    case 'deep, by cursor':
    case 'deep, by offset':
      return [
        ...faultsOf(plan, maxSortedRows),
        ...depthFaults(plan, first, fetchesSkipped ? MAX_SKIP : isRankedAnew ? blocksOf(plan) / 2 : 0),
      ];
    case 'offset anchors':
      // Made once for a tip: a walk along the list's index, and every hundredth entry put in order.
      return faultsOf(plan, isRankedAnew ? rowsRead(plan) : rowsRead(plan) / ANCHOR_STEP);
    default:
      return place satisfies never;
  }
}

function faultsOf(node: PlanNode, maxSortedRows: number): string[] {
  const faults: string[] = [];
  if (node['Node Type'] === 'Seq Scan' && rowsOf(node) > SMALL_TABLE_ROWS) {
    faults.push(`reads all of ${node['Relation Name']}`);
  }
  if (/Sort/.test(node['Node Type'])) {
    const sorted = Math.max(...childrenOf(node).map((child) => child['Actual Rows']));
    if (sorted > maxSortedRows) faults.push(`sorts ${count(sorted)} rows`);
  }
  return [...faults, ...childrenOf(node).flatMap((child) => faultsOf(child, maxSortedRows))];
}

function depthFaults(plan: PlanNode, first: ExplainedQuery | undefined, skipped: number): string[] {
  if (!first) return [];
  const blocks = blocksOf(plan);
  return blocks > first.blocks * DEPTH_FACTOR + DEPTH_BLOCKS + skipped
    ? [`reads ${count(blocks)} blocks, the first page ${count(first.blocks)}`]
    : [];
}

/** Prints the table, and the plans that are at fault, or all. */
export function reportExplained(
  report: Report,
  large: LargeDatabase,
  explained: readonly ExplainedQuery[],
  printsAll: boolean,
): void {
  report.rows(
    `Plans: ${count(large.transactions)} transactions, lists of ${count(large.listLength)} and more; deep: after ${count(depthOf(large))} entries`,
    explained,
    [
      ['query', ({ name }) => name],
      ['page', ({ place }) => place],
      ['ms', (each) => milliseconds(each.milliseconds)],
      ['blocks of 8 kB', ({ blocks }) => count(blocks)],
      ['rows read', ({ rows }) => count(rows)],
      ['of the first', ({ depthFactor }) => depthFactor?.toFixed(2) ?? ''],
      ['fault', ({ faults }) => faults.join('; ') || 'none'],
    ],
  );
  for (const { name, place, plan, faults } of explained) {
    if (printsAll || faults.length > 0) report.say(`\n${name}, ${place}:\n${plan}`);
  }
}
