/** The blocks that transactions left by reorganisations. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import type { SimulatedBlock } from '../../../src/devnet/sim/seal-block.ts';
import { getLeftBlock } from '../../../src/store/queries/left-transactions.ts';
import { directStore } from '../../support/direct-store.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { lightSimulation, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

const identified = (blocks: readonly SimulatedBlock[]) => blocks.map(({ bytes }) => identifyBlock(bytes));
const idsOf = (blocks: readonly SimulatedBlock[]) => blocks.flatMap(({ transactionIds }) => transactionIds);

it('a transaction knows the last block that it left, unless this block is on the main chain again', async (t) => {
  const simulation = lightSimulation('left');
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  const store = await directStore(t, index.postgres);
  const trunk = simulation.mine(30);
  const first = simulation.mine(6);
  await index.follow(identified([...trunk, ...first]), 50);
  const second = simulation.reorganise(6, 8);

  /** The left blocks of all transactions, those of the trunk left out. */
  const leftBlocks = async () => {
    const left = new Map<string, string>();
    for (const id of idsOf([...trunk, ...first, ...second])) {
      const found = await getLeftBlock(store, id);
      assert.equal(found.dependsOnHistory, found.rows.length > 0);
      const [row] = found.rows;
      if (row === undefined) continue;
      assert.ok(Math.abs(row.removed_at - Date.now() / 1_000) < 60);
      left.set(id, `${row.height} ${row.block_id}`);
    }
    return left;
  };
  /** Of blocks that were removed. */
  const expected = (blocks: readonly SimulatedBlock[]) =>
    new Map(
      blocks.flatMap(({ transactionIds, height, id }) => transactionIds.map((each) => [each, `${height} ${id}`])),
    );

  assert.deepEqual(await leftBlocks(), new Map());
  assert.ok(idsOf(first).length > 0);
  await index.reorganise(30, identified(second));
  assert.deepEqual(await leftBlocks(), expected(first));
  // Back to the first branch: its blocks are no longer left, those of the second are.
  await index.reorganise(30, identified(first));
  assert.deepEqual(await leftBlocks(), expected(second));
  await index.reorganise(30, identified(second));
  assert.deepEqual(await leftBlocks(), expected(first));

  // The transactions of blocks that are forgotten are forgotten with them.
  await index.query('delete from left_blocks');
  assert.deepEqual(await leftBlocks(), new Map());
  const { rows } = await index.query('select from left_transactions');
  assert.equal(rows.length, 0);
});
