/** What clients are told while the database is away. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { query } from '../support/running-scanner.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import {
  assertUnavailable,
  Notebook,
  serveIndex,
  startTestWebServer,
  type TestServerOptions,
} from '../support/web-server.ts';

const network = networkByName('regtest');

/** A server that is ready, whose way to its database can be frozen, and what it logs. */
async function behindProxy(t: TestContext, options: Partial<TestServerOptions> = {}) {
  const index = await TestIndex.create(t, network);
  const proxy = await TcpProxy.start(t, index.postgres);
  const log = new Notebook();
  const postgres = { ...index.postgres, ...proxy.address };
  const { server } = await serveIndex(t, network, { index, postgres, logger: log, ...options });
  return { proxy, log, server };
}

it('requests are retried when connections to the database are cut and it is back at once', async (t) => {
  const { index, server } = await serveIndex(t, network, { totals: { cache_bytes: 0 } });
  const allAreAnswered = async () => {
    const statuses = new Set<number>();
    for (let round = 0; round < 10; round++) {
      const asked = Promise.all(
        Array.from({ length: 20 }, (_, i) => server.get(`/transaction?items=${i + 1}&x=${round}`)),
      );
      await cutConnections(index.postgres);
      for (const { status } of await asked) statuses.add(status);
    }
    return statuses.size === 1 && statuses.has(200);
  };
  // On a busy machine the database may not be back for longer than requests wait.
  await until(allAreAnswered, 'ten rounds without an error');
});

it('a database that cannot be reached is reported until it is back, also where the response is cached', async (t) => {
  const { proxy, server } = await behindProxy(t);
  // A small answer is kept from the second time on.
  for (let i = 0; i < 2; i++) await server.json('/transaction');
  await proxy.close();
  await until(async () => !(await server.isReady()), 'the loss');
  for (const path of ['/chain/tip', '/transaction', '/pool']) {
    await assertUnavailable(server, path, /cannot be reached/);
  }
  assert.equal((await server.request('/health')).status, 200);
  await proxy.reopen();
  await until(() => server.isReady(), 'readiness');
  assert.deepEqual(await server.json('/transaction'), []);
});

it('a web server waits for a database that cannot be reached at the start', async (t) => {
  const index = await TestIndex.create(t, network);
  const proxy = await TcpProxy.start(t, index.postgres);
  const postgres = { ...index.postgres, ...proxy.address };
  await proxy.close();
  const server = await startTestWebServer(t, { network, postgres });
  await assertUnavailable(server, '/chain/tip', /cannot be reached/);
  await proxy.reopen();
  await until(() => server.isReady(), 'readiness');
});

it('a database that falls silent without closing its connections does not hang the server', async (t) => {
  const { proxy, server } = await behindProxy(t, { statementTimeoutMs: 500 });
  proxy.freeze();
  await until(async () => (await server.get('/transaction')).status === 503, 'the loss');
  await proxy.close();
  await proxy.reopen();
  await until(() => server.isReady(), 'readiness');
  assert.deepEqual(await server.json('/transaction'), []);
});

it('a database that falls silent is logged once, fails pending requests too, and its return is logged once', async (t) => {
  const { proxy, log, server } = await behindProxy(t);
  const isConnected = async () =>
    /^chain_indexer_database_connected (\d)$/m.exec((await server.request('/metrics')).text)?.[1];
  assert.equal(await isConnected(), '1');
  proxy.freeze();
  const since = performance.now();
  await assertUnavailable(server, '/transaction', /cannot be reached/);
  const waitedMs = performance.now() - since;
  assert.ok(waitedMs < 6_000, `${waitedMs} ms`);
  await until(async () => (await isConnected()) === '0', 'the figure');
  const text = 'warn Waiting for PostgreSQL: requests are answered with 503 until it confirms the tip. {}';
  const waits = () => log.of(/^warn Waiting/);
  assert.deepEqual([...new Set(waits())], [text]);
  // On a busy machine it may have been silent before, and may be so once more.
  const returns = () => log.of(/confirms the tip again/).length;
  assert.equal(waits().length, returns() + 1);
  proxy.thaw();
  await until(() => server.isReady(), 'readiness');
  await until(() => returns() >= 1 && returns() === waits().length, 'a line for each return');
  await until(async () => (await isConnected()) === '1', 'the figure');
});

it('a request waits for a database that is silent for a moment', async (t) => {
  const { proxy, server } = await behindProxy(t);
  const isWaitedFor = async () => {
    proxy.freeze();
    const asked = server.get('/transaction');
    await sleep(500);
    proxy.thaw();
    return (await asked).status === 200;
  };
  // On a busy machine the moment may last too long.
  await until(isWaitedFor, 'an answer after a moment');
});

/** Ends every connection of the web server. */
async function cutConnections(postgres: PostgresOptions): Promise<void> {
  await query(
    postgres,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'chain-indexer web server'`,
  );
}
