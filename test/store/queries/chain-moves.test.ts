/** How the main chain moved, told from the database alone. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import type { SimulatedBlock } from '../../../src/devnet/sim/seal-block.ts';
import { type ChainMove, ChainMoveReader } from '../../../src/store/queries/blocks/chain-moves.ts';
import { ReadPool } from '../../../src/store/read/read-pool.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { lightSimulation, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';
import { SILENT } from '../../support/web-server.ts';

const identified = (blocks: readonly SimulatedBlock[]) => blocks.map(({ bytes }) => identifyBlock(bytes));

async function start(t: TestContext, blocks: number) {
  const simulation = lightSimulation('moves');
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  await index.follow(identified(simulation.mine(blocks)), 50);
  const reader = new ReadPool({ postgres: { ...index.postgres, maxConnections: 2 }, logger: SILENT });
  t.after(() => reader.close());
  await reader.open();
  return { simulation, index, moves: new ChainMoveReader(reader) };
}

/** What blocks are, as a move tells them. */
const told = (blocks: readonly SimulatedBlock[]) =>
  blocks.map(({ height, id, timestamp, transactionIds }) => ({ height, id, timestamp, transactionIds }));

const inShort = ({ commonHeight, removedBlockIds, blocks, isCommonKnown }: ChainMove) => {
  return { commonHeight, removedBlockIds, blocks, isCommonKnown };
};

/** A move onto these blocks; what is on top of the common block was known. */
const onto = (commonHeight: number, blocks: readonly SimulatedBlock[], removedBlockIds: readonly string[] = []) => {
  return { commonHeight, removedBlockIds, blocks: told(blocks), isCommonKnown: true };
};

it('the moves of the main chain begin at the tip, and go on with each new block', async (t) => {
  const { simulation, index, moves } = await start(t, 20);
  assert.deepEqual(inShort(await moves.next()), onto(20, []));
  for (const count of [1, 3, 40]) {
    const blocks = simulation.mine(count);
    await index.follow(identified(blocks), 10);
    const move = await moves.next();
    assert.deepEqual(inShort(move), onto(simulation.height - count, blocks));
    assert.deepEqual([move.tip.id, move.tip.height], [simulation.tipId, simulation.height]);
  }
  assert.deepEqual((await moves.next()).blocks, [], 'nothing has moved since');
});

it('the moves of the main chain name the blocks that a reorganisation left and those that it took, however deep it is', async (t) => {
  const { simulation, index, moves } = await start(t, 20);
  await moves.next();
  let last = simulation.mine(60);
  await index.follow(identified(last), 20);
  await moves.next();
  for (const [depth, length] of [
    [1, 2],
    [2, 1],
    [40, 5],
  ] as const) {
    const ancestor = simulation.height - depth;
    const left = last.slice(-depth).map(({ id }) => id);
    const branch = simulation.reorganise(depth, length);
    last = [...last.slice(0, -depth), ...branch];
    await index.reorganise(ancestor, identified(branch));
    const expected = onto(ancestor, branch, left);
    assert.deepEqual(inShort(await moves.next()), expected);
  }
});

it('the moves of the main chain tell the newest blocks of a jump, and go on from there', async (t) => {
  const { simulation, index, moves } = await start(t, 5);
  await moves.next();
  const blocks = simulation.mine(320);
  await index.follow(identified(blocks), 100);
  assert.deepEqual(inShort(await moves.next()), onto(5, blocks.slice(-300)));
  const more = simulation.mine(2);
  await index.follow(identified(more));
  assert.deepEqual((await moves.next()).blocks, told(more));
});

it('the moves of the main chain say so when the chains part before all that is remembered', async (t) => {
  const { simulation, index, moves } = await start(t, 20);
  await moves.next();
  const branch = simulation.reorganise(8, 10);
  await index.reorganise(12, identified(branch));
  const { isCommonKnown, removedBlockIds } = await moves.next();
  assert.ok(!isCommonKnown && removedBlockIds.length === 1);
  const blocks = simulation.mine(1);
  await index.follow(identified(blocks));
  assert.deepEqual((await moves.next()).blocks, told(blocks));
});
