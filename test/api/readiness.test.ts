/** What clients are told while the database is away, empty, being filled, or somebody else's. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testDatabase } from '../support/postgres.ts';
import { takesLessThan, until } from '../support/until.ts';
import { assertUnavailable, Notebook, serveIndex, startTestWebServer, type TestAnswer } from '../support/web-server.ts';

const network = networkByName('regtest');

it('a web server waits for the scanner when the database is empty', async (t) => {
  const postgres = await testDatabase(t);
  const server = await startTestWebServer(t, { network, postgres });
  await until(async () => !(await server.isReady()), 'readiness');
  for (const path of ['/chain/tip', '/chain/1', '/transaction', '/pool']) {
    await assertUnavailable(server, path, /holds no chain yet/);
  }
  assert.equal((await server.request('/')).status, 200);
  assert.equal((await server.request('/health')).status, 200);
  assert.equal((await server.get('/transaction?items=x')).status, 400);
});

it('a web server says how far the scanner is while the indexes are missing, and knows the tip', async (t) => {
  const index = await TestIndex.create(t, network);
  await index.query('update chain_tip set is_ready = false, revision = revision + 1');
  const server = await index.serve(t);
  await until(async () => (await server.get('/chain/tip')).status === 200, 'the tip');
  assert.equal((await server.json('/chain/tip')).block_height, 0);
  await assertUnavailable(server, '/transaction', /being built.*height 0/);
  assert.equal(await server.isReady(), false);
  await index.query('update chain_tip set is_ready = true, revision = revision + 1');
  await until(() => server.isReady(), 'readiness');
  await index.query('update chain_tip set timestamp = extract(epoch from now()) - 82800, revision = revision + 1');
  const age = async () => (await server.request('/ready')).body.block_age_seconds;
  await until(async () => (await age()) >= 82_799 && (await age()) < 82_900, 'an age of 23 hours');
  assert.deepEqual(await server.json('/transaction'), []);
});

it('a web server shows a new tip within a few hundredths of a second', async (t) => {
  const { index, server } = await serveIndex(t, network);
  await server.json('/chain/tip');
  let height = 0;
  const grow = async () => {
    height++;
    await index.query(`update chain_tip set revision = revision + 1, height = ${height}`);
    await until(async () => (await server.json('/chain/tip')).block_height === height, 'the tip');
  };
  await takesLessThan(450, 'nine tips', async () => {
    for (let i = 0; i < 9; i++) await grow();
  });
});

it('a web server gives no answer older than the tip that it has told', async (t) => {
  const { index, server } = await serveIndex(t, network);
  const { held, release } = await index.holdStatistics();
  const before = server.get('/statistics/coin');
  await until(async () => (await held()) === 1, 'the first read');
  // It takes too long for a short query, and is run again as a long one.
  await new Promise((later) => setTimeout(later, 500));
  await index.query(`update chain_tip set revision = revision + 1, height = 1, block_id = sha256('')`);
  await until(async () => (await server.json('/chain/tip')).block_height === 1, 'the tip');
  const after = server.get('/statistics/coin');
  await until(async () => (await held()) === 2, 'the second read');
  await release();
  const tipOf = ({ headers }: TestAnswer) => headers.get('etag')?.split('-')[0];
  const told = tipOf(await server.get('/chain/tip'));
  assert.notEqual(tipOf(await before), told);
  assert.equal(tipOf(await after), told);
});

it('a web server notices that the chain was indexed anew, though the counter of commits begins again', async (t) => {
  const index = await TestIndex.create(t, network);
  await index.query('update chain_tip set revision = 1000, height = 5');
  const server = await index.serve(t);
  await until(async () => (await server.get('/chain/tip')).body.block_height === 5, 'the tip');
  await index.query('update chain_tip set revision = 3, height = 0');
  await until(async () => (await server.get('/chain/tip')).body.block_height === 0, 'the other tip');
});

it('a web server says where it listens, and that it has stopped', async (t) => {
  const log = new Notebook();
  const { url, stop } = await startTestWebServer(t, { network, postgres: await testDatabase(t), logger: log });
  const before = log.of(/listening|stopped/i);
  await stop();
  assert.deepEqual(before, [`info Listening on ${url} {}`]);
  assert.equal(log.lines.at(-1), 'info Stopped. {}');
});

it('a web server does not start over a database of another network', async (t) => {
  const index = await TestIndex.create(t, network);
  await assert.rejects(startTestWebServer(t, { network: networkByName('testnet'), postgres: index.postgres }), {
    name: 'OperatorError',
    message:
      /the chain of (regtest[\w-]*) .*Is --network right\? For this database it is \1\. .*: drop schema chain_indexer cascade;$/,
  });
});

it('a web server does not start over an index of another storage version, and says what the scanner is for', async (t) => {
  const { postgres, session } = await TestIndex.create(t, network);
  const refused = (message: RegExp) =>
    assert.rejects(startTestWebServer(t, { network, postgres }), { name: 'OperatorError', message });
  await session.writer.query(`update meta set value = '0.9' where name = 'storage_version'`);
  await refused(/storage version 0\.9.* Start the scanner once with --resync/);
  await session.writer.query(`delete from meta where name = 'storage_version'`);
  await refused(/no index.*nothing was changed/);
});

it('a web server serves nothing of a chain that becomes another one while it runs', async (t) => {
  const { index, server } = await serveIndex(t, network);
  await index.query(`update meta set value = 'another' where name = 'genesis_id'`);
  await index.query('update chain_tip set revision = revision + 1');
  await until(async () => !(await server.isReady()), 'the refusal');
  await assertUnavailable(server, '/chain/tip', /another network/);
});

it('a web server says which credentials are wrong, or that its port is taken, in one line', async (t) => {
  const postgres = await testDatabase(t);
  await assert.rejects(startTestWebServer(t, { network, postgres: { ...postgres, database: 'nowhere' } }), {
    name: 'OperatorError',
    message: /--postgres-/,
  });
  const server = await startTestWebServer(t, { network, postgres });
  await assert.rejects(
    startTestWebServer(t, { network, postgres, bindAddress: { host: '127.0.0.1', port: server.port } }),
    { name: 'OperatorError', message: /the port is in use.*--bind-address/ },
  );
});
