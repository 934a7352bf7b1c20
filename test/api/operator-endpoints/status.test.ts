/** `/status` of a web server, in each mode. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { thisBuild } from '../../../src/config/this-build.ts';
import { createExplorer } from '../../../src/explorer/explorer.ts';
import { STORAGE_VERSION } from '../../../src/store/schema/database-identity.ts';
import { builtBefore } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { Scrape } from '../../support/prometheus.ts';
import { ScriptedNode } from '../../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import type { TestServer } from '../../support/web-server.ts';

const chain = lightChain(125, 12);
const HEIGHT = 20;
const index = builtBefore(async (scope) => {
  const made = await TestIndex.create(scope, SIMULATED_NETWORK);
  await made.followBytes(chain.slice(0, HEIGHT).map(({ bytes }) => bytes));
  return made;
});

async function nodeAt(t: TestContext, height: number): Promise<ScriptedNode> {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.add(chain);
  node.setTip(chain[height - 1]!.id);
  return node;
}

// biome-ignore lint/suspicious/noExplicitAny: the test names what it reads
async function statusOf(server: TestServer): Promise<any> {
  const { status, body, headers } = await server.request('/status');
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'no-store');
  return body;
}

const nodeOptions = ({ address }: ScriptedNode) => ({ address, auth: { type: 'none' } as const, idleTimeoutMs: 1_000 });

it('the status of a server that follows names its build, and the state of index, node, mempool and database', async (t) => {
  const node = await nodeAt(t, HEIGHT + 3);
  const server = await index().serve(t, { node: nodeOptions(node) });
  await until(async () => (await statusOf(server)).mempool !== null, 'the mempool is known');
  await until(async () => (await statusOf(server)).database.role !== null, 'the role of the database is known');
  await until(async () => (await statusOf(server)).node.height !== null, 'the node is known');
  const host = `${index().postgres.host}:${index().postgres.port}`;
  const { index: indexed, node: asked, ...rest } = await statusOf(server);
  assert.deepEqual(rest, {
    program: 'web-server',
    ...thisBuild(),
    storage_version: STORAGE_VERSION,
    network: SIMULATED_NETWORK.name,
    contract: 'described',
    ready: true,
    not_ready_because: null,
    mode: 'following',
    adding: [],
    mempool: { complete: true, count: 0 },
    database: { connected: true, host, role: 'primary', timeline: '00000001', lag_seconds: null },
  });
  const { age_seconds: age, ...tip } = indexed;
  const { id, timestamp } = chain[HEIGHT - 1]!;
  assert.deepEqual(tip, { height: HEIGHT, id, timestamp, lag_blocks: 3 });
  assert.ok(Math.abs(age - (Date.now() / 1_000 - timestamp)) < 60);
  const { answer_age_seconds: answerAge, ...state } = asked;
  assert.deepEqual(state, {
    ...{ address: node.address, reachable: true, on_our_chain: true, height: HEIGHT + 3, problem: null },
  });
  assert.ok(answerAge < 60);
});

it('the status is JSON for a browser as well', async (t) => {
  const server = await index().serve(t, { node: null, pages: createExplorer({ origin: 'http://localhost' }) });
  const { status, headers } = await server.request('/status', { headers: { accept: 'text/html' } });
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/json']);
});

/** The metrics of the node and its mempool, without the labels; those that are absent are missing. */
async function nodeMetrics(server: TestServer): Promise<Record<string, number>> {
  const { text } = await Scrape.fresh(server.port);
  const samples = text.matchAll(/^chain_indexer_((?:node|mempool)_(?!in_use|problem)\w+)(?:{node="[^"]+"})? (\S+)$/gm);
  return Object.fromEntries([...samples].map(([, name, value]) => [name!, Number(value)]));
}

it('the status and the metrics tell a node that is behind, on another branch, or cannot be used', async (t) => {
  const node = await nodeAt(t, HEIGHT - 2);
  const server = await index().serve(t, { node: nodeOptions(node) });
  await until(async () => (await statusOf(server)).node.height === HEIGHT - 2, 'the height of the node');
  const behind = await statusOf(server);
  assert.deepEqual([behind.node.on_our_chain, behind.index.lag_blocks, behind.mempool], [true, null, null]);
  const { node_answer_age_seconds: age, ...figures } = await nodeMetrics(server);
  const known = { node_reachable: 1, node_on_our_chain: 1, node_height_blocks: HEIGHT - 2 };
  assert.deepEqual(figures, { ...known, mempool_complete: 0 }, 'nothing of its mempool is counted');
  assert.ok(age! >= 0 && age! < 60);
  const short = lightChain(3, 14);
  node.add(short);
  node.setTip(short.at(-1)!.id);
  await until(async () => (await statusOf(server)).node.on_our_chain === false, 'its block at its height is another');
  const forked = await statusOf(server);
  assert.deepEqual([forked.node.height, forked.index.lag_blocks, forked.mempool], [3, null, null]);
  const branch = lightChain(HEIGHT + 2, 13);
  node.add(branch);
  node.setTip(branch.at(-1)!.id);
  await until(async () => (await statusOf(server)).node.on_our_chain === false, 'it is on another branch');
  assert.equal((await nodeMetrics(server)).node_on_our_chain, 0);
  await node.stop();
  await until(async () => !(await statusOf(server)).node.reachable, 'it cannot be reached');
  const away = await statusOf(server);
  assert.match(away.node.problem, /is not reachable/);
  assert.deepEqual([away.node.height, away.index.lag_blocks], [null, null]);
  const { node_reachable: reachable, node_height_blocks: height } = await nodeMetrics(server);
  assert.deepEqual([reachable, height], [0, undefined]);
});

it('the status of a server without a node, and while the index is built or the database is away', async (t) => {
  const own = await TestIndex.create(t, SIMULATED_NETWORK);
  await own.followBytes(chain.slice(0, HEIGHT).map(({ bytes }) => bytes));
  const proxy = await TcpProxy.start(t, own.postgres);
  const node = await nodeAt(t, HEIGHT);
  const server = await own.serve(t, { node: nodeOptions(node), postgres: { ...own.postgres, ...proxy.address } });
  const alone = await own.serve(t, { node: null });
  assert.equal((await statusOf(alone)).node, null);
  await own.query('update chain_tip set is_ready = false, revision = revision + 1');
  await until(async () => (await statusOf(server)).mode === 'building_indexes', 'indexes are being built');
  // The node goes on meanwhile.
  node.setTip(chain[HEIGHT + 1]!.id);
  await until(async () => (await statusOf(server)).node.height === HEIGHT + 2, 'the height of the node');
  assert.equal((await statusOf(server)).mode, 'building_indexes');
  node.setTip(chain.at(-1)!.id);
  await until(async () => (await statusOf(server)).mode === 'syncing', 'it is syncing');
  proxy.freeze();
  await until(async () => (await statusOf(server)).mode === 'waiting_for_database', 'the database is away');
  assert.equal((await statusOf(server)).database.connected, false);
  await proxy.close();
});
