/** The node's mempool as we ask it, and its events as we hear them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { it, type TestContext } from 'node:test';
import { WebSocketServer } from 'ws';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { NodeClient } from '../../src/node/client.ts';
import { MEMPOOL_EVENTS, NodeEventSocket } from '../../src/node/event-socket.ts';
import { NodeError } from '../../src/node/node-error.ts';
import { type NodeMempoolEvent, parseNodeMempoolEvent } from '../../src/node/result-parsers.ts';
import { idOf } from '../support/fake-mempool.ts';
import { submit } from '../support/payments.ts';
import { replayingNode } from '../support/replaying-node.ts';
import { deposit } from '../support/small-chain.ts';
import { until } from '../support/until.ts';

const [first, second] = [deposit(40, 1), deposit(50, 2)];
const QUICK = { pingMs: 5_000, pauses: { firstMs: 10, maxMs: 20 } };

/** Events, and how often there was a subscription and how often it ended. */
function listen(t: TestContext, client: NodeClient) {
  const heard = { events: [] as NodeMempoolEvent[], subscribed: 0, ended: 0 };
  const events = new NodeEventSocket(
    client,
    MEMPOOL_EVENTS,
    {
      subscribed: () => heard.subscribed++,
      ended: () => heard.ended++,
      event: (event) => heard.events.push(event),
    },
    QUICK,
  );
  t.after(() => events.close());
  return heard;
}

it('the mempool of the node is listed in the order of acceptance, and asked for one by one', async (t) => {
  const { node, client } = await replayingNode(t);
  assert.deepEqual(await client.mempoolTransactions(), []);
  for (const signed of [second, first]) submit(node, signed);
  assert.deepEqual(await client.mempoolTransactions(), [second, first].map(encodeSignedTransaction));
  assert.deepEqual(await client.mempoolTransaction(idOf(first)), {
    bytes: encodeSignedTransaction(first),
    pool: 'mempool',
  });
  assert.equal(await client.mempoolTransaction('11'.repeat(32)), null);
});

const limits = { maxResponseBytes: 4_000 };
for (const [what, options] of [
  ['the node tells', { server: limits }],
  ['we read', { client: limits }],
] as const) {
  it(`the mempool of the node may be larger than ${what}, which is no failure`, async (t) => {
    const { node, client } = await replayingNode(t, options);
    submit(node, first);
    assert.equal((await client.mempoolTransactions())?.length, 1);
    const large = deposit(3_000);
    submit(node, large);
    assert.equal(await client.mempoolTransactions(), 'too large');
  });
}

for (const [method, result] of [
  ['mempool_transactions', '{}'],
  ['mempool_transactions', '["0"]'],
  ['mempool_transactions', '[7]'],
  ['mempool_transactions', `["${'00'.repeat(40)}"]`],
  ['mempool_get_transaction', '"00"'],
  ['mempool_get_transaction', '{"status":"InMempool"}'],
  ['mempool_get_transaction', '{"status":"Elsewhere","transaction":"00"}'],
] as const) {
  it(`the mempool of the node is not taken from an answer to ${method} such as ${result}`, async (t) => {
    const fault = { type: 'garbage', text: `{"jsonrpc":"2.0","id":1,"result":${result}}` } as const;
    const { client } = await replayingNode(t, { faults: () => fault });
    const asked = method === 'mempool_transactions' ? client.mempoolTransactions() : client.mempoolTransaction('');
    await assert.rejects(asked, (error) => error instanceof NodeError && error.kind === 'malformed');
  });
}

it('the events of the mempool tell new tips, and each transaction that was submitted, also again', async (t) => {
  const { node, client } = await replayingNode(t);
  const heard = listen(t, client);
  await until(() => heard.subscribed === 1, 'the subscription');
  submit(node, first);
  node.submitTransaction(first, encodeSignedTransaction(first), { type: 'Remote', peerId: 3 });
  await node.step();
  await until(() => heard.events.length === 3, 'three events');
  const { id, height } = node.tip();
  assert.deepEqual(heard.events, [
    { type: 'TransactionProcessed', id: idOf(first), origin: 'local', accepted: true },
    { type: 'TransactionProcessed', id: idOf(first), origin: 'remote', accepted: true },
    { type: 'NewTip', tip: { id, height } },
  ]);
});

it('the events of the mempool go on after the node was restarted, and say that some may be missing', async (t) => {
  const { node, server, client } = await replayingNode(t);
  const heard = listen(t, client);
  await until(() => heard.subscribed === 1, 'the subscription');
  server.dropConnections();
  await until(() => heard.subscribed === 2, 'the next subscription');
  assert.equal(heard.ended, 1);
  await node.step();
  await until(() => heard.events.length === 1, 'a tip');
});

it('the events of the mempool come over one connection only', async (t) => {
  const { server, client } = await replayingNode(t);
  const heard = listen(t, client);
  await until(() => heard.subscribed === 1, 'the subscription');
  assert.equal(server.webSockets, 1);
});

it('the events of the mempool are passed over where they are none that we know', () => {
  const content = { tx_id: '11'.repeat(32), origin: { type: 'Local' }, relay: {}, successful: true };
  const type = 'TransactionProcessed';
  assert.ok(parseNodeMempoolEvent({ type, content }));
  for (const strange of [
    null,
    7,
    [],
    { type },
    { type: 'Other', content },
    { type, content: { ...content, tx_id: '11' } },
    { type, content: { ...content, tx_id: 'XX'.repeat(32) } },
    { type, content: { ...content, origin: null } },
    { type, content: { ...content, origin: { type: 'Moon' } } },
    { type, content: { ...content, successful: 'yes' } },
    { type: 'NewTip', content: { id: '11'.repeat(32), height: -1 } },
  ])
    assert.equal(parseNodeMempoolEvent(strange), undefined);
});

it('the events of the mempool of a node that talks nonsense do no harm', async (t) => {
  let connections = 0;
  const strange = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(strange, 'listening');
  t.after(() => strange.close());
  strange.on('connection', (socket) => {
    connections++;
    socket.on('message', () => {
      if (connections === 1) return socket.send('no JSON');
      if (connections === 2) return socket.send('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"none"}}');
      socket.send('[]');
      socket.send('{"jsonrpc":"2.0","id":1,"result":5}');
      socket.send('{"jsonrpc":"2.0","method":"mempool_subscribe_to_events","params":{"subscription":5,"result":[]}}');
      socket.send('{"jsonrpc":"2.0","id":1,"result":6}');
      const event = { type: 'NewTip', content: { id: '11'.repeat(32), height: 4 } };
      for (const subscription of [7, 5]) {
        const method = 'mempool_subscribe_to_events';
        socket.send(JSON.stringify({ jsonrpc: '2.0', method, params: { subscription, result: event } }));
      }
    });
  });
  const address = `127.0.0.1:${(strange.address() as AddressInfo).port}`;
  const client = new NodeClient({ address, auth: { type: 'none' } });
  t.after(() => client.close());
  const heard = listen(t, client);
  await until(() => heard.events.length > 0, 'the one event');
  assert.deepEqual(heard, {
    events: [{ type: 'NewTip', tip: { id: '11'.repeat(32), height: 4 } }],
    subscribed: 1,
    ended: 0,
  });
});
