/** A web server whose node is of another network, silent, or refuses the credentials. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import type { Fault } from '../support/faulty-rpc-server.ts';
import { builtBefore } from '../support/file-scope.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { Scrape } from '../support/prometheus.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { deposit } from '../support/small-chain.ts';
import { until } from '../support/until.ts';
import type { TestServer } from '../support/web-server.ts';

const chain = lightChain(20, 12);
const index = builtBefore(async (scope) => {
  const made = await TestIndex.create(scope, SIMULATED_NETWORK);
  await made.followBytes(chain.map(({ bytes }) => bytes));
  return made;
});
const BLOCK = chain[5]!.id;
const SUBMISSION = encodeSignedTransaction(deposit(100)).toString('hex');
const OTHER = 'ab'.repeat(32);

async function nodeOf(t: TestContext): Promise<ScriptedNode> {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.add(chain);
  node.setTip(chain.at(-1)!.id);
  return node;
}

/** Makes it a node of another network. */
function pretend(node: ScriptedNode): void {
  node.mainChainId = () => OTHER;
}

/** Logs of the server, as its operator sees them. */
interface Line {
  readonly fields: { readonly reason?: string; readonly node?: string };
  readonly message: string;
}

async function serve(t: TestContext, ...nodes: ScriptedNode[]): Promise<{ server: TestServer; lines: Line[] }> {
  const lines: Line[] = [];
  const note = (fields: object, message: string) => void lines.push({ fields, message });
  const [first, ...others] = nodes.map(({ address }) => ({ address, auth: { type: 'none' } as const }));
  const server = await index().serve(t, {
    enablePostRoutes: true,
    node: { ...first!, ...(others.length > 0 && { others }), idleTimeoutMs: 2_000 },
    logger: { info: note, warn: note, error: note },
  });
  await until(() => server.isReady(), 'readiness');
  return { server, lines };
}

const NEEDS_NODE = ['/feerate', '/feerate/recommended', `/block/${BLOCK}/raw`, '/mempool', '/mempool/transactions'];

async function answers(
  server: TestServer,
): Promise<readonly { status: number; text: string; ms: number; path: string }[]> {
  const timed = async (path: string, ask: Promise<{ status: number; text: string }>) => {
    const began = performance.now();
    const { status, text } = await ask;
    return { path, status, text, ms: performance.now() - began };
  };
  const submitted = server.request('/api/v2/transaction', { method: 'POST', body: SUBMISSION });
  return Promise.all([...NEEDS_NODE.map((path) => timed(path, server.get(path))), timed('submission', submitted)]);
}

it('nothing of a node of another network is used: 503 says so, and the log, the metrics and /ready', async (t) => {
  const node = await nodeOf(t);
  const asked: string[] = [];
  node.faults = ({ method }) => void asked.push(method);
  pretend(node);
  const { server, lines } = await serve(t, node);
  for (const { path, status, text } of await answers(server)) {
    assert.equal(status, 503, path);
    assert.match(text, /The node of this server belongs to another network/, path);
  }
  const used = asked.filter((method) => method !== 'chainstate_block_id_at_height' && method !== 'upgrade');
  assert.deepEqual(used, [], 'only its genesis was asked');
  const said = lines.filter(({ message }) => message === 'the node cannot be used');
  assert.equal(said.length, 1);
  assert.match(said[0]!.fields.reason!, new RegExp(`expected ${SIMULATED_NETWORK.name} .* found the genesis ${OTHER}`));
  const scrape = await Scrape.of(server.port);
  assert.equal(scrape.value(`chain_indexer_node_in_use{node="${node.address}"}`), 0);
  assert.equal(scrape.value(`chain_indexer_node_problem{node="${node.address}",problem="other network"}`), 1);
  const ready = await fetch(`http://127.0.0.1:${server.port}/ready`);
  assert.equal(ready.status, 200, 'what needs no node is served');
  assert.match(((await ready.json()) as { node: string }).node, /of another network/);

  // The right one at the same address.
  node.mainChainId = (height) => ScriptedNode.prototype.mainChainId.call(node, height);
  await until(async () => (await server.get(`/block/${BLOCK}/raw`)).status === 200, 'the block of the right node');
  assert.ok(lines.some(({ message }) => message === 'the node can be used again'));
  const inUse = `chain_indexer_node_in_use{node="${node.address}"}`;
  await until(async () => (await Scrape.fresh(server.port)).value(inUse) === 1, 'the metrics say so');
});

it('a node that comes back as one of another network is not used any more', async (t) => {
  const node = await nodeOf(t);
  const { server } = await serve(t, node);
  assert.equal((await server.get(`/block/${BLOCK}/raw`)).status, 200);
  pretend(node);
  await node.restart(20);
  const { status, text } = await server.get(`/block/${chain[7]!.id}/raw`);
  assert.equal(status, 503);
  assert.match(text, /another network/);
});

it('a silent node keeps one request waiting; the others get the last value or 503 at once, until it speaks again', async (t) => {
  const node = await nodeOf(t);
  const { server, lines } = await serve(t, node);
  assert.equal((await server.get('/feerate')).status, 200);
  // As a stopped process: connections stay open, nothing is answered.
  node.faults = () => ({ type: 'delay', ms: 60_000 });
  await server.get(`/block/${BLOCK}/raw`);
  await until(() => lines.some(({ fields }) => /did not answer/.test(fields.reason ?? '')), 'the silence is known');
  await until(async () => {
    const all = await answers(server);
    return all.every(({ ms }) => ms < 50) && all.some(({ path, status }) => path === '/feerate' && status === 200);
  }, 'all are answered within 50 ms');
  for (const { path, status } of await answers(server)) {
    if (path.startsWith('/feerate')) assert.equal(status, 200, path);
    if (path.includes('/raw') || path === 'submission') assert.equal(status, 503, path);
  }
  assert.match((await server.get(`/block/${BLOCK}/raw`)).headers.get('retry-after')!, /^\d+$/);
  node.faults = () => undefined;
  await until(async () => (await server.get(`/block/${BLOCK}/raw`)).status === 200, 'the block of the node');
});

it('wrong credentials are one line of the log, and pass when they become right', async (t) => {
  const node = await nodeOf(t);
  const refuse: Fault = { type: 'unauthorized' };
  node.faults = () => refuse;
  const { server, lines } = await serve(t, node);
  for (let i = 0; i < 3; i++) await answers(server);
  const said = lines.filter(({ message }) => message === 'the node cannot be used');
  assert.equal(said.length, 1);
  assert.match(said[0]!.fields.reason!, /asks for credentials/);
  const scrape = await Scrape.fresh(server.port);
  assert.equal(scrape.value(`chain_indexer_node_problem{node="${node.address}",problem="unauthorized"}`), 1);
  node.faults = () => undefined;
  await until(async () => (await server.get(`/block/${BLOCK}/raw`)).status === 200, 'the block of the node');
});

it('a node whose answers are cut JSON is not reachable: in the status, the metrics, /ready, the page and the log', async (t) => {
  const node = await nodeOf(t);
  const { server, lines } = await serve(t, node);
  const nodeState = async () => (await server.request('/status')).body.node;
  await until(async () => (await nodeState()).height === chain.length, 'the height of the node');
  node.faults = () => ({ type: 'garbage', text: '{"jsonrpc":"2.0","id":1,"resu' });
  await until(async () => !(await nodeState()).reachable, 'it cannot be used');
  const { problem, height } = await nodeState();
  assert.match(problem, /with something else than JSON/);
  assert.equal(height, null);
  assert.ok(lines.some(({ fields, message }) => message === 'the node cannot be used' && /JSON/.test(fields.reason!)));
  const scrape = await Scrape.fresh(server.port);
  assert.equal(scrape.value(`chain_indexer_node_reachable{node="${node.address}"}`), 0);
  assert.equal(scrape.value(`chain_indexer_node_problem{node="${node.address}",problem="malformed"}`), 1);
  assert.ok((await nodeState()).answer_age_seconds >= 3, 'answers that cannot be used are not counted');
  const ready = await fetch(`http://127.0.0.1:${server.port}/ready`);
  assert.match(((await ready.json()) as { node: string }).node, /something else than JSON/);
  node.faults = () => undefined;
  await until(async () => (await nodeState()).reachable, 'it can be used again');
});
