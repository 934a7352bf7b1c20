import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { NodeClient } from '../../src/node/client.ts';
import { NodeTipEvents, type NodeTipEventsOptions } from '../../src/node/tip-events.ts';
import { type ReplayingNodeOptions, replayingNode } from '../support/replaying-node.ts';
import { chainFile, SmallChain } from '../support/small-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

/** Only the socket can tell anything in time. */
const SOCKET_ONLY = { pollMs: 60_000, safetyPollMs: 60_000, pauses: { firstMs: 10, maxMs: 20 } };
const SECOND = 1_000;

function listen(t: TestContext, client: NodeClient, options: NodeTipEventsOptions): NodeTipEvents {
  const events = new NodeTipEvents(client, options);
  t.after(() => events.close());
  return events;
}

/** The next tip for a reader whose own tip has the id `known`. */
const next = (tips: NodeTipEvents, known?: string) => tips.next(known, AbortSignal.timeout(5 * SECOND));

/** A node, and events of it that are connected and have told the first tip. */
async function connected(t: TestContext, options: ReplayingNodeOptions = {}) {
  const world = await replayingNode(t, options);
  const told: number[] = [];
  const tips = listen(t, world.client, { ...SOCKET_ONLY, onTip: ({ height }) => told.push(height) });
  // By the first poll, and by the one after the socket came up.
  await until(() => tips.connected && told.length >= 2, 'the first tip, twice');
  const first = await next(tips);
  return { ...world, tips, first, told };
}

it('the events of the tip tell the present tip first, then each new one', async (t) => {
  const chain = new SmallChain().grow(3);
  const { node, tips, first } = await connected(t, { chain });
  assert.deepEqual(first, { id: chain.genesisId, height: 0 });
  for (const { id, height } of chain.blocks) {
    await node.step();
    assert.deepEqual(await next(tips), { id, height });
  }
});

it('the events of the tip keep only the newest tip for a reader that is busy', async (t) => {
  const chain = new SmallChain().grow(4);
  const { node, tips, told } = await connected(t, { chain });
  await node.replay();
  await until(() => told.at(-1) === 4, 'the last tip');
  assert.equal((await next(tips))?.height, 4);
  await assert.rejects(tips.next(undefined, AbortSignal.timeout(30)), { name: 'TimeoutError' });
});

it('the events of the tip follow a recorded reorganisation', async (t) => {
  const chain = fileURLToPath(new URL('../golden/regtest-1-reorganisation.ndjson.gz', import.meta.url));
  const { node, tips } = await connected(t, { chain });
  const abandoned: string[] = [];
  let before: string | undefined;
  while (await node.step()) {
    const tip = await next(tips);
    assert.equal(tip?.id, node.tip().id);
    if (before !== undefined && node.lastCommonAncestor(before, tip!.id)?.id !== before) abandoned.push(before);
    before = tip!.id;
  }
  assert.equal(abandoned.length, 1);
  assert.equal(node.mainChainHeight(abandoned[0]!), undefined);
});

it('the events of the tip tell those who listen each tip, also one that did not change, and each poll that fails', async (t) => {
  const { client, server } = await replayingNode(t, { chain: new SmallChain().grow(2) });
  const heights: number[] = [];
  const failures: string[] = [];
  listen(t, client, {
    socket: false,
    pollMs: 10,
    pauses: { firstMs: 10, maxMs: 20 },
    onTip: ({ height }) => heights.push(height),
    onFailure: (error) => failures.push(String(error)),
  });
  await until(() => heights.length >= 3, 'three tips');
  assert.deepEqual(new Set(heights), new Set([0]));
  assert.deepEqual(failures, []);
  await server.close();
  await until(() => failures.length >= 2, 'two failures');
  assert.match(failures[0]!, /^NodeError: /);
});

it('the events of the tip come by polling when there is no socket', async (t) => {
  const chain = new SmallChain().grow(2);
  const { node, client } = await replayingNode(t, { chain });
  const tips = listen(t, client, { socket: false, pollMs: 10 });
  const first = await next(tips);
  assert.equal(first?.height, 0);
  await node.step();
  const second = await next(tips, first.id);
  assert.equal(second?.height, 1);
  assert.equal(tips.connected, false);
  assert.deepEqual(await next(tips, first.id), second, 'told again to a reader that does not have it');
  const idle = tips.next(second.id, AbortSignal.timeout(60));
  await assert.rejects(idle, { name: 'TimeoutError' }, 'not told to a reader that has it');
});

it('the events of the tip come by polling while the node refuses subscriptions', async (t) => {
  const { node, client } = await replayingNode(t, {
    faults: ({ method }) =>
      method === 'chainstate_subscribe_to_events'
        ? { type: 'rpc', code: -32601, message: 'Method not found' }
        : undefined,
  });
  const tips = listen(t, client, { ...SOCKET_ONLY, pollMs: 10 });
  const first = await next(tips);
  await node.step();
  assert.equal((await next(tips, first?.id))?.height, 1);
  assert.equal(tips.connected, false);
});

it('the events of the tip come by the slow poll when the socket stays silent', async (t) => {
  const { node, client } = await replayingNode(t);
  node.listen = () => () => {};
  const tips = listen(t, client, { ...SOCKET_ONLY, safetyPollMs: 50 });
  await until(() => tips.connected, 'the socket connects');
  await node.step();
  for (let tip = await next(tips); tip?.height !== 1; ) tip = await next(tips);
  assert.equal(tips.connected, true);
});

it('the events of the tip go on after the socket broke, telling what was announced meanwhile', async (t) => {
  const { node, tips, server, first } = await connected(t, { chain: new SmallChain().grow(2) });
  server.dropConnections();
  await node.step();
  assert.equal((await next(tips, first?.id))?.height, 1);
  await until(() => tips.connected && server.webSockets === 1, 'the socket is back');
  await node.step();
  for (let tip = await next(tips); tip?.height !== 2; ) tip = await next(tips);
});

it('the events of the tip go on after the node was away and came back with another cookie', async (t) => {
  const file = join(await temporaryDirectory(t), '.cookie');
  const auth = { type: 'cookie', file } as const;
  const { node, tips, server } = await connected(t, { server: { auth }, client: { auth } });
  await server.restart();
  await until(() => server.webSockets === 1, 'the socket is back');
  await node.step();
  for (let tip = await next(tips); tip?.height !== 1; ) tip = await next(tips);
});

for (const [what, answersPings, answersSubscriptions] of [
  ['answers no pings', false, true],
  ['does not answer the subscription', true, false],
] as const)
  it(`the events of the tip give up a socket that ${what}`, async (t) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: answersPings });
    let connections = 0;
    server.on('connection', (socket) => {
      connections++;
      if (answersSubscriptions) socket.on('message', () => socket.send('{"jsonrpc":"2.0","id":1,"result":5}'));
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new NodeClient({ address: `127.0.0.1:${port}`, auth: { type: 'none' } });
    listen(t, client, { ...SOCKET_ONLY, pingMs: 20 });
    t.after(() => {
      client.close();
      for (const socket of server.clients) socket.terminate();
      server.close();
    });
    await until(() => connections === 2, 'the socket is connected anew');
  });

it('the events of the tip end when they are closed, and so does who waits for them', async (t) => {
  const { tips, server } = await connected(t);
  const waiting = tips.next(undefined);
  await tips.close();
  assert.equal(await waiting, undefined);
  assert.equal(await tips.next(undefined), undefined);
  await until(() => server.webSockets === 0, 'the socket is closed');
});

it('the events of the tip can be read with a loop', async (t) => {
  const chain = new SmallChain().grow(3);
  const { client, node } = await replayingNode(t, { chain: await chainFile(t, chain) });
  const tips = listen(t, client, SOCKET_ONLY);
  await until(() => tips.connected, 'the socket connects');
  void node.replay(20);
  for await (const { height } of tips) if (height === 3) break;
});
