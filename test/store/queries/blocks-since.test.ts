/** How the main chain moved since a block, told from the database alone. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import type { SimulatedBlock } from '../../../src/devnet/sim/seal-block.ts';
import { readBlocksSince } from '../../../src/store/queries/blocks/blocks-since.ts';
import type { QueryRunner } from '../../../src/store/read/query.ts';
import { directStore } from '../../support/direct-store.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { lightSimulation, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

const identified = (blocks: readonly SimulatedBlock[]) => blocks.map(({ bytes }) => identifyBlock(bytes));

async function start(t: TestContext, blocks: number) {
  const simulation = lightSimulation('moves');
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  await index.follow(identified(simulation.mine(blocks)), 50);
  const store = await directStore(t, index.postgres);
  const tip = () => ({ height: simulation.height, id: simulation.tipId });
  const moveFrom = async (from: { height: number; id: string }, by: QueryRunner = store) => {
    const move = await readBlocksSince(by, from);
    return move && { ...move, tip: { height: move.tip.height, id: move.tip.id } };
  };
  /** A move onto these blocks. */
  const onto = (commonHeight: number, blocks: readonly SimulatedBlock[]) => ({
    tip: tip(),
    commonHeight,
    blocks: blocks.map(({ height, id, transactionIds }) => ({ height, id, transactionIds })),
  });
  return { simulation, index, store, tip, moveFrom, onto };
}

it('a move of the main chain has all blocks after one, however many', async (t) => {
  const { simulation, index, tip, moveFrom, onto } = await start(t, 20);
  assert.deepEqual(await moveFrom(tip()), onto(20, []));
  for (const count of [1, 3, 40, 120]) {
    const from = tip();
    const blocks = simulation.mine(count);
    await index.follow(identified(blocks), 10);
    assert.deepEqual(await moveFrom(from), onto(from.height, blocks));
  }
});

it('a move of the main chain from a removed block begins at the common ancestor, however deep it is', async (t) => {
  const { simulation, index, tip, moveFrom, onto } = await start(t, 20);
  await index.follow(identified(simulation.mine(60)), 20);
  for (const [depth, length] of [
    [1, 2],
    [2, 1],
    [40, 70],
  ] as const) {
    const from = tip();
    const branch = simulation.reorganise(depth, length);
    await index.reorganise(from.height - depth, identified(branch));
    assert.deepEqual(await moveFrom(from), onto(from.height - depth, branch));
  }
});

it('a move of the main chain is right when the chain changes between its steps', async (t) => {
  const { simulation, index, store, tip, moveFrom, onto } = await start(t, 20);
  const from = tip();
  const blocks = simulation.mine(60);
  await index.follow(identified(blocks), 20);
  let branch: SimulatedBlock[] = [];
  const query: QueryRunner['query'] = async (...asked) => {
    const result = await store.query(...asked);
    if (branch.length === 0) {
      branch = simulation.reorganise(45, 46);
      await index.reorganise(35, identified(branch));
    }
    return result;
  };
  assert.deepEqual(await moveFrom(from, { ...store, query }), onto(20, [...blocks.slice(0, 15), ...branch]));
});

it('there is no move of the main chain from a block that is not known', async (t) => {
  const { moveFrom } = await start(t, 2);
  assert.equal(await moveFrom({ height: 2, id: 'ab'.repeat(32) }), null);
});
