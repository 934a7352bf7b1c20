import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeBlock, identifyBlock } from '../../../src/chain/codec/block.ts';
import { MIN_ATOMS_PER_KILOBYTE } from '../../../src/devnet/fee-rates.ts';
import type { ServedNodeEvent } from '../../../src/devnet/served-node-interface.ts';
import { blockArrivals } from '../../../src/devnet/sim/build-chain.ts';
import { SimulatedNode } from '../../../src/devnet/sim/simulated-node.ts';
import { imbalances } from '../../support/simulated-totals.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { regtestPos } from './networks.ts';

const demo = { network: regtestPos, mix: 'demo', seed: 'node' } as const;

test('a simulated node grows the chain that a file of the same seed has', async () => {
  const options = { ...demo, reorganisationProbability: 0.1 };
  const node = await SimulatedNode.open(options);
  // A file has no reorganisation that would lead beyond its end: the chains part there, not before.
  const tips = [...blockArrivals({ ...options, blocks: 60 })].filter(({ isTip }) => isTip).map(({ block }) => block.id);
  for (const height of [1, 20, 40, 55]) {
    node.growTo(height);
    assert.ok(tips.includes(node.tip().id), `height ${height}`);
  }
});

test('a simulated node tells of each new tip and answers for all of its blocks', async () => {
  const node = await SimulatedNode.open(demo);
  const events: ServedNodeEvent[] = [];
  const stop = node.listen((event) => event.type === 'NewTip' && events.push(event));
  node.growTo(5);
  stop();
  node.grow();
  const heights = events.map((event) => event.type === 'NewTip' && event.height);
  assert.deepEqual(heights, [1, 2, 3, 4, 5]);
  for (let height = 1; height <= 6; height++) {
    const id = node.mainChainId(height)!;
    assert.equal(node.mainChainHeight(id), height);
    assert.equal(decodeBlock(node.blockBytes(id)!).header.prevBlockId, node.mainChainId(height - 1));
  }
});

test('a simulated node has the next block’s transactions in its mempool, with plausible fee rates', async () => {
  const node = await SimulatedNode.open(demo);
  node.growTo(20);
  const waiting = node.mempoolTransactions().map(({ id }) => id);
  const points = node.feeRatePoints();
  assert.ok(points.length > 1 && points.length <= 10);
  for (const { atomsPerKilobyte } of points) {
    assert.ok(atomsPerKilobyte >= MIN_ATOMS_PER_KILOBYTE && atomsPerKilobyte < 3n * MIN_ATOMS_PER_KILOBYTE);
  }
  const next = node.tip().height + 1;
  node.grow();
  const { transactions } = decodeBlock(node.blockBytes(node.mainChainId(next)!)!);
  assert.ok(waiting.length > 0);
  assert.equal(transactions.length, waiting.length);
});

test('a simulated node replaces a branch as one step, shorter ones included', async () => {
  const node = await SimulatedNode.open(demo);
  node.growTo(30);
  const left = node.tip().id;
  const heights: number[] = [];
  node.listen((event) => event.type === 'NewTip' && heights.push(event.height));
  node.reorganise(10, 4);
  assert.deepEqual(heights, [24]);
  assert.equal(node.lastCommonAncestor(left, node.tip().id)?.height, 20);
  assert.equal(node.mainChainHeight(left), undefined);
  assert.ok(node.blockBytes(left) !== undefined);
});

test('a simulated node forgets removed branches, when asked to', async () => {
  const node = await SimulatedNode.open(demo);
  node.growTo(10);
  const left = node.tip().id;
  node.reorganise(3, 4);
  node.forgetRemovedBranches();
  assert.equal(node.lastCommonAncestor(left, node.tip().id), undefined);
  assert.equal(node.blockBytes(left), undefined);
  assert.equal(node.lastCommonAncestor(node.mainChainId(2)!, node.tip().id)?.height, 2);
});

test('a simulated node goes back in time, when asked to, and on from there', async () => {
  const node = await SimulatedNode.open(demo);
  node.growTo(20);
  const ancestor = node.mainChainId(12)!;
  node.rewind(8);
  assert.equal(node.tip().id, ancestor);
  assert.equal(node.mainChainId(13), undefined);
  node.growTo(22);
  assert.equal(node.mainChainId(12), ancestor);
});

test('a chain that is kept in a file is gone on with after a restart, also when the last line is cut off', async (t) => {
  const chainFile = join(await temporaryDirectory(t), 'kept.ndjson');
  const options = { ...demo, seed: 'kept', chainFile, reorganisationProbability: 0.1 };
  const first = await SimulatedNode.open(options);
  first.growTo(40);
  await appendFile(chainFile, '{"height":41,"id":"ab');
  const second = await SimulatedNode.open(options);
  assert.equal(second.tip().id, first.tip().id);
  second.growTo(80);
  const third = await SimulatedNode.open(options);
  assert.equal(third.tip().id, second.tip().id);
  third.growTo(90);
  for (let height = 1; height <= 90; height++) {
    const id = third.mainChainId(height)!;
    assert.equal(identifyBlock(third.blockBytes(id)!).id, id);
  }
  third.simulation.rewind(0);
  assert.deepEqual(imbalances(third.simulation.world), []);
  const { world } = third.simulation;
  assert.ok(world.contracts.size + world.coins.size > 100, 'it found the keys of what can be spent');
});

test('a chain that is kept in a file is refused when it is of another network or damaged', async (t) => {
  const chainFile = join(await temporaryDirectory(t), 'other.ndjson');
  await writeFile(chainFile, '{"genesis":"00"}\n');
  await assert.rejects(SimulatedNode.open({ ...demo, chainFile }), /line 1/);
  await writeFile(chainFile, 'no line of it is whole');
  const node = await SimulatedNode.open({ ...demo, chainFile });
  assert.equal(node.tip().height, 0);
  node.growTo(2);
  const lines = (await readFile(chainFile, 'utf8')).split('\n');
  await writeFile(chainFile, `${[lines[0], lines[2]].join('\n')}\n`);
  await assert.rejects(SimulatedNode.open({ ...demo, chainFile }), /has not come before/);
});
