/** Asking the database: gathered, shared out, bounded in time. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { freePort } from '../../../src/embedded/free-port.ts';
import { internalCaller } from '../../../src/resources/caller.ts';
import { createSlots } from '../../../src/resources/resource-limits.ts';
import type { Slots } from '../../../src/resources/slots.ts';
import { getAddress } from '../../../src/store/queries/addresses.ts';
import { getBlockIdAtHeight } from '../../../src/store/queries/blocks.ts';
import { getTransaction, TRANSACTION_LIST } from '../../../src/store/queries/transactions.ts';
import { batchedQuery, type SqlValue } from '../../../src/store/read/batched-query.ts';
import { HostInUse } from '../../../src/store/read/host-in-use.ts';
import { QueryDispatcher } from '../../../src/store/read/query-dispatcher.ts';
import { fileScope, type Scope } from '../../support/file-scope.ts';
import { fillTables } from '../../support/filled-tables.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { eventually, until } from '../../support/until.ts';
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
): Promise<QueryDispatcher> {
  const reader = new QueryDispatcher({
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
  return batchedQuery<[height: number], { block_id: string; statement: string }>({
    name: 'counted',
    parameters: { height: 'integer' },
    presenceColumn: 'block_id',
    select: `select block_id, pg_backend_pid() || ' ' || statement_timestamp() as statement
             from blocks where height = q.height`,
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

it('the reader runs queries that arrive together with few statements', async (t) => {
  const reader = await openReader(t);
  const counted = await countedQuery();
  await reader.query(counted, 1);
  const answers = await Promise.all(Array.from({ length: 90 }, (_, height) => reader.query(counted, height)));
  const statements = new Set(answers.map((answer) => answer.rows[0]!.statement));
  assert.equal(statements.size, 1);
});

it('a request that waits for a statement of its own returns its units meanwhile, which others need', async (t) => {
  const [statements, requests] = [createSlots('statements'), createSlots('requests')];
  const reader = await openReader(t, 4, 5_000, statements);
  const counted = await countedQuery();
  for (const other of ['b', 'c', 'd']) assert.equal(statements.tryAcquire(other), true);
  const rows = requests.run(internalCaller('a'), 40, async (held) => {
    const result = await reader.for(internalCaller('a'), held).queryUnbatched(counted, 1);
    assert.equal(requests.used, 40);
    return result.rows;
  });
  while (statements.waiting === 0) await nextTurn();
  assert.equal(requests.used, 0);
  statements.release('b');
  assert.equal((await rows).length, 1);
  assert.deepEqual([requests.used, statements.used], [0, 2]);
});

it('a statement answers only so many callers that its rows do not occupy the process for long', async (t) => {
  const reader = await openReader(t);
  const query = batchedQuery<[limit: number], { block_id: string; statement: string }>({
    name: 'counted_list',
    parameters: { row_limit: 'integer' },
    presenceColumn: 'block_id',
    select: `select block_id, pg_backend_pid() || ' ' || statement_timestamp() as statement
               from blocks order by height limit q.row_limit`,
  });
  await reader.query(query, 1);
  const limits = [...Array.from({ length: 30 }, () => 100), 2_000, ...Array.from({ length: 30 }, () => 10)];
  const answers = await Promise.all(limits.map((limit) => reader.query(query, limit)));
  const rowsByStatement = new Map<string, number>();
  for (const [i, { rows }] of answers.entries()) {
    assert.equal(rows.length, Math.min(limits[i]!, 201));
    const statement = rows[0]!.statement;
    rowsByStatement.set(statement, (rowsByStatement.get(statement) ?? 0) + limits[i]!);
  }
  const rowCounts = [...rowsByStatement.values()].sort((a, b) => a - b);
  assert.deepEqual(rowCounts, [300, 500, 500, 500, 500, 500, 500, 2_000]);
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

it('the reader works with a single connection, however many ask at once', async (t) => {
  const reader = await openReader(t, 1);
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, i) =>
      i % 2 === 0
        ? getBlockIdAtHeight(reader, i % 200)
        : getAddress(reader, { owner: '01', limit: i, unbatched: true }),
    ),
  );
  assert.equal(answers.length, 1000);
});

it('the reader gives up a statement that takes too long, and goes on', async (t) => {
  const reader = await openReader(t, 4, 300);
  const slow = batchedQuery<[seconds: number], { slept: string }>({
    name: 'slow',
    parameters: { seconds: 'integer' },
    presenceColumn: 'slept',
    select: `select pg_sleep(q.seconds)::text as slept`,
  });
  await assert.rejects(reader.query(slow, 60), { name: 'StoreError', kind: 'too slow' });
  assert.equal((await getBlockIdAtHeight(reader, 1)).rows.length, 1);
});

it('the reader fails only the slow one of those who asked together, and asks that one alone from then on', async (t) => {
  const slow = batchedQuery<[seconds: number], { slept: string; statement: string }>({
    name: 'some_slow',
    parameters: { seconds: 'integer' },
    presenceColumn: 'slept',
    select: `select pg_sleep(q.seconds)::text as slept, statement_timestamp()::text as statement`,
  });
  const together = async (reader: QueryDispatcher) =>
    (await Promise.allSettled([0, 0, 60, 0, 0].map((seconds) => reader.query(slow, seconds)))).map((answer) =>
      answer.status === 'fulfilled' ? answer.value.rows.length : answer.reason.kind,
    );
  // On a busy machine the others, too, may now and then take too long.
  const reader = await eventually('only the slow one fails', async () => {
    const fresh = await openReader(t, 4, 1_500);
    if ((await together(fresh)).join() === '1,1,too slow,1,1') return fresh;
    fresh.close();
    return undefined;
  });
  const isAskedAlone = async () => {
    let isOver = false;
    const others = [0, 0, 0].map((seconds) => reader.query(slow, seconds));
    const again = reader.query(slow, 60).finally(() => {
      isOver = true;
    });
    again.catch(() => undefined);
    const areAnswered = (await Promise.allSettled(others)).every(({ status }) => status === 'fulfilled');
    const wasOver = isOver;
    await assert.rejects(again, { kind: 'too slow' });
    return areAnswered && !wasOver;
  };
  await until(isAskedAlone, 'the others do not wait for the slow one');
});

it('the reader lets clients take turns where answers may be long', async (t) => {
  const reader = await openReader(t, 6);
  const slow = batchedQuery<[number: number, milliseconds: number], { number: number }>({
    name: 'turns',
    parameters: { number: 'integer', milliseconds: 'integer' },
    presenceColumn: 'number',
    select: `select q.number from (select pg_sleep(q.milliseconds / 1000.0)) s`,
  });
  const order: string[] = [];
  const ask = (client: string, number: number) =>
    reader
      .for(internalCaller(client))
      .queryUnbatched(slow, number, 60)
      .then(() => order.push(`${client}${number}`));
  const greedy = Array.from({ length: 20 }, (_, i) => ask('greedy', i));
  await Promise.all([ask('modest', 0), ask('modest', 1), ask('other', 0)]);
  assert.ok(order.length <= 10, order.join(' '));
  await Promise.all(greedy);
  assert.equal(order.length, 23);
});

it('the reader answers those whose rows came before their common statement failed, and tells the others', async (t) => {
  const reader = await openReader(t);
  const divided = batchedQuery<[number: number], { result: number }>({
    name: 'divided',
    parameters: { number: 'integer' },
    presenceColumn: 'result',
    select: 'select 12 / q.number as result',
  });
  const asked = await Promise.allSettled([1, 2, 0, 3].map((number) => reader.query(divided, number)));
  assert.deepEqual(
    asked.map((answer) => (answer.status === 'fulfilled' ? answer.value.rows[0]!.result : answer.reason.kind)),
    [12, 'fault', 'fault', 'fault'],
  );
  assert.equal((await reader.query(divided, 3)).rows[0]!.result, 4);
});

it('the reader reads an export from the server in use, if there are several', async (t) => {
  const { host, port } = index.postgres;
  const postgres = { ...index.postgres, port: await freePort(), others: [{ host, port }] };
  const hosts = new HostInUse(postgres);
  hosts.tryNext();
  hosts.use();
  const reader = new QueryDispatcher({ postgres, hosts, logger: SILENT });
  t.after(() => reader.close());
  const rows = await reader.openExport({ query: await countedQuery(), parameters: [7] });
  t.after(() => rows.close());
  assert.equal((await rows.next()).length, 1);
});

it('the reader cannot write', async (t) => {
  const reader = await openReader(t);
  const writing = batchedQuery<[value: number], { done: string }>({
    name: 'writing',
    parameters: { value: 'integer' },
    presenceColumn: 'done',
    select: `select set_config('x.y', 'z', false) || nextval('executions')::text as done`,
  });
  await countedQuery();
  await assert.rejects(reader.query(writing, 1), { name: 'StoreError', kind: 'fault' });
});

it('the reader takes any text as a parameter', async (t) => {
  const reader = await openReader(t);
  const echo = batchedQuery<[text: string], { text: string }>({
    name: 'echo',
    parameters: { value: 'text' },
    presenceColumn: 'text',
    select: 'select q.value as text',
  });
  const texts = ['', '"', '\\', '{}', ',', 'NULL', "'; drop table blocks", 'ä€😀', '\t\n'];
  const answers = await Promise.all(texts.map((text) => reader.query(echo, text)));
  const answered = answers.map((answer) => answer.rows[0]!.text);
  assert.deepEqual(answered, texts);
});

it('the reader passes nulls, booleans and large numbers', async (t) => {
  const reader = await openReader(t);
  const echo = batchedQuery<[flag: boolean, number: bigint, amount: bigint | null], Record<string, SqlValue>>({
    name: 'echo_values',
    parameters: { flag: 'boolean', number: 'bigint', amount: 'numeric' },
    presenceColumn: 'flag',
    select: 'select q.flag, q.number, q.amount',
  });
  const [first, second] = await Promise.all([
    reader.query(echo, true, 7n, 2n ** 140n),
    reader.query(echo, false, 0n, null),
  ]);
  assert.deepEqual({ ...first!.rows[0], n: 0 }, { ...first!.rows[0], n: 0, flag: true, number: 7, amount: 2n ** 140n });
  assert.equal(second!.rows[0]!.amount, null);
});

it('the reader refuses at once after it was closed', async (t) => {
  const reader = await openReader(t);
  const asked = getBlockIdAtHeight(reader, 1);
  reader.close();
  await assert.rejects(asked, { kind: 'stopping' });
  await assert.rejects(getBlockIdAtHeight(reader, 1), { kind: 'stopping' });
});
