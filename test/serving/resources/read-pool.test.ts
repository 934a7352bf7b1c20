/** Asking the database: over few connections, in turns, bounded in time. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { freePort } from '../../../src/embedded/free-port.ts';
import { internalCaller } from '../../../src/serving/resources/caller.ts';
import { createSlots } from '../../../src/serving/resources/create-resources.ts';
import { ReadPool } from '../../../src/serving/resources/read-pool.ts';
import type { Slots } from '../../../src/serving/resources/slots.ts';
import { getAddress } from '../../../src/store/queries/addresses/addresses.ts';
import { getBlockIdAtHeight } from '../../../src/store/queries/blocks/blocks.ts';
import { getTransaction, TRANSACTION_LIST } from '../../../src/store/queries/transactions/transactions.ts';
import { HostInUse } from '../../../src/store/read/host-in-use.ts';
import { defineQuery, longQueries, type SqlValue } from '../../../src/store/read/query.ts';
import { ReadConnection } from '../../../src/store/read/read-connection.ts';
import { fileScope, type Scope } from '../../support/file-scope.ts';
import { fillTables } from '../../support/filled-tables.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { until } from '../../support/until.ts';
import { SILENT } from '../../support/web-server.ts';

const scope = fileScope();
const network = networkByName('regtest');
let index: TestIndex;

before(async () => {
  index = await TestIndex.create(scope, network);
  await fillTables(index.session.writer, { blocks: 200, transactionsPerBlock: 2 });
});

async function openReader(
  t: Scope,
  maxConnections = 4,
  statementTimeoutMs = 5_000,
  statements?: Slots,
): Promise<ReadPool> {
  const reader = new ReadPool({
    ...(statements && { statements }),
    postgres: { ...index.postgres, maxConnections },
    statementTimeoutMs,
    logger: SILENT,
  });
  t.after(() => reader.close());
  await reader.open();
  return reader;
}

/** How many statements PostgreSQL ran for a query since the start; each execution of this one is counted in a sequence. */
async function countedQuery() {
  await index.session.writer.query('create sequence if not exists executions minvalue 0 start 0');
  await index.session.writer.query(`select setval('executions', 0)`);
  // A sequence cannot be moved by a read-only transaction; the process id and the start of the statement tell them apart.
  return defineQuery<[height: number], { block_id: string; statement: string }>({
    name: 'counted',
    parameters: { height: 'integer' },
    select: `select block_id, pg_backend_pid() || ' ' || statement_timestamp() as statement
             from blocks where height = :height`,
  });
}

it('the reader gives each caller the rows of its own parameters', async (t) => {
  const reader = await openReader(t);
  const { rows } = await index.session.writer.query('select height, block_id from blocks order by height');
  const answers = await Promise.all(rows.map(({ height }) => getBlockIdAtHeight(reader, height)));
  assert.deepEqual(
    answers.map((answer) => answer.rows[0]!.block_id),
    rows.map(({ block_id }) => block_id),
  );
});

it('short queries that arrive together are sent at once over one connection, without waiting for the results of others', async (t) => {
  const run = t.mock.method(ReadConnection.prototype, 'run');
  const reader = await openReader(t);
  const counted = await countedQuery();
  await reader.query(counted, 1);
  run.mock.resetCalls();
  const answers = Promise.all(Array.from({ length: 60 }, (_, height) => reader.query(counted, height)));
  assert.equal(run.mock.callCount(), 60);
  const backends = new Set((await answers).map(({ rows }) => rows[0]!.statement.split(' ')[0]));
  assert.equal(backends.size, 1);
});

it('while PostgreSQL gives no result of a short query, the next ones go over another connection', async (t) => {
  const reader = await openReader(t, 5);
  const waiting = defineQuery<[seconds: bigint], { pid: number }>({
    name: 'waiting',
    parameters: { milliseconds: 'bigint' },
    select: 'select pg_backend_pid() as pid from (select pg_sleep(:milliseconds / 1000.0)) s',
  });
  const pidOf = async (milliseconds: bigint) => (await reader.query(waiting, milliseconds)).rows[0]!.pid;
  const first = await pidOf(0n);
  await until(async () => {
    const slow = pidOf(40n);
    await new Promise((later) => setTimeout(later, 10));
    const other = await pidOf(0n);
    return (await slow) === first && other !== first;
  }, 'one waits, and another connection is used');
});

it('a request that waits for a statement of its own returns its units meanwhile, which others need', async (t) => {
  const [statements, requests] = [createSlots('statements'), createSlots('requests')];
  const reader = await openReader(t, 4, 5_000, statements);
  const counted = await countedQuery();
  for (const other of ['b', 'c', 'd']) assert.equal(statements.tryAcquire(other), true);
  const rows = requests.run(internalCaller('a'), 40, async (held) => {
    const result = await reader.for(internalCaller('a'), held).queryLong(counted, 1);
    assert.equal(requests.used, 40);
    return result.rows;
  });
  while (statements.waiting === 0) await nextTurn();
  assert.equal(requests.used, 0);
  statements.release('b');
  assert.equal((await rows).length, 1);
  assert.deepEqual([requests.used, statements.used], [0, 2]);
});

it('the reader gives lists of different lengths, none among them, each in its order', async (t) => {
  const reader = await openReader(t);
  const asked = [3, 0, 10, 1, 400, 1000];
  const answers = await Promise.all(asked.map((items) => TRANSACTION_LIST.read(reader, { after: null, limit: items })));
  for (const [i, answer] of answers.entries()) {
    const indexes = answer.rows.map((row) => row.tx_index);
    const expected = Array.from({ length: Math.min(asked[i]!, 400) }, (_, n) => 399 - n);
    assert.deepEqual(indexes, expected);
  }
});

it('the reader says of each answer which tip it belongs to', async (t) => {
  const reader = await openReader(t);
  const { tip, rows } = await getTransaction(reader, 'ee'.repeat(32));
  assert.deepEqual(rows, []);
  assert.equal(tip.height, 200);
  assert.match(tip.id, /^[0-9a-f]{64}$/);
});

it('the reader works with the fewest connections, however many ask at once', async (t) => {
  const reader = await openReader(t, 1);
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, i) =>
      i % 2 === 0 ? getBlockIdAtHeight(reader, i % 200) : getAddress(longQueries(reader), { owner: '01', limit: i }),
    ),
  );
  assert.equal(answers.length, 1000);
});

it('the reader gives up a statement that takes too long, and goes on', async (t) => {
  const reader = await openReader(t, 4, 300);
  const slow = defineQuery<[seconds: number], { slept: string }>({
    name: 'slow',
    parameters: { seconds: 'integer' },
    select: `select pg_sleep(:seconds)::text as slept`,
  });
  await assert.rejects(reader.query(slow, 60), { name: 'StoreError', kind: 'too slow' });
  assert.equal((await getBlockIdAtHeight(reader, 1)).rows.length, 1);
});

it('a query that takes too long for a short one is run where it delays no other, and so are those like it for a while', async (t) => {
  const reader = await openReader(t);
  const slow = defineQuery<[seconds: number], { slept: string; pid: number }>({
    name: 'some_slow',
    parameters: { seconds: 'numeric' },
    select: `select pg_sleep(:seconds)::text as slept, pg_backend_pid() as pid`,
  });
  const pidOf = async (seconds: number) => (await reader.query(slow, seconds)).rows[0]!.pid;
  const shared = await pidOf(0);
  const moved = pidOf(1);
  let isOver = false;
  void moved.finally(() => {
    isOver = true;
  });
  for (let height = 0; height < 100; height++) await getBlockIdAtHeight(reader, height);
  assert.equal(isOver, false);
  assert.notEqual(await moved, shared);
  assert.notEqual(await pidOf(0), shared);
  await until(async () => (await pidOf(0)) === shared, 'they are short again');
});

it('the reader lets clients take turns where answers may be long', async (t) => {
  const reader = await openReader(t, 6);
  const slow = defineQuery<[number: number, milliseconds: number], { number: number }>({
    name: 'turns',
    parameters: { number: 'integer', milliseconds: 'integer' },
    select: `select :number from (select pg_sleep(:milliseconds / 1000.0)) s`,
  });
  const order: string[] = [];
  const ask = (client: string, number: number) =>
    reader
      .for(internalCaller(client))
      .queryLong(slow, number, 60)
      .then(() => order.push(`${client}${number}`));
  const greedy = Array.from({ length: 20 }, (_, i) => ask('greedy', i));
  await Promise.all([ask('modest', 0), ask('modest', 1), ask('other', 0)]);
  assert.ok(order.length <= 10, order.join(' '));
  await Promise.all(greedy);
  assert.equal(order.length, 23);
});

it('a query that fails does not disturb those that were sent with it', async (t) => {
  const reader = await openReader(t);
  const divided = defineQuery<[number: number], { result: number }>({
    name: 'divided',
    parameters: { number: 'integer' },
    select: 'select 12 / :number as result',
  });
  const asked = await Promise.allSettled([1, 2, 0, 3].map((number) => reader.query(divided, number)));
  assert.deepEqual(
    asked.map((answer) => (answer.status === 'fulfilled' ? answer.value.rows[0]!.result : answer.reason.kind)),
    [12, 6, 'fault', 4],
  );
  assert.equal((await reader.query(divided, 3)).rows[0]!.result, 4);
});

it('queries that are sent together see one snapshot, also when a block is written between them', async (t) => {
  const own = await TestIndex.create(t, network);
  await fillTables(own.session.writer, { blocks: 3, transactionsPerBlock: 1 });
  const reader = new ReadPool({ postgres: { ...own.postgres, maxConnections: 4 }, logger: SILENT });
  t.after(() => reader.close());
  await reader.open();
  const pause = defineQuery<[], { done: boolean }>({
    name: 'pause',
    parameters: {},
    select: 'select pg_sleep(0.04) is null as done',
  });
  const revision = defineQuery<[], { revision: number }>({
    name: 'revision',
    parameters: {},
    select: 'select revision from chain_tip',
  });
  const { tip } = await reader.query(revision);
  const asked = [reader.query(pause), reader.query(revision)];
  await until(async () => {
    const sql = `select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = $1`;
    return (await own.session.writer.query(sql, [own.postgres.database])).rows.length > 0;
  }, 'the pause');
  await own.session.writer.query('update chain_tip set revision = revision + 1');
  const [, read] = await Promise.all(asked);
  assert.deepEqual(read, { tip, rows: [{ revision: tip.revision }] });
  assert.equal((await reader.query(revision)).tip.revision, tip.revision + 1);
});

it('the reader reads nothing on a connection whose settings are gone, as behind a pooler that gives it to others', async (t) => {
  for (const [setting, value] of [
    ['default_transaction_isolation', 'read committed'],
    ['search_path', 'public'],
  ]) {
    const reader = await openReader(t);
    const set = defineQuery<[value: string], { set: string }>({
      name: `set_${setting}`,
      parameters: { value: 'text' },
      select: `select set_config('${setting}', :value, false) as set`,
    });
    await reader.query(set, value!);
    await assert.rejects(getBlockIdAtHeight(reader, 1), { kind: 'not ready' }, setting);
  }
});

it('the reader reads an export from the server in use, if there are several', async (t) => {
  const { host, port } = index.postgres;
  const postgres = { ...index.postgres, port: await freePort(), others: [{ host, port }] };
  const hosts = new HostInUse(postgres);
  hosts.tryNext();
  hosts.use();
  const reader = new ReadPool({ postgres, hosts, logger: SILENT });
  t.after(() => reader.close());
  const rows = await reader.openExport({ query: await countedQuery(), parameters: [7] });
  t.after(() => rows.close());
  assert.equal((await rows.next()).length, 1);
});

it('the reader cannot write', async (t) => {
  const reader = await openReader(t);
  const writing = defineQuery<[value: number], { done: string }>({
    name: 'writing',
    parameters: { value: 'integer' },
    select: `select set_config('x.y', 'z', false) || nextval('executions')::text as done`,
  });
  await countedQuery();
  await assert.rejects(reader.query(writing, 1), { name: 'StoreError', kind: 'fault' });
});

it('the reader takes any text as a parameter', async (t) => {
  const reader = await openReader(t);
  const echo = defineQuery<[text: string], { text: string }>({
    name: 'echo',
    parameters: { value: 'text' },
    select: 'select :value as text',
  });
  const texts = ['', '"', '\\', '{}', ',', 'NULL', "'; drop table blocks", 'ä€😀', '\t\n'];
  const answers = await Promise.all(texts.map((text) => reader.query(echo, text)));
  const answered = answers.map((answer) => answer.rows[0]!.text);
  assert.deepEqual(answered, texts);
});

it('the reader passes nulls, booleans and large numbers', async (t) => {
  const reader = await openReader(t);
  const echo = defineQuery<[flag: boolean, number: bigint, amount: bigint | null], Record<string, SqlValue>>({
    name: 'echo_values',
    parameters: { flag: 'boolean', number: 'bigint', amount: 'numeric' },
    select: 'select :flag as flag, :number as number, :amount as amount',
  });
  const [first, second] = await Promise.all([
    reader.query(echo, true, 7n, 2n ** 140n),
    reader.query(echo, false, 0n, null),
  ]);
  assert.deepEqual({ ...first!.rows[0], n: 0 }, { ...first!.rows[0], n: 0, flag: true, number: 7, amount: 2n ** 140n });
  assert.equal(second!.rows[0]!.amount, null);
});

it('the reader gives what PostgreSQL has been asked for when it is closed, and refuses all else at once', async (t) => {
  const reader = await openReader(t);
  const asked = Array.from({ length: 100 }, () => getBlockIdAtHeight(reader, 1));
  reader.close();
  const ends = (await Promise.allSettled(asked)).map((end) => (end.status === 'fulfilled' ? 'rows' : end.reason.kind));
  assert.deepEqual([ends[0], ends.at(-1)], ['rows', 'stopping']);
  await assert.rejects(getBlockIdAtHeight(reader, 1), { kind: 'stopping' });
});
