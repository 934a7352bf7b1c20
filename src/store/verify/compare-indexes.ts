/**
 * Compares two indexes of a chain: each table, with all columns that the databases have. PostgreSQL cannot join tables of two
 * databases, so this compares hashes of the rows.
 */
import pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import { SCHEMA_NAME } from '../postgres/connect.ts';
import { CheckFindings, type CheckResult } from './check-result.ts';
import { rowsByCursor } from './database-cursor.ts';

/** The tables and columns in which two right indexes may differ, and why. */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  meta: 'when and by which program the index was made',
  'chain_tip.revision': 'begins with the time at which the index was made, and counts its commits',
  'chain_tip.is_ready': 'false while indexes are built',
  undo: 'a bulk sync writes records of the newest blocks only',
  reorganisations: 'those that this scanner has followed, with the time',
  removed_blocks: 'blocks that this scanner has removed',
  removed_transactions: 'transactions that this scanner has removed',
};

/** Rows are in this many groups, by a hash of their keys. Groups with different hashes are compared row by row. */
const GROUPS = 2 ** 12;
const MAX_KEY_TEXT = 200;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of a unique index, or all columns. */
  readonly key: readonly string[];
}
interface HashedRow {
  readonly key: string;
  /** The hash of each column; null for null. */
  readonly hashes: readonly (string | null)[];
}

/** Makes the comparison within the clients' transactions. Throws an OperatorError if the tips are different blocks. */
export async function* compareIndexes(one: pg.Client, other: pg.Client): AsyncGenerator<CheckResult> {
  const [tip, otherTip] = await Promise.all([tipOf(one), tipOf(other)]);
  if (tip !== otherTip) {
    throw new OperatorError(
      `the two indexes are not at the same block: ${tip} in ${one.database}, ${otherTip} in ${other.database}. ` +
        'Compare them when both scanners have reached the tip of the node.',
      { exitCode: 1 },
    );
  }
  const [tables, otherTables] = await Promise.all([tablesOf(one), tablesOf(other)]);
  const [names, otherNames] = [columnNames(tables), columnNames(otherTables)];
  const columns = new CheckFindings('both indexes have the same tables and columns');
  for (const name of names) columns.add(otherNames.has(name) ? undefined : `${name} is not in ${other.database}`);
  for (const name of otherNames) if (!names.has(name)) columns.add(`${name} is not in ${one.database}`);
  yield columns;
  for (const { name, key, columns } of tables) {
    const common = columns.filter((column) => otherNames.has(`${name}.${column}`));
    if (common.length === 0) continue;
    const isKeyCommon = key.every((column) => common.includes(column));
    yield await compareTable(one, other, { name, columns: common, key: isKeyCommon ? key : common });
  }
}

async function tipOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ tip: string }>(
    `select format('%s at height %s', encode(block_id, 'hex'), height) as tip from chain_tip`,
  );
  return rows[0]!.tip;
}

/** The tables from the catalogue, in the order of their names. */
async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; key: string[] | null }>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attname) as columns,
            (select (select array_agg(k.attname::text order by n)
                       from unnest(i.indkey::int2[]) with ordinality as u (attnum, n)
                            join pg_attribute k on k.attrelid = c.oid and k.attnum = u.attnum
                      where n <= i.indnkeyatts)
               from pg_index i
              where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
              order by i.indisprimary desc, i.indexrelid limit 1) as key
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p')
        and not (c.relname = any ($2) or c.relname || '.' || a.attname = any ($2))
      group by c.oid, c.relname order by c.relname`,
    [SCHEMA_NAME, Object.keys(NOT_COMPARED)],
  );
  return rows.map(({ name, columns, key }) => ({ name, columns, key: key ?? columns }));
}

const columnNames = (tables: readonly Table[]): Set<string> =>
  new Set(tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`)));

async function compareTable(one: pg.Client, other: pg.Client, table: Table): Promise<CheckResult> {
  const findings = new CheckFindings(`the rows of ${table.name} are the same`);
  const columns = table.columns.map((column) => pg.escapeIdentifier(column));
  const key = table.key.map((column) => `${pg.escapeIdentifier(column)}::text`);
  const hashed = `
    select key, hashes, ('x' || left(md5(key), 8))::bit(32)::bigint % ${GROUPS} as group_number
      from (select concat_ws(' ', ${key}) as key, array[${columns.map((column) => `md5(${column}::text)`)}] as hashes
              from ${pg.escapeIdentifier(table.name)}) as r`;
  const [groups, otherGroups] = await Promise.all([groupsOf(one, hashed), groupsOf(other, hashed)]);
  const different = [...new Set([...groups.keys(), ...otherGroups.keys()])].filter(
    (group) => groups.get(group)?.hash !== otherGroups.get(group)?.hash,
  );
  if (different.length > 0) {
    const sql = `select key, hashes from (${hashed}) as h where group_number = any ('{${different}}') order by key collate "C", hashes`;
    const [rows, otherRows] = [one, other].map((client) => rowsByCursor<HashedRow>(client, 'hashed', sql));
    let [left, right] = [await rows!.next(), await otherRows!.next()];
    while (!left.done || !right.done) {
      const order = left.done ? 1 : right.done ? -1 : compareBytes(left.value.key, right.value.key);
      const text = (order <= 0 ? left : right).value!.key.slice(0, MAX_KEY_TEXT);
      if (order !== 0) findings.add(`${text} is not in ${(order < 0 ? other : one).database}`);
      else {
        const [is, should] = [left.value!.hashes, right.value!.hashes];
        const names = table.columns.filter((_, i) => is[i] !== should[i]);
        findings.add(names.length === 0 ? undefined : `${text}: ${names.join(', ')}`);
      }
      if (order <= 0) left = await rows!.next();
      if (order >= 0) right = await otherRows!.next();
    }
  }
  findings.checked = [...groups.values()].reduce((sum, { count }) => sum + count, 0);
  return findings;
}

/** For each group of rows their number, and a hash that does not depend on their order. */
async function groupsOf(client: pg.Client, hashed: string): Promise<Map<number, { count: number; hash: string }>> {
  const { rows } = await client.query<{ group_number: number; count: number; hash: string }>(
    `select group_number, count(*) as count,
            count(*) || ' ' || sum(('x' || left(md5(key || ' ' || hashes::text), 16))::bit(64)::bigint) as hash
       from (${hashed}) as h group by group_number`,
  );
  return new Map(rows.map(({ group_number, count, hash }) => [group_number, { count, hash }]));
}

/** In the order of the collation "C". */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
