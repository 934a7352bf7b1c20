/** What clients are told while the database is away, empty, being filled, or somebody else's. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startWebServer } from '../../src/api/server.ts';
import { networkByName } from '../../src/chain/networks/known.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { Gate } from '../support/gate.ts';
import { testDatabase } from '../support/postgres.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { TestIndex } from '../support/test-index.ts';
import { until } from '../support/until.ts';
import { Notebook, SILENT, startTestWebServer, type TestAnswer, type TestServer } from '../support/web-server.ts';

const network = networkByName('regtest');

async function assertUnavailable(server: TestServer, path: string, error: RegExp): Promise<void> {
  const answer = await server.get(path);
  assert.equal(answer.status, 503, `${path}: ${answer.text}`);
  assert.match(answer.body.error, error);
  assert.match(answer.headers.get('retry-after')!, /^[1-9][0-9]*$/);
}

async function ready(server: TestServer): Promise<number> {
  return (await server.request('/ready')).status;
}

/** A server whose way to its database can be frozen, and what it logs. */
async function behindProxy(t: TestContext) {
  const index = await TestIndex.create(t, network);
  const proxy = await TcpProxy.start(t, index.postgres);
  const log = new Notebook();
  const postgres = { ...index.postgres, host: '127.0.0.1', port: proxy.port };
  return { proxy, log, server: await startTestWebServer(t, { network, postgres, logger: log }) };
}

describe('a web server', () => {
  it('waits for the scanner when the database is empty', async (t) => {
    const postgres = await testDatabase(t);
    const server = await startTestWebServer(t, { network, postgres });
    await until(async () => (await ready(server)) === 503, 'readiness');
    for (const path of ['/chain/tip', '/chain/1', '/transaction', '/pool']) {
      await assertUnavailable(server, path, /holds no chain yet/);
    }
    assert.equal((await server.request('/')).status, 200);
    assert.equal((await server.request('/health')).status, 200);
    assert.equal((await server.get('/transaction?items=x')).status, 400);
  });

  it('says how far the scanner is while the indexes are missing, and knows the tip', async (t) => {
    const index = await TestIndex.create(t, network);
    await index.session.writer.query('update chain_tip set is_ready = false, revision = revision + 1');
    const server = await startTestWebServer(t, { network, postgres: index.postgres });
    await until(async () => (await server.get('/chain/tip')).status === 200, 'the tip');
    assert.equal((await server.json('/chain/tip')).block_height, 0);
    await assertUnavailable(server, '/transaction', /being built.*height 0/);
    assert.equal(await ready(server), 503);
    await index.session.writer.query('update chain_tip set is_ready = true, revision = revision + 1');
    await until(async () => (await ready(server)) === 200, 'readiness');
    assert.deepEqual(await server.json('/transaction'), []);
  });

  it('shows a new tip within a few hundredths of a second', async (t) => {
    const index = await TestIndex.create(t, network);
    const server = await startTestWebServer(t, { network, postgres: index.postgres });
    await until(async () => (await ready(server)) === 200, 'readiness');
    await server.json('/chain/tip');
    const waits: number[] = [];
    for (let height = 1; height <= 9; height++) {
      await index.session.writer.query(`update chain_tip set revision = revision + 1, height = ${height}`);
      const since = performance.now();
      await until(async () => (await server.json('/chain/tip')).block_height === height, 'the tip');
      waits.push(performance.now() - since);
    }
    const median = waits.sort((a, b) => a - b)[4]!;
    assert.ok(median < 50, `${median} ms`);
  });

  it('gives no answer older than the tip that it has told', async (t) => {
    const index = await TestIndex.create(t, network);
    const { writer } = index.session;
    const server = await startTestWebServer(t, { network, postgres: index.postgres });
    await until(async () => (await ready(server)) === 200, 'readiness');
    // Who reads the statistics waits for the lock, with the snapshot taken before.
    await writer.query(`
      alter table statistics rename to slow_statistics;
      create view statistics as
        select s.* from slow_statistics s cross join lateral (select pg_advisory_xact_lock_shared(1) offset 0) wait;
      select pg_advisory_lock(1)`);
    const before = server.get('/statistics/coin');
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted
                     and database = (select oid from pg_database where datname = current_database())`;
    await until(async () => (await writer.query(waiting)).rowCount === 1, 'the first read');
    await writer.query(`update chain_tip set revision = revision + 1, height = 1, block_id = sha256('')`);
    await until(async () => (await server.json('/chain/tip')).block_height === 1, 'the tip');
    const after = server.get('/statistics/coin');
    await until(async () => (await writer.query(waiting)).rowCount === 2, 'the second read');
    await writer.query('select pg_advisory_unlock(1)');
    const tipOf = ({ headers }: TestAnswer) => headers.get('etag')?.split('-')[0];
    const told = tipOf(await server.get('/chain/tip'));
    assert.notEqual(tipOf(await before), told);
    assert.equal(tipOf(await after), told);
  });

  it('notices that the chain was indexed anew, though the counter of commits begins again', async (t) => {
    const index = await TestIndex.create(t, network);
    await index.session.writer.query('update chain_tip set revision = 1000, height = 5');
    const server = await startTestWebServer(t, { network, postgres: index.postgres });
    await until(async () => (await server.get('/chain/tip')).body.block_height === 5, 'the tip');
    await index.session.writer.query('update chain_tip set revision = 3, height = 0');
    await until(async () => (await server.get('/chain/tip')).body.block_height === 0, 'the other tip');
  });

  it('stops at once though clients keep their connections, after the answers under way', async (t) => {
    const index = await TestIndex.create(t, network);
    const stops: (() => unknown)[] = [];
    const server = await startTestWebServer(
      { after: (stop: () => unknown) => stops.push(stop) },
      { network, postgres: index.postgres },
    );
    await until(async () => (await ready(server)) === 200, 'readiness');
    // A connection whose request nobody has read yet may be closed: its client asks another server.
    const asked = Promise.allSettled(Array.from({ length: 30 }, (_, i) => server.get(`/transaction?x=${i}`)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const since = performance.now();
    for (const stop of stops) await stop();
    assert.ok(performance.now() - since < 2_000);
    for (const answer of await asked) {
      if (answer.status === 'fulfilled') assert.equal(answer.value.status, 200);
    }
  });

  it('says where it listens, and that it has stopped', async (t) => {
    const log = new Notebook();
    const stops: (() => unknown)[] = [];
    const { url } = await startTestWebServer(
      { after: (stop: () => unknown) => stops.push(stop) },
      { network, postgres: await testDatabase(t), logger: log },
    );
    const before = log.of(/listening|stopped/i);
    for (const stop of stops) await stop();
    assert.deepEqual(before, [`info Listening on ${url} {}`]);
    assert.equal(log.lines.at(-1), 'info Stopped. {}');
  });

  it('does not start over a database of another network', async (t) => {
    const index = await TestIndex.create(t, network);
    await assert.rejects(startTestWebServer(t, { network: networkByName('testnet'), postgres: index.postgres }), {
      name: 'OperatorError',
      message: /the chain of regtest.* start the scanner once with --resync/,
    });
  });

  it('does not start over an index of another storage version, and says what the scanner is for', async (t) => {
    const { postgres, session } = await TestIndex.create(t, network);
    const refused = (message: RegExp) =>
      assert.rejects(startTestWebServer(t, { network, postgres }), { name: 'OperatorError', message });
    await session.writer.query(`update meta set value = '0.9' where name = 'storage_version'`);
    await refused(/storage version 0\.9.* Start the scanner once with --resync/);
    await session.writer.query(`delete from meta where name = 'storage_version'`);
    await refused(/no index.* start the scanner once with --resync/);
  });

  it('serves nothing of a chain that becomes another one while it runs', async (t) => {
    const index = await TestIndex.create(t, network);
    const server = await startTestWebServer(t, { network, postgres: index.postgres });
    await until(async () => (await ready(server)) === 200, 'readiness');
    await index.session.writer.query(`update meta set value = 'another' where name = 'genesis_id'`);
    await index.session.writer.query('update chain_tip set revision = revision + 1');
    await until(async () => (await ready(server)) === 503, 'the refusal');
    await assertUnavailable(server, '/chain/tip', /another network/);
  });

  it('says which credentials are wrong, or that its port is taken, in one line', async (t) => {
    const postgres = await testDatabase(t);
    await assert.rejects(startTestWebServer(t, { network, postgres: { ...postgres, database: 'nowhere' } }), {
      name: 'OperatorError',
      message: /--postgres-/,
    });
    const server = await startTestWebServer(t, { network, postgres });
    await assert.rejects(
      startWebServer({
        network,
        postgres,
        bindAddress: { host: '127.0.0.1', port: server.port },
        contract: 'described',
        enablePostRoutes: false,
        node: null,
        logger: SILENT,
      }),
      { name: 'OperatorError', message: /the port is in use.*--bind-address/ },
    );
  });
});

describe('a database that goes away', () => {
  it('in the middle of a request is no matter when it is back at once', async (t) => {
    const index = await TestIndex.create(t, network);
    const server = await startTestWebServer(t, { network, postgres: index.postgres, budget: { cacheBytes: 0 } });
    await until(async () => (await ready(server)) === 200, 'readiness');
    const statuses = new Map<number, number>();
    for (let round = 0; round < 10; round++) {
      const asked = Promise.all(
        Array.from({ length: 20 }, (_, i) => server.get(`/transaction?items=${i + 1}&x=${round}`)),
      );
      await cutConnections(index.postgres);
      for (const { status } of await asked) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual([...statuses.keys()], [200], JSON.stringify([...statuses]));
  });

  it('is reported until it is back, also where the answer is known', async (t) => {
    const index = await TestIndex.create(t, network);
    const gate = await Gate.open(t, index.postgres);
    const postgres = { ...index.postgres, host: '127.0.0.1', port: gate.port };
    const server = await startTestWebServer(t, { network, postgres });
    await until(async () => (await ready(server)) === 200, 'readiness');
    // A small answer is kept from the second time on.
    for (let i = 0; i < 2; i++) await server.json('/transaction');
    await gate.close();
    await until(async () => (await ready(server)) === 503, 'the loss');
    for (const path of ['/chain/tip', '/transaction', '/pool']) {
      await assertUnavailable(server, path, /cannot be reached/);
    }
    assert.equal((await server.request('/health')).status, 200);
    await gate.reopen();
    await until(async () => (await ready(server)) === 200, 'readiness');
    assert.deepEqual(await server.json('/transaction'), []);
  });

  it('is waited for when it is not there at the start', async (t) => {
    const index = await TestIndex.create(t, network);
    const gate = await Gate.open(t, index.postgres);
    const postgres = { ...index.postgres, host: '127.0.0.1', port: gate.port };
    await gate.close();
    const server = await startTestWebServer(t, { network, postgres });
    await assertUnavailable(server, '/chain/tip', /cannot be reached/);
    await gate.reopen();
    await until(async () => (await ready(server)) === 200, 'readiness');
  });

  it('without closing its connections does not hang the server', async (t) => {
    const index = await TestIndex.create(t, network);
    const gate = await Gate.open(t, index.postgres);
    const postgres = { ...index.postgres, host: '127.0.0.1', port: gate.port };
    const server = await startTestWebServer(t, { network, postgres, statementTimeoutMs: 500 });
    await until(async () => (await ready(server)) === 200, 'readiness');
    gate.fallSilent();
    await until(async () => (await server.get('/transaction')).status === 503, 'the loss');
    await gate.close();
    await gate.reopen();
    await until(async () => (await ready(server)) === 200, 'readiness');
    assert.deepEqual(await server.json('/transaction'), []);
  });

  it('and is silent, is reported once, to those as well who had asked before, and its return too', async (t) => {
    const { proxy, log, server } = await behindProxy(t);
    const isConnected = async () =>
      /^chain_indexer_database_connected (\d)$/m.exec((await server.request('/metrics')).text)?.[1];
    await until(async () => (await ready(server)) === 200, 'readiness');
    assert.equal(await isConnected(), '1');
    proxy.freeze();
    const since = performance.now();
    await assertUnavailable(server, '/transaction', /cannot be reached/);
    const waitedMs = performance.now() - since;
    assert.ok(waitedMs < 6_000, `${waitedMs} ms`);
    await until(async () => (await isConnected()) === '0', 'the figure');
    assert.deepEqual(log.of(/^warn/), [
      'warn The database has not confirmed the tip for 2 s. Requests are answered with 503 until it does. {}',
    ]);
    proxy.thaw();
    await until(async () => (await ready(server)) === 200, 'readiness');
    await until(() => log.of(/confirms the tip again/).length === 1, 'the line of the log');
    assert.equal(log.of(/^warn/).length, 1);
    await until(async () => (await isConnected()) === '1', 'the figure');
  });

  it('for a moment without closing its connections is waited for', async (t) => {
    const { proxy, log, server } = await behindProxy(t);
    await until(async () => (await ready(server)) === 200, 'readiness');
    proxy.freeze();
    const asked = server.json('/transaction');
    await sleep(1_200);
    proxy.thaw();
    assert.deepEqual(await asked, []);
    assert.deepEqual(log.of(/^warn/), []);
  });
});

/** Ends every connection of the web server. */
async function cutConnections({ host, port, user, password, database }: PostgresOptions): Promise<void> {
  const client = new pg.Client({ host, port, user, password, database });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'chain-indexer web server'`,
  );
  await client.end();
}
