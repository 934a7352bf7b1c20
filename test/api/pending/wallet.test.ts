/** What `/wallet/sync` tells of the mempool: pending, confirmed, pending again after a reorganisation, and gone. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Client } from '../../../packages/client/src/index.ts';
import { NodePendingTransactions } from '../../../src/answers/pending/node-pending-transactions.ts';
import { destinationAddress } from '../../../src/chain/address.ts';
import { ReadConnection } from '../../../src/store/read/read-connection.ts';
import { idOf } from '../../support/fake-mempool.ts';
import { chained, ownerOf, paymentOf } from '../../support/payments.ts';
import { PendingWorld } from '../../support/pending-world.ts';
import { eventually, until } from '../../support/until.ts';
import type { TestServer } from '../../support/web-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test says they are
type Json = any;

async function sync(server: TestServer, addresses: readonly string[], cursor: Json): Promise<Json> {
  const body = JSON.stringify({ addresses, cursor });
  const answer = await server.request('/api/v2/wallet/sync', { method: 'POST', body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

function paidAddresses(transaction: Json): string[] {
  return transaction.outputs.flatMap(({ destination }: Json) => (typeof destination === 'string' ? [destination] : []));
}

it('a wallet is told of its transactions while they are pending, when they are confirmed, when they are pending again, and when they are gone', async (t) => {
  const world = await PendingWorld.start(t, { isQuiet: false, seed: 'wallet' });
  const { server, node } = world;
  await world.agrees();
  const mempool = await server.json('/mempool/transactions?items=100');
  const addresses = [...new Set<string>(mempool.flatMap(paidAddresses))].slice(0, 500);
  const first = await sync(server, addresses, null);
  const ids = (list: Json[]): string[] => list.map(({ id }) => id);
  const own = mempool.filter((transaction: Json) => ids(first.pending).includes(transaction.id));
  assert.deepEqual(first.pending, own);
  assert.ok(mempool.filter((each: Json) => paidAddresses(each).length > 0).every((each: Json) => own.includes(each)));
  assert.deepEqual([first.unconfirmed_again, first.dropped], [[], []]);

  // A block takes some of them, and no answer has one as pending and as confirmed.
  node.grow();
  await world.indexIsSeen();
  const mined = await sync(server, addresses, first.to);
  const confirmed = ids(mined.transactions).filter((id) => ids(first.pending).includes(id));
  assert.ok(confirmed.length > 0);
  assert.ok(ids(mined.pending).every((id) => !ids(mined.transactions).includes(id)));

  // The node goes back by that block: its transactions are pending again.
  node.invalidateBlock(node.tip().id);
  await world.indexIsSeen();
  await world.agrees();
  const back = await sync(server, addresses, mined.to);
  assert.deepEqual(back.rolled_back_to, { height: first.to.height, block_id: first.to.block_id });
  const again = confirmed.filter((id) => ids(back.pending).includes(id));
  assert.ok(again.length > 0, 'none of them is pending again');
  for (const id of again) assert.ok(back.unconfirmed_again.includes(id), id);
  for (const id of back.unconfirmed_again) assert.ok(ids(back.pending).includes(id), id);
  // A client that was not told of the removed block is not told that they are pending again.
  assert.deepEqual((await sync(server, addresses, back.to)).unconfirmed_again, []);

  node.emptyMempool();
  await world.agrees();
  const gone = await eventually('the wallet is told what is gone', async () => {
    const answer = await sync(server, addresses, back.to);
    return answer.pending.length === 0 ? answer : undefined;
  });
  for (const id of ids(back.pending)) assert.ok(gone.dropped.includes(id), id);
});

it('a wallet is told of its outputs while the node is away, but of nothing pending', async (t) => {
  const world = await PendingWorld.start(t, { isQuiet: false, seed: 'away', isServed: false });
  const server = await world.index.serve(t);
  await until(async () => (await server.get('/chain/tip')).status === 200, 'the server is ready');
  const [{ outputs }] = await server.json('/transaction?items=1');
  const answer = await sync(server, paidAddresses({ outputs }), null);
  assert.deepEqual([answer.pending, answer.unconfirmed_again, answer.dropped], [null, [], []]);
});

it('a wallet is told of a block that the pending set knows before the tip is polled again', async (t) => {
  const pendingSets = new Set<NodePendingTransactions>();
  const { indexMoved } = NodePendingTransactions.prototype;
  t.mock.method(
    NodePendingTransactions.prototype,
    'indexMoved',
    function (this: NodePendingTransactions, ...to: Parameters<typeof indexMoved>) {
      pendingSets.add(this);
      indexMoved.apply(this, to);
    },
  );
  const world = await PendingWorld.start(t);
  const { node, server } = world;
  const addresses = [destinationAddress(world.network, ownerOf(paymentOf(node)))];
  const { to } = await sync(server, addresses, null);
  const { run } = ReadConnection.prototype;
  t.mock.method(ReadConnection.prototype, 'run', function (this: ReadConnection, ...call: Parameters<typeof run>) {
    if (call[0].name !== 'tip') run.apply(this, call);
  });
  node.grow();
  await world.indexFollows();
  const areAhead = [...pendingSets].map((pending) => {
    const next = { height: 0, id: '', revision: pending.revision + 1 };
    pending.indexMoved(next);
    return pending.reached(next.revision);
  });
  await Promise.all(areAhead);
  assert.equal((await sync(server, addresses, to)).to.height, to.height + 1);
});

it('a wallet is told that there may be more while the server has removed pending transactions to make room', async (t) => {
  const world = await PendingWorld.start(t, { mirror: { maxTransactions: 5 } });
  const { node, server } = world;
  const payment = paymentOf(node);
  const address = destinationAddress(world.network, ownerOf(payment));
  await world.submit(payment);
  const wallet = new Client(server.url).wallet([address]);
  await wallet.sync();
  assert.deepEqual([wallet.pending.length, wallet.pendingComplete], [1, true]);
  for (let i = 0, other = paymentOf(node, 1); i < 6; i++, other = chained(node, other)) world.receive(other);
  await until(async () => (await server.json('/mempool')).complete === false, 'the server has removed some');
  const view = await server.json(`/mempool/address/${address}`);
  assert.deepEqual([view.transactions, view.complete], [[], false]);
  const [input] = payment.transaction.inputs;
  assert.ok(input?.type === 'Utxo');
  const isOffered = () => wallet.unspentOutputs.some(({ outpoint }) => outpoint.source_id === input.outpoint.sourceId);
  assert.deepEqual((await wallet.sync()).dropped, []);
  assert.deepEqual([wallet.pending.map(({ id }) => id), isOffered()], [[idOf(payment)], false]);
  assert.equal(wallet.pendingComplete, false);
  node.grow();
  await world.indexIsSeen();
  const { confirmed, dropped } = await wallet.sync();
  assert.deepEqual([confirmed.map(({ id }) => id), dropped, wallet.pending], [[idOf(payment)], [], []]);
});

it('a wallet with more pending transactions than a response has is told of none that it is dropped', async (t) => {
  const world = await PendingWorld.start(t);
  const { node, server } = world;
  let last = paymentOf(node);
  const address = destinationAddress(world.network, ownerOf(last));
  const receive = (count: number) => {
    for (let i = 0; i < count; i++, last = chained(node, last)) world.receive(last);
  };
  const pending = async () => (await server.json(`/mempool/address/${address}`)).transactions.length;
  receive(10);
  node.grow();
  await world.indexIsSeen();
  receive(495);
  await until(async () => (await pending()) === 495, 'those are pending');
  const wallet = new Client(server.url).wallet([address]);
  await wallet.sync();
  assert.deepEqual([wallet.pending.length, wallet.pendingComplete], [495, true]);
  // The ten of the block are before the others again.
  node.invalidateBlock(node.tip().id);
  await world.indexIsSeen();
  await world.agrees();
  await until(async () => (await pending()) === 505, 'all are pending');
  assert.deepEqual((await wallet.sync()).dropped, []);
  assert.deepEqual([wallet.pending.length, wallet.pendingComplete], [505, false]);
});
