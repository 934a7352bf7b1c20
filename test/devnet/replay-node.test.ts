import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { ReplayNode } from '../../src/devnet/replay-node.ts';
import type { ServedNodeEvent } from '../../src/devnet/served-node-interface.ts';
import { submit } from '../support/payments.ts';
import { recording } from '../support/recordings.ts';
import { chainFile, deposit, SmallChain } from '../support/small-chain.ts';

const FIRST_BLOCKS = fileURLToPath(new URL('../golden/regtest-1-reorganisation.ndjson.gz', import.meta.url));
const LONG = recording('r21.ndjson');

interface RecordedBlock {
  readonly id: string;
  readonly prev: string;
  readonly height: number;
  readonly tip: boolean;
}

/** Replays the file and compares, at each best block, the node with what follows from the lines alone. */
async function assertFollowsItsLines(path: string, text: string): Promise<number> {
  const [genesis, ...blocks] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedBlock);
  const parents = new Map(blocks.map(({ id, prev }) => [id, prev]));
  const node = await ReplayNode.open(path);
  let reorganisations = 0;
  let before = genesis!.id;
  for (const block of blocks.filter(({ tip }) => tip)) {
    assert.equal(await node.step(), true);
    assert.equal(node.tip().id, block.id);
    assert.equal(node.tip().height, block.height);
    let id: string | undefined = block.id;
    for (let height = block.height; height >= 0; height--, id = parents.get(id!))
      assert.equal(node.mainChainId(height), id);
    const ancestor = node.lastCommonAncestor(before, block.id);
    if (ancestor?.id !== before) reorganisations++;
    assert.ok(node.mainChainHeight(ancestor!.id) === ancestor!.height);
    before = block.id;
  }
  assert.equal(await node.step(), false);
  await node.close();
  return reorganisations;
}

async function replayOf(t: TestContext, chain: SmallChain | string): Promise<ReplayNode> {
  const node = await ReplayNode.open(await chainFile(t, chain));
  t.after(() => node.close());
  return node;
}

it('a replayed chain is at its genesis until it is replayed', async (t) => {
  const chain = new SmallChain().grow(2);
  const node = await replayOf(t, chain);
  assert.equal(node.tip().id, chain.genesisId);
  assert.equal(node.mainChainId(1), undefined);
  assert.equal(node.blockBytes(chain.genesisId), undefined);
});

it('a replayed chain grows from best block to best block and tells each', async (t) => {
  const chain = new SmallChain().grow(2);
  const [, fork] = chain.blocks;
  const loser = chain.block();
  chain.block({ parent: fork!, tip: false });
  const winner = chain.block();
  const node = await replayOf(t, chain);
  const events: ServedNodeEvent[] = [];
  node.listen((event) => events.push(event));
  await node.replay();
  assert.deepEqual(
    events.map((event) => event.type === 'NewTip' && [event.height, event.id]),
    [...chain.blocks.slice(0, 3), winner].map(({ height, id }) => [height, id]),
  );
  assert.equal(node.mainChainHeight(loser.id), undefined);
  assert.deepEqual(node.blockBytes(loser.id), loser.bytes, 'a lost block is still known');
  assert.deepEqual(node.lastCommonAncestor(loser.id, winner.id), { id: fork!.id, height: 2 });
});

it('a replayed chain follows a recorded reorganisation', async () => {
  const text = gunzipSync(await readFile(FIRST_BLOCKS)).toString();
  assert.equal(await assertFollowsItsLines(FIRST_BLOCKS, text), 1);
});

it('a replayed chain follows all recorded reorganisations', {
  skip: !existsSync(LONG) && 'the recorded chains are not here',
}, async () => {
  assert.equal(await assertFollowsItsLines(LONG, await readFile(LONG, 'utf8')), 8);
});

it('a replayed chain takes its time between best blocks when told so', async (t) => {
  const node = await replayOf(t, new SmallChain().grow(4));
  const start = performance.now();
  await node.replay(30);
  assert.equal(node.tip().height, 4);
  assert.ok(performance.now() - start >= 4 * 30 - 5);
});

it('a replayed chain stops growing when asked to', async (t) => {
  const node = await replayOf(t, new SmallChain().grow(4));
  await node.replay(60_000, AbortSignal.timeout(20));
  assert.equal(node.tip().height, 0);
});

it('a replayed chain refuses a block whose parent or height does not fit, with the line', async (t) => {
  const lines = new SmallChain().grow(3).text().trim().split('\n');
  const gap = await replayOf(t, [lines[0], lines[1], lines[3]].join('\n'));
  await assert.rejects(gap.replay(), /line 3: the parent [0-9a-f]{64} has not come before/);
  assert.equal(gap.tip().height, 1, 'what came before stays');
  const height = await replayOf(t, [lines[0], lines[1]!.replace('"height":1', '"height":2')].join('\n'));
  await assert.rejects(height.replay(), /line 2: "height" is 2, but the parent's is 0/);
});

it('a replayed chain keeps submitted transactions until a block has them', async (t) => {
  const mined = deposit(10, 7);
  const waiting = deposit(20, 8);
  const chain = new SmallChain().grow(1);
  chain.block({ transactions: [mined] });
  const node = await replayOf(t, chain);
  await node.step();
  const events: ServedNodeEvent[] = [];
  node.listen((event) => events.push(event));
  for (const transaction of [mined, waiting, mined]) assert.equal(submit(node, transaction).type, 'Accepted');
  const id = transactionId(waiting.transaction);
  assert.equal(node.mempoolTransactions().length, 2, 'the same one again changes nothing');
  assert.equal(node.feeRatePoints().length, 3);
  await node.step();
  const ids = node.mempoolTransactions().map((transaction) => transaction.id);
  assert.deepEqual(ids, [id]);
  assert.deepEqual(node.mempoolTransaction(id)?.bytes, encodeSignedTransaction(waiting));
  const types = events.map(({ type }) => type);
  assert.deepEqual(types, ['TransactionProcessed', 'TransactionProcessed', 'TransactionProcessed', 'NewTip']);
});
