/** Executing prepared statements over one connection. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { ReadConnection } from '../../../src/store/read/read-connection.ts';
import { fileScope, type Scope } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { until } from '../../support/until.ts';

const scope = fileScope();
let index: TestIndex;

before(async () => {
  index = await TestIndex.create(scope, networkByName('regtest'));
});

const OPTIONS = { server: () => index.postgres, statementTimeoutMs: 5_000 };

async function openReadConnection(t: Scope): Promise<ReadConnection> {
  const connection = new ReadConnection({ ...OPTIONS, onReady: () => {}, onLost: () => {} });
  t.after(() => connection.close());
  await connection.open();
  return connection;
}

/** Runs statements one after the other over a connection of its own. */
const openConnection = async (t: Scope) => runOver(await openReadConnection(t));

function runOver(connection: ReadConnection) {
  return (name: string, sql: string, ...values: string[]): Promise<object[]> =>
    new Promise((resolve, reject) => {
      connection.run<object>({ name, sql }, values, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
}

it('a connection that breaks with its first statement, again and again, is opened after longer and longer pauses', async (t) => {
  const lostAt: number[] = [];
  const connection: ReadConnection = new ReadConnection({
    ...OPTIONS,
    onReady: () => {
      const sql = 'select pg_terminate_backend(pg_backend_pid())';
      connection.run({ name: 'end', sql }, [], () => {});
    },
    onLost: () => lostAt.push(performance.now()),
  });
  t.after(() => connection.close());
  await connection.open();
  await until(() => lostAt.length >= 5, 'five losses');
  const pauses = lostAt.slice(1).map((at, i) => at - lostAt[i]!);
  // They are 100, 200, 400 and 800 ms, a quarter more or less.
  for (const [i, least] of [74, 149, 299, 599].entries()) assert.ok(pauses[i]! >= least, `${pauses}`);
});

it('a prepared query reads each type as the program holds it, the first time and later', async (t) => {
  const run = await openConnection(t);
  const sql = `select $1::int as i, 7::bigint as big, 12345678901234567890::numeric as n, '\\x00ff'::bytea as b,
                        true as yes, null::text as nothing, 'ä€'::text as word`;
  const expected = {
    ...{ i: 5, big: 7, n: 12345678901234567890n, b: '00ff', yes: true, nothing: null, word: 'ä€' },
  };
  for (let i = 0; i < 3; i++) assert.deepEqual(await run('types', sql, '5'), [expected]);
});

it('a prepared query reads numbers of any length and sign', async (t) => {
  const run = await openConnection(t);
  const digits = Array.from({ length: 15 }, (_, i) => BigInt('123456789012345'.slice(0, i + 1)));
  const integers = [0n, 9n, 10n, 2_147_483_647n, ...digits].flatMap((value) => [value, -value]);
  const numerics = [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 10n ** 9n, 10n ** 17n + 1n, 10n ** 18n - 1n, 10n ** 18n]
    .concat(10n ** 40n + 7n, digits)
    .flatMap((value) => [value, -value]);
  for (const value of [...integers, ...numerics]) {
    assert.deepEqual(await run('numeric', 'select $1::numeric as n', `${value}`), [{ n: value }]);
  }
  for (const value of integers) {
    assert.deepEqual(await run('bigint', 'select $1::bigint as n', `${value}`), [{ n: Number(value) }]);
  }
  assert.deepEqual(await run('smallint', 'select $1::smallint as n', '-32768'), [{ n: -32_768 }]);
  await assert.rejects(run('fraction', 'select $1::numeric as n', '1.5'), SyntaxError);
  await assert.rejects(run('no number', 'select $1::numeric as n', 'NaN'), SyntaxError);
  assert.deepEqual(await run('fraction', 'select $1::numeric as n', '15'), [{ n: 15n }]);
});

it('a prepared query passes texts that are not ASCII, empty ones and long ones', async (t) => {
  const run = await openConnection(t);
  for (const word of ['', 'ä€😀', 'x'.repeat(100_000)]) {
    assert.deepEqual(await run('echo', 'select $1::text as word', word), [{ word }]);
  }
});

it('a prepared query gives rows of many columns that V8 does not keep as hash tables', async (t) => {
  const run = await openConnection(t);
  const names = Array.from({ length: 40 }, (_, n) => `column_${n}`);
  const sql = `select ${names.map((name, n) => `nullif(n * ${n}, 6)::numeric as ${name}`).join(', ')} from unnest($1::int[]) n`;
  const rows = await run('wide', sql, '{1,2}');
  const expected = (n: number) => names.map((name, i) => [name, n * i === 6 ? null : BigInt(n * i)]);
  assert.deepEqual(rows.map(Object.entries), [expected(1), expected(2)]);
  setFlagsFromString('--allow-natives-syntax');
  const hasFastProperties = runInNewContext('(object) => %HasFastProperties(object)') as (object: object) => boolean;
  assert.deepEqual(rows.map(hasFastProperties), [true, true]);
});

it('a prepared query keeps the statements of a connection apart', async (t) => {
  const run = await openConnection(t);
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(await run('one', 'select 1 as a'), [{ a: 1 }]);
    assert.deepEqual(await run('two', 'select 2 as b where $1::int > 0', '1'), [{ b: 2 }]);
    assert.deepEqual(await run('two', 'select 2 as b where $1::int > 0', '0'), []);
  }
});

it('a prepared query goes on after errors, of the statement and of a value', async (t) => {
  const run = await openConnection(t);
  await assert.rejects(run('wrong', 'select * from nowhere'), { code: '42P01' });
  await assert.rejects(run('number', 'select $1::int as i', 'no number'), { code: '22P02' });
  assert.deepEqual(await run('number', 'select $1::int as i', '3'), [{ i: 3 }]);
  await assert.rejects(run('number', 'select $1::int as i', 'no number'), { code: '22P02' });
  assert.deepEqual(await run('number', 'select $1::int as i', '4'), [{ i: 4 }]);
});

it('a prepared query learns the columns of a table that was made anew', async (t) => {
  const run = await openConnection(t);
  const { writer } = index.session;
  const read = () => run('made_anew', 'select * from made_anew');
  await assert.rejects(read(), { code: '42P01' });
  await writer.query('create table made_anew as select 1 as a');
  assert.deepEqual(await read(), [{ a: 1 }]);
  await writer.query('drop table made_anew');
  await writer.query(`create table made_anew as select 'x'::text as b, 2::numeric as c`);
  await assert.rejects(read(), { code: '0A000' });
  assert.deepEqual(await read(), [{ b: 'x', c: 2n }]);
});
