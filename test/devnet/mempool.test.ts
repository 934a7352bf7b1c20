/** What a node's mempool does beyond the recording: after the real node's sources. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import type { Id, SignedTransaction } from '../../src/chain/types.ts';
import type { ServedNode, ServedNodeEvent } from '../../src/devnet/served-node-interface.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { MIX_PRESETS } from '../../src/devnet/sim/transaction-mix.ts';
import { idOf } from '../support/fake-mempool.ts';
import { chained, LOCAL, paymentOf, submit } from '../support/payments.ts';
import { replayingNode } from '../support/replaying-node.ts';
import { deposit } from '../support/small-chain.ts';
import { until } from '../support/until.ts';
import { regtestPos } from './sim/networks.ts';

/** People have been there, but make nothing more. */
async function quietNode(): Promise<SimulatedNode> {
  const node = await SimulatedNode.open({ network: regtestPos, seed: 'mempool', mix: 'demo' });
  node.growTo(15);
  node.emptyMempool();
  return node;
}

const receive = (node: SimulatedNode, signed: SignedTransaction) =>
  node.submitTransaction(signed, encodeSignedTransaction(signed), { type: 'Remote', peerId: 5 });
const listed = (node: Pick<ServedNode, 'mempoolTransactions'>) => node.mempoolTransactions().map(({ id }) => id);

function eventsOf(t: TestContext, node: SimulatedNode): ServedNodeEvent[] {
  const events: ServedNodeEvent[] = [];
  t.after(node.listen((event) => events.push(event)));
  return events;
}

it('the mempool of the devnet keeps what a peer sent before its parent as an orphan, and tells of it when the parent has come', async (t) => {
  const node = await quietNode();
  const parent = paymentOf(node);
  const child = chained(node, parent);
  const grandchild = chained(node, child);
  const events = eventsOf(t, node);
  receive(node, grandchild);
  receive(node, child);
  assert.deepEqual([listed(node), events], [[], []]);
  assert.deepEqual(node.orphanTransaction(idOf(child))?.bytes, encodeSignedTransaction(child));
  submit(node, parent);
  const ids = [parent, child, grandchild].map(idOf);
  assert.deepEqual(listed(node), ids);
  const remote = { type: 'Remote', peerId: 5 } as const;
  assert.deepEqual(
    events,
    ids.map((id, i) => ({
      type: 'TransactionProcessed',
      transactionId: id,
      origin: i === 0 ? LOCAL : remote,
      accepted: true,
    })),
  );
  assert.equal(node.orphanTransaction(idOf(child)), undefined);
});

it('the mempool of the devnet lets transactions go without an event, and with them those that spend them', async (t) => {
  const node = await quietNode();
  const [first, second] = [paymentOf(node), paymentOf(node, 1)];
  const child = chained(node, first);
  for (const signed of [first, second, child]) assert.equal(submit(node, signed).type, 'Accepted');
  const events = eventsOf(t, node);
  node.evict([idOf(first)]);
  assert.deepEqual([listed(node), events], [[idOf(second)], []]);
  assert.equal(submit(node, first).type, 'Accepted', 'it may come again');
  node.emptyMempool();
  assert.deepEqual(listed(node), []);
  node.grow();
  assert.deepEqual(identifyBlock(node.blockBytes(node.tip().id)!).transactionIds, []);
});

it('the mempool of the devnet gives what a block held back before all others when the block is removed, and takes it again with the block', async (t) => {
  const node = await quietNode();
  const mined = paymentOf(node);
  submit(node, mined);
  node.grow();
  node.emptyMempool();
  const tip = node.tip();
  const child = chained(node, mined);
  submit(node, child);
  const events = eventsOf(t, node);
  node.invalidateBlock(tip.id);
  assert.equal(node.tip().height, tip.height - 1);
  assert.deepEqual(listed(node), [mined, child].map(idOf));
  assert.equal(events.length, 0, 'the mempool has not heard of it yet');
  await until(() => events.length === 1, 'the lower tip is told');
  node.resetFailureFlags(tip.id);
  assert.deepEqual([node.tip(), listed(node)], [tip, [idOf(child)]]);
  await until(() => events.length === 2, 'the tip is told again');
  const heights = events.map((event) => event.type === 'NewTip' && event.height);
  assert.deepEqual(heights, [tip.height - 1, tip.height]);
});

it('the mempool of the devnet refuses a listing above the limit as the real node does', async (t) => {
  const { node, client } = await replayingNode(t);
  const submitUntil = (count: number) => {
    while (node.mempoolTransactions().length < count) {
      submit(node, deposit(100_000, node.mempoolTransactions().length));
    }
  };
  const answer = async () => {
    const list = await client.mempoolTransactions();
    return list === 'too large' ? list : list.length;
  };
  submitUntil(50);
  assert.equal(await answer(), 50);
  submitUntil(60);
  assert.equal(await answer(), 'too large');
  node.evict(listed(node).slice(0, 20));
  assert.equal(await answer(), 40);
});

it('the mempool of the devnet shows life before the blocks in the demo preset: each transaction waits from one block to the one after the next', async (t) => {
  const node = await SimulatedNode.open({ network: regtestPos, seed: 'life', mix: MIX_PRESETS.demo });
  node.growTo(15);
  /** The tip's height when a transaction was told of. */
  const seen = new Map<Id, number>();
  const waits: number[] = [];
  let first: number | undefined;
  t.after(
    node.listen((event) => {
      if (event.type === 'TransactionProcessed') return void seen.set(event.transactionId, node.tip().height);
      first ??= event.height;
      // Those of the first block were there before anybody listened.
      if (event.height === first) return;
      for (const id of identifyBlock(node.blockBytes(event.id)!).transactionIds) {
        waits.push(event.height - (seen.get(id) ?? event.height));
      }
    }),
  );
  const end = new AbortController();
  t.after(() => end.abort());
  const living = node.live(80, end.signal);
  await until(() => waits.length >= 30, 'blocks with transactions');
  end.abort();
  await living;
  assert.deepEqual(new Set(waits), new Set([2]), 'told of, left out by a block, taken by the next');
  assert.ok(node.mempoolTransactions().length > 0);
});
