/** Blocks as a list, of a pool, by time, and those that reorganisations removed, against a naive model. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { poolAddress } from '../../../src/chain/address.ts';
import { decimalText } from '../../../src/chain/decimal-text.ts';
import type { NaiveBlock } from '../../sim/naive-facts.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';

chain.serveSimulatedChain();
const { coins, error, got, listed, network, newestFirst, reorganisations, UNKNOWN } = chain;

function shown(block: NaiveBlock): Json {
  return {
    height: block.height,
    block_id: block.id,
    timestamp: block.timestamp,
    transaction_count: block.transactionIds.length,
    kinds: block.kinds,
    size: block.size,
    fees: coins(block.fees),
    staker_reward: coins(block.stakerReward),
    delegations_reward: coins(block.delegationsReward),
    target: `0x${block.target.toString(16).padStart(64, '0')}`,
    difficulty: decimalText((0x26n * 2n ** 192n * 1_000_000n) / block.target, 6),
    pool_id: poolAddress(network, block.poolId),
  };
}

it('blocks are listed newest first with what is in them', async () => {
  assert.deepEqual(await listed('/block'), newestFirst(chain.facts.blocks).map(shown));
});

it('blocks are listed for each pool', async () => {
  for (const poolId of new Set(chain.facts.blocks.map((block) => block.poolId))) {
    const made = chain.facts.blocks.filter((block) => block.poolId === poolId);
    const path = `/pool/${poolAddress(network, poolId)}/blocks`;
    assert.deepEqual(await listed(path), newestFirst(made).map(shown));
  }
  assert.deepEqual(await error(`/pool/${poolAddress(network, UNKNOWN)}/blocks`), [404, 'Stake pool not found']);
  assert.deepEqual(await error('/pool/nonsense/blocks'), [400, 'Invalid pool Id']);
});

it('blocks are found by time: the highest with a timestamp of at most that', async () => {
  for (const { timestamp } of chain.facts.blocks) {
    for (const time of [timestamp - 1, timestamp, timestamp + 1]) {
      const last = chain.facts.blocks.findLast((block) => block.timestamp <= time);
      const { height, block_id } = await got(`/chain/at?time=${time}`);
      assert.equal(height, last?.height ?? 0, `at ${time}`);
      assert.equal(block_id, last?.id ?? network.genesisId);
    }
  }
  assert.equal((await got(`/chain/at?time=${2n ** 63n - 1n}`)).height, chain.facts.blocks.length);
  assert.deepEqual(await error('/chain/at?time=0'), [404, 'No block found at supplied time']);
  const prefix = 'Failed to deserialize query string:';
  assert.deepEqual(await error('/chain/at'), [400, `${prefix} missing field \`time\``]);
  assert.deepEqual(await error('/chain/at?time=x'), [400, `${prefix} invalid digit found in string`]);
});

it('blocks that reorganisations removed and brought are listed, the newest reorganisation first', async () => {
  assert.ok(reorganisations.length > 3);
  const entries = await listed('/chain/reorganisations');
  assert.deepEqual(
    entries.map(({ ancestor_height, removed, added }) => ({
      ancestor: ancestor_height,
      removed: removed.map(({ block_id }: Json) => block_id),
      added: added.map(({ block_id }: Json) => block_id),
    })),
    newestFirst(reorganisations),
  );
  for (const { ancestor_height, removed, added, seen_at } of entries) {
    assert.ok(Math.abs(seen_at - Date.now() / 1_000) < 600);
    for (const [i, { height, pool_id }] of removed.entries()) {
      assert.equal(height, ancestor_height + 1 + i);
      assert.match(pool_id, new RegExp(`^${network.prefixes.poolId}1`));
    }
    assert.equal(added[0].height, ancestor_height + 1);
  }
});

it('the deepest reorganisation is the newest of those that removed most blocks', async () => {
  const entries = await listed('/chain/reorganisations');
  const depth = Math.max(...entries.map(({ removed }) => removed.length));
  const deepest = entries.find(({ removed }) => removed.length === depth);
  assert.deepEqual(await got('/chain/reorganisations/deepest'), deepest);
});

it('blocks refuse an offset, and cursors of other lists', async () => {
  const { next_cursor } = await got('/block?items=1');
  const [a, b] = chain.facts.blocks.map(({ poolId }) => poolId);
  const other = await got(`/pool/${poolAddress(network, a!)}/blocks?items=1`);
  for (const path of ['/nft', '/chain/reorganisations', `/pool/${poolAddress(network, b!)}/blocks`]) {
    assert.deepEqual(await error(`${path}?cursor=${next_cursor}`), [400, 'Invalid cursor'], path);
  }
  if (other.next_cursor !== null) {
    assert.deepEqual(await error(`/block?cursor=${other.next_cursor}`), [400, 'Invalid cursor']);
  }
  for (const path of ['/block', '/nft', '/chain/reorganisations']) {
    assert.deepEqual(await error(`${path}?offset=1`), [400, 'Invalid offset: this list is paged by cursor']);
    assert.deepEqual(await error(`${path}?items=101`), [400, 'Invalid number of items']);
  }
});
