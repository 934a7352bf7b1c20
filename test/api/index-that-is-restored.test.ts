/** What a web server says of an index that is being restored, in whatever order; and that readiness is told in one account. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keyAndIndexNames } from '../../src/store/schema/create-and-drop-tables.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { Scrape } from '../support/prometheus.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';
import { assertUnavailable, Notebook, startTestWebServer, type TestServer } from '../support/web-server.ts';

const network = SIMULATED_NETWORK;
const chain = lightChain(126, 12);
const HEIGHT = 6;

/** What each place says of readiness; they must not differ. */
async function accounts(server: TestServer): Promise<{ readonly isReady: boolean; readonly reason: string | null }> {
  const scrape = await Scrape.fresh(server.port);
  const ready = await server.request('/ready');
  const { body } = await server.request('/status');
  assert.equal(body.ready, ready.status === 200);
  assert.equal(scrape.value('chain_indexer_ready'), Number(body.ready));
  if (!body.ready) assert.equal(body.not_ready_because, ready.body.status);
  return { isReady: body.ready, reason: body.not_ready_because };
}

it('an index whose tip was restored before its keys, newest rows or meta is 503 until the restore is complete', async (t) => {
  const index = await TestIndex.create(t, network);
  await index.followBytes(chain.slice(0, HEIGHT).map(({ bytes }) => bytes));
  const [{ rows: definitions }, tip] = [
    await index.query<{ name: string; sql: string }>(
      `select indexname as name, indexdef as sql from pg_indexes
        where indexname in ('utxos_key', 'transactions_tx_index') order by indexname`,
    ),
    (await index.query(`select height, block_id from chain_tip`)).rows[0]!,
  ];
  // As a restore leaves them that has loaded chain_tip only.
  await index.query('drop index utxos_key');
  await index.query('drop index transactions_tx_index');
  await index.query('create table stored_meta as select * from meta');
  await index.query('delete from meta');
  await index.query('create table newest as select * from blocks where height = $1', [tip.height]);
  await index.query('delete from blocks where height = $1', [tip.height]);

  const log = new Notebook();
  const server = await startTestWebServer(t, { network, postgres: index.postgres, logger: log });
  await assertUnavailable(server, '/transaction', /holds no chain yet/);
  assert.equal((await accounts(server)).isReady, false);

  // The revision and the id of the tip stay the same.
  await index.query('insert into meta select * from stored_meta');
  await until(async () => /being built/.test((await server.request('/ready')).text), 'the index is incomplete');
  await assertUnavailable(server, '/transaction', /being built/);
  assert.deepEqual(await accounts(server), {
    isReady: false,
    reason: (await server.request('/ready')).body.status,
  });
  await index.query('insert into blocks select * from newest');
  for (const { sql } of definitions) {
    assert.equal((await server.get('/transaction')).status, 503);
    await index.query(sql);
  }
  await until(() => server.isReady(), 'readiness');
  assert.deepEqual(await accounts(server), { isReady: true, reason: null });
  assert.ok((await server.json('/transaction')).length > 0);

  assert.equal(log.of(/another network/).length, 0);
  assert.match(log.of(/index is not complete/)[0]!, /such as|newest block/);
  assert.ok(log.of(/^info Not ready: \/ready returns 503/).length > 0);
  await until(() => log.of(/^info Ready: \/ready returns 200/).length === 1, 'the line of readiness');
});

it('an index whose newest rows, or keys of tables without other indexes, were not restored is not ready', async (t) => {
  for (const [missing, said] of [
    ['delete from blocks where height = (select height from chain_tip)', /newest block/],
    ['delete from transactions where tx_index = (select transaction_count - 1 from chain_tip)', /newest transaction/],
    ['alter table markets drop constraint markets_pkey', /markets_pkey/],
    ['drop index removed_transactions_block', /removed_transactions_block/],
  ] as const) {
    const index = await TestIndex.create(t, network);
    await index.followBytes(chain.slice(0, HEIGHT).map(({ bytes }) => bytes));
    await index.query(missing);
    const log = new Notebook();
    const server = await startTestWebServer(t, { network, postgres: index.postgres, logger: log });
    await until(() => log.of(said).length > 0, 'it says what is missing');
    assert.equal((await accounts(server)).isReady, false);
  }
});

it('an index that was dropped while its server ran is looked through again, though the restored tip is the same', async (t) => {
  const index = await TestIndex.create(t, network);
  await index.followBytes(chain.slice(0, HEIGHT).map(({ bytes }) => bytes));
  const server = await startTestWebServer(t, { network, postgres: index.postgres });
  await until(() => server.isReady(), 'readiness');
  const { sql } = (
    await index.query<{ sql: string }>(`select indexdef as sql from pg_indexes where indexname = 'utxos_key'`)
  ).rows[0]!;
  // No poll can find the database without a tip.
  await index.query(`do $$ begin
    drop index utxos_key;
    alter table chain_tip rename to dropped;
    create table chain_tip (like dropped including defaults);
    insert into chain_tip select * from dropped;
  end $$`);
  await until(async () => /being built/.test((await server.request('/ready')).text), 'the index is incomplete');
  assert.equal((await accounts(server)).isReady, false);
  await index.query(sql);
  await until(() => server.isReady(), 'readiness');
});

it('a complete index has the keys and indexes that are looked for, and no others', async (t) => {
  const index = await TestIndex.create(t, network);
  await index.followBytes(chain.slice(0, HEIGHT).map(({ bytes }) => bytes));
  const { rows } = await index.query<{ name: string }>(
    `select indexname as name from pg_indexes where schemaname = 'chain_indexer' order by 1`,
  );
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), keyAndIndexNames().toSorted());
});
