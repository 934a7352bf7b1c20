/** The comparison of two indexes: every table, whatever columns it has. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { CheckResult } from '../../../src/store/verify/check-result.ts';
import { compareIndexes, NOT_COMPARED } from '../../../src/store/verify/compare-indexes.ts';
import { openSnapshot } from '../../../src/store/verify/verify.ts';
import { upgrading } from '../../devnet/sim/networks.ts';
import { MONTHS, simulatedHistory, take } from '../../sim/history.ts';
import { fileScope } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';

const scope = fileScope();
const history = simulatedHistory({
  network: upgrading,
  blocks: 50,
  seed: '12',
  mix: MONTHS,
  reorganisationProbability: 0.2,
});
let one: TestIndex;
let other: TestIndex;

before(async () => {
  one = await TestIndex.create(scope, upgrading);
  for (const step of history.steps) await take(one, step);
  other = await TestIndex.create(scope, upgrading);
  await other.bulk(history.mainChain, 7, 2);
  // The chain may end without an open order.
  for (const { session } of [one, other])
    await session.writer.query(`insert into price_levels values ('', '\\x01', 1, 1, 1, 1)`);
});

/** The comparison's findings, after a change of the second index. */
async function compared(sql?: string): Promise<CheckResult[]> {
  const { writer } = other.session;
  const client = await openSnapshot(one.postgres, upgrading);
  await writer.query('begin');
  try {
    if (sql !== undefined) assert.notEqual((await writer.query(sql)).rowCount, 0, 'nothing was changed');
    return (await Array.fromAsync(compareIndexes(client, writer))).filter(({ differences }) => differences > 0);
  } finally {
    await writer.query('rollback');
    await client.end();
  }
}

/** A value that is another than the one of the column. */
const OTHER_VALUE: Readonly<Record<string, (column: string) => string>> = {
  boolean: (column) => `not coalesce(${column}, false)`,
  bytea: (column) => `coalesce(${column}, '') || '\\x99'`,
  text: (column) => `coalesce(${column}, '') || 'x'`,
  smallint: (column) => `${column} + 9999`,
  integer: (column) => `coalesce(${column}, 0) + 9999`,
  bigint: (column) => `coalesce(${column}, 0) + 9999`,
  numeric: (column) => `coalesce(${column}, 0) + 9999`,
};

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly is_generated: boolean;
}

async function catalogue(): Promise<ColumnRow[]> {
  const { rows } = await other.session.writer.query<ColumnRow>(
    `select table_name as table, column_name as column, data_type as type, is_generated = 'ALWAYS' as is_generated
       from information_schema.columns where table_schema = 'chain_indexer' order by 1, 2`,
  );
  return rows;
}

it('an index that followed reorganisations and one that synced in bulk are the same', async () => {
  assert.deepEqual(await compared(), []);
});

it('a change of any column of any table is found and named', async () => {
  const columns = (await catalogue()).filter(
    ({ table, column, is_generated }) =>
      !is_generated && NOT_COMPARED[table] === undefined && NOT_COMPARED[`${table}.${column}`] === undefined,
  );
  // Another tip is refused, and there is one.
  const isOfTip = ({ table, column }: ColumnRow) =>
    table === 'chain_tip' && ['is_only', 'block_id', 'height'].includes(column);
  const byTable = Map.groupBy(
    columns.filter((each) => !isOfTip(each)),
    ({ table }) => table,
  );
  const { writer } = other.session;
  for (const table of byTable.keys()) await writer.query(`alter table ${table} disable trigger user`);
  const { rows } = await writer.query<{ sql: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as sql from pg_constraint where contype = 'c' and conrelid <> 0`,
  );
  for (const { sql } of rows) await writer.query(sql);
  let count = 0;
  // One column of each table at a time.
  for (let i = 0; ; i++) {
    const changed = [...byTable.values()].flatMap((each) => each[i] ?? []);
    if (changed.length === 0) break;
    const found = await compared(
      changed
        .map(
          ({ table, column, type }) =>
            `update ${table} set ${column} = ${OTHER_VALUE[type]!(column)} where ctid = (select min(ctid) from ${table})`,
        )
        .join(';'),
    );
    assert.deepEqual(
      found.map(({ name }) => name),
      changed.map(({ table }) => `the rows of ${table} are the same`),
    );
    for (const [n, { column }] of changed.entries()) {
      const [example, second] = found[n]!.examples;
      // A row with another key is another row.
      if (second === undefined) assert.match(example!, new RegExp(`: (\\w+, )*${column}(, |$)`));
      else assert.match(`${example}\n${second}`, /is not in test_\w+\n.* is not in test_\w+$/);
      count++;
    }
  }
  assert.ok(count > 150, `${count} columns`);
});

it('rows that only one index has are found and counted', async () => {
  const { database } = other.postgres;
  const [gone] = await compared('delete from balance_changes where height > 40');
  assert.equal(gone?.name, 'the rows of balance_changes are the same');
  assert.ok(gone.differences > gone.examples.length && gone.differences < gone.checked);
  for (const example of gone.examples) assert.ok(example.endsWith(`is not in ${database}`), example);
  await other.session.writer.query('drop index balance_changes_key');
  const [twice] = await compared('insert into balance_changes select * from balance_changes where height = 45');
  assert.ok(twice!.differences > 0);
  const [all] = await compared('delete from hours');
  assert.equal(all!.differences, all!.checked);
});

it('a table or column that only one index has is found', async () => {
  const { database } = one.postgres;
  assert.deepEqual(
    (await compared('alter table orders add later integer; create table news (id integer)')).map(
      ({ examples }) => examples,
    ),
    [[`news.id is not in ${database}`, `orders.later is not in ${database}`]],
  );
  assert.match(
    JSON.stringify(await compared('alter table orders drop is_frozen cascade')),
    /orders\.is_frozen is not in/,
  );
});

it('what is not compared is there', async () => {
  const names = new Set((await catalogue()).flatMap(({ table, column }) => [table, `${table}.${column}`]));
  for (const name of Object.keys(NOT_COMPARED)) assert.ok(names.has(name), name);
});
