/** Properties of the index over simulated chains: every way to the same chain ends in the same tables. */
import assert from 'node:assert/strict';
import { Random } from '../../src/devnet/sim/random.ts';
import { foreignKernels } from '../devnet/sim/networks.ts';
import { requireRightIndex } from '../replay/replay.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { oncePerSeed, testOverSeeds } from '../support/seeds.ts';
import { MONTHS, simulatedHistory, take } from './history.ts';

const BLOCKS = 75;

/** Every second chain takes months, so that blocks enter and leave the windows of pools. */
const mixOf = (seed: string) => (Number(seed) % 2 === 1 ? { mix: MONTHS } : {});

/** A chain with reorganisations, and the tables of its final branch alone. */
const indexed = oncePerSeed(async (seed, scope) => {
  const options = { network: foreignKernels, blocks: BLOCKS, seed, reorganisationProbability: 0.2, ...mixOf(seed) };
  const history = simulatedHistory(options);
  const oneByOne = await TestIndex.create(scope, foreignKernels);
  await oneByOne.follow(history.mainChain, 1);
  return { history, expected: await oneByOne.dump() };
});

testOverSeeds(
  'after reorganisations the tables are those of the final branch alone, and what a replay of the chain says',
  async (seed, scope) => {
    const { history, expected } = await indexed(seed, scope);
    const index = await TestIndex.create(scope, foreignKernels);
    for (const step of history.steps) await take(index, step);
    assert.deepEqual(await index.dump(), expected);
    await requireRightIndex(index.postgres, foreignKernels);
  },
);

testOverSeeds('the tables are what they were when a branch is undone', async (seed, scope) => {
  const { mainChain, network } = simulatedHistory({ network: foreignKernels, blocks: BLOCKS, seed, ...mixOf(seed) });
  const random = new Random(seed);
  const kept = random.between(1, BLOCKS - 10);
  const index = await TestIndex.create(scope, network);
  await index.follow(mainChain.slice(0, kept), 1);
  const before = await index.dump({ undo: true });
  await index.follow(mainChain.slice(kept), random.between(1, 9));
  await index.reorganise(kept, []);
  assert.deepEqual(await index.dump({ undo: true }), before);
});

testOverSeeds('the tables depend neither on batches, transactions nor on what is cached', async (seed, scope) => {
  const { history, expected } = await indexed(seed, scope);
  const { mainChain, network } = history;
  const random = new Random(seed);
  const restarted = await TestIndex.create(scope, network);
  for (let at = 0; at < mainChain.length; ) {
    const size = random.between(1, 20);
    const blocks = mainChain.slice(at, at + size);
    if (random.chance(0.5)) await restarted.reopen();
    if (random.chance(0.5)) await restarted.bulk(blocks, random.between(1, size), random.between(1, 4));
    else await restarted.follow(blocks, random.between(1, size));
    at += size;
  }
  assert.deepEqual(await restarted.dump(), expected);

  const atOnce = await TestIndex.create(scope, network);
  await atOnce.bulk(mainChain, mainChain.length);
  assert.deepEqual(await atOnce.dump(), expected);

  const unread = await TestIndex.create(scope, network, { isWhole: true });
  await unread.bulk(mainChain.slice(0, BLOCKS / 2), random.between(1, 20), random.between(1, 4));
  await unread.follow(mainChain.slice(BLOCKS / 2), random.between(1, 20));
  assert.deepEqual(await unread.dump(), expected);

  const forgetful = await TestIndex.create(scope, network, { isWhole: random.chance(0.5), cacheBytes: 10_000 });
  await forgetful.bulk(mainChain, random.between(1, 5), random.between(1, 4));
  assert.deepEqual(await forgetful.dump(), expected);
});
