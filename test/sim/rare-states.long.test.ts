/**
 * The index of chains full of rare states: kernels of another pool, hashes of odd bytes, orders made before the upgrade of orders and
 * filled after it, amounts of zero. Whatever the batches are, and with nothing cached between them, the tables are those of the
 * main chain block by block, and what the replay of the texts says. `SEEDS=100` for more.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IdentifiedBlock } from '../../src/chain/types.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { foreignKernels as network } from '../devnet/sim/networks.ts';
import { requireRightIndex } from '../replay/replay.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { RARE, rareStatesOf, simulatedHistory } from './history.ts';

const BLOCKS = 101;
const MAX_BATCH = 100;
const reached = new Map<string, number>();

testOverSeeds(
  'tables are those of an independent replay over rare states, whatever the batches',
  async (seed, scope) => {
    const random = new Random(`batches ${seed}`);
    const isBulk = random.chance(0.5);
    const reorganisationProbability = isBulk ? 0 : 0.05;
    const history = simulatedHistory({ network, blocks: BLOCKS, seed, reorganisationProbability, mix: RARE });
    for (const [what, count] of Object.entries(rareStatesOf(history)))
      reached.set(what, (reached.get(what) ?? 0) + count);

    const index = await TestIndex.create(scope, network, { cacheBytes: 0, isWhole: random.chance(0.3) });
    // The first batches are of one block and of a hundred, then of anything between.
    const sizes = random.chance(0.5) ? [1, MAX_BATCH] : [];
    const nextSize = () => sizes.pop() ?? Math.ceil(MAX_BATCH ** random.unit());
    let size = nextSize();
    let waiting: IdentifiedBlock[] = [];
    const take = async () => {
      // A bulk sync leaves no undo records, so its last block is followed.
      const isLast = index.applier.chain.height + waiting.length === BLOCKS;
      const followed = waiting.splice(isBulk ? waiting.length - Number(isLast) : 0);
      if (isBulk) await index.bulk(waiting, size, random.between(1, 3));
      await index.follow(followed, size);
      waiting = [];
      size = nextSize();
    };
    for (const { ancestor, blocks } of history.steps) {
      if (ancestor < index.applier.chain.height + waiting.length) {
        await take();
        await index.reorganise(ancestor, blocks);
      } else waiting.push(...blocks);
      if (waiting.length >= size * (isBulk ? 2 : 1)) await take();
    }
    await take();

    const oneByOne = await TestIndex.create(scope, network);
    await oneByOne.follow(history.mainChain);
    assert.deepEqual(await index.dump(), await oneByOne.dump());
    await requireRightIndex(index.postgres, network);
  },
);

test('the chains went through every rare state', (t) => {
  for (const [what, count] of reached) t.diagnostic(`${what}: ${count}`);
  assert.ok(reached.size > 0);
  for (const [what, count] of reached) assert.ok(count > 0, what);
});
