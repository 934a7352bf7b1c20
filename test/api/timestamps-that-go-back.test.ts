/** Blocks without proof of stake that are earlier than their parents: only the median time past must not fall. */
import assert from 'node:assert/strict';
import { Random } from '../../src/devnet/sim/random.ts';
import { COIN, coins, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers } from '../support/handmade-chain.ts';

const chain = new HandmadeChain([transfer(coins(1000n * COIN))]);
const random = new Random('timestamps');
// Five blocks, the distance of the median, are 600 s.
for (let block = 0; block < 60; block++) chain.add({ secondsLater: random.between(-290, 290) });
const blocks = chain.blocks.map(({ id, block }) => ({ id, time: block.header.timestamp }));

const servers = handmadeServers(chain);

servers.alike('the block at a time is the highest of at most that time, where timestamps go back', async (server) => {
  assert.ok(blocks.filter(({ time }, i) => time < (blocks[i - 1]?.time ?? 0)).length > 10);
  for (const { time: around } of blocks) {
    for (const time of [around - 1, around, around + 1]) {
      const last = blocks.findLast((block) => block.time <= time);
      const { block_id } = await server.json(`/chain/at?time=${time}`);
      assert.equal(block_id, last?.id ?? chain.network.genesisId, `at ${time}`);
    }
  }
});

servers.alike('a block that is earlier than its parent is counted in the hour of its parent', async (server) => {
  const counts = new Map<number, number>();
  let latest = 0;
  for (const { time } of blocks) {
    latest = Math.max(latest, time - (time % 3_600));
    counts.set(latest, (counts.get(latest) ?? 0) + 1);
  }
  const { points } = await server.json('/statistics/series/blocks?interval=hour');
  const counted = points.filter(([, value]: [number, string]) => value !== '0');
  assert.deepEqual(
    counted,
    [...counts].map(([hour, count]) => [hour, `${count}`]),
  );
});
