/** COPY's binary format. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type pg from 'pg';
import type { Columns, ColumnValue } from '../../../src/store/postgres/column-values.ts';
import { closePostgresConnection } from '../../../src/store/postgres/connect.ts';
import { CopyRows, copyInto } from '../../../src/store/postgres/copy.ts';
import { inDatabaseTransaction } from '../../../src/store/postgres/in-transaction.ts';
import { openLongStatementConnection } from '../../../src/store/postgres/long-statement-connection.ts';
import { fileScope } from '../../support/file-scope.ts';
import { testDatabase } from '../../support/postgres.ts';

const scope = fileScope();
let client: pg.Client;

const COLUMNS = {
  b: 'bytea',
  t: 'text',
  s: 'smallint',
  i: 'integer',
  l: 'bigint',
  n: 'numeric',
  f: 'boolean',
} as const satisfies Columns;

before(async () => {
  client = await openLongStatementConnection(await testDatabase(scope), 'test');
  scope.after(() => closePostgresConnection(client));
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  await client.query(`create schema if not exists chain_indexer; create table rows (${columns.join(', ')})`);
});

function rowsOf(columns: Columns, rows: readonly (readonly ColumnValue[])[]): readonly Uint8Array[] {
  const copy = new CopyRows(columns);
  for (const row of rows) copy.add(row);
  return copy.take();
}

/** What the table holds after these rows, which it then forgets. */
async function stored(rows: readonly (readonly ColumnValue[])[]): Promise<unknown[][]> {
  await copyInto(client, 'rows', Object.keys(COLUMNS), rowsOf(COLUMNS, rows));
  const result = await client.query({ text: 'select * from rows', rowMode: 'array' });
  await client.query('truncate rows');
  return result.rows;
}

it('COPY takes a field of every type, at its ends, and nulls', async () => {
  const rows = [
    ['00ff5c', 'text', 32_767, 2_147_483_647, Number.MAX_SAFE_INTEGER, 2n ** 128n - 1n, true],
    ['', '', 0, 0, 0, 0n, false],
    ['7f', ' ', -32_768, -2_147_483_648, -Number.MAX_SAFE_INTEGER, -1n, true],
    [null, null, null, null, null, null, null],
  ];
  assert.deepEqual(await stored(rows), rows);
});

it('COPY takes texts with whatever would end a line or a field elsewhere', async () => {
  const texts = [
    '{"a":"\\u0000\\n\\\\","b":"\\"ß🦀\u2028"} \\N \\. {NULL}',
    'tab\tline\nreturn\r',
    '\\',
    'é',
    '\u00ff',
  ];
  const rows = texts.map((text) => ['', text, 0, 0, 0, 0n, false]);
  assert.deepEqual(await stored(rows), rows);
});

it('COPY takes numbers whose digits end and begin anywhere', async () => {
  const numbers = [1n, 9n, 10n, 9_999n, 10_000n, 10_001n, 99_990_000n, 100_000_000n];
  for (let power = 1n; power < 10n ** 120n; power *= 10n) numbers.push(power, power * 7n - 1n, -(power + 5n));
  const rows = numbers.map((number) => ['', '', 0, 0, 0, number, false]);
  assert.deepEqual(await stored(rows), rows);
});

it('COPY takes whole numbers on both sides of 32 bits', async () => {
  const numbers = [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 1_700_000_000, -1, -(2 ** 32) - 1];
  const rows = numbers.map((number) => ['', '', 0, 0, number, 0n, false]);
  assert.deepEqual(await stored(rows), rows);
});

it('COPY takes more than fits into one chunk, and texts longer than a chunk', async () => {
  const texts = [...Array(2_000).fill('ä'.repeat(1_000)), 'x'.repeat(1_000_000), '🦀'.repeat(500_000), 'short'];
  const rows = texts.map((text) => ['', text, 0, 0, 0, 0n, false]);
  assert.deepEqual(await stored(rows), rows);
});

it('COPY goes on after its rows were taken and given to another thread', async () => {
  const rows = new CopyRows({ t: 'text' });
  const chunks: Uint8Array[] = [];
  for (let i = 0; i < 3; i++) {
    rows.add([`row ${i}`]);
    assert.equal(rows.byteLength, 2 + 4 + 'row 0'.length);
    for (const chunk of rows.take()) chunks.push(structuredClone(chunk, { transfer: [chunk.buffer] }));
    assert.equal(rows.byteLength, 0);
  }
  await copyInto(client, 'rows', ['t'], chunks);
  const { rows: back } = await client.query({ text: 'select t from rows', rowMode: 'array' });
  assert.deepEqual(back, [['row 0'], ['row 1'], ['row 2']]);
  await client.query('truncate rows');
});

for (const [kind, at] of [
  ['the first row', 0],
  ['a row far inside', 150_000],
] as const) {
  it(`COPY fails without hanging when ${kind} is wrong, and the connection goes on`, async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => [i === at ? '\0' : `${i}`]);
    const failed = inDatabaseTransaction(client, () => copyInto(client, 'rows', ['t'], rowsOf({ t: 'text' }, rows)));
    await assert.rejects(failed, /invalid byte sequence for encoding "UTF8": 0x00/);
    assert.deepEqual(await stored([]), []);
  });
}

it('COPY fails without hanging when the connection ends under it', async () => {
  const postgres = await testDatabase(scope);
  const doomed = await openLongStatementConnection(postgres, 'test');
  scope.after(() => closePostgresConnection(doomed));
  await doomed.query('create table public.slow (n int)');
  await doomed.query(`create function public.die() returns trigger language plpgsql as
      'begin perform pg_terminate_backend(pg_backend_pid()); return new; end'`);
  await doomed.query('create trigger die before insert on public.slow for each row execute function public.die()');
  const copyOnes = (count: number) =>
    copyInto(doomed, 'public.slow', ['n'], rowsOf({ n: 'integer' }, Array(count).fill([1])));
  await assert.rejects(copyOnes(500_000), /terminat|ECONNRESET|EPIPE/);
  await assert.rejects(inDatabaseTransaction(doomed, () => copyOnes(1)));
});
