/** What became of pools: one that made no block, one that ended in the block that created it, and one that made a block. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { poolAddress } from '../../src/chain/address.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import type { Id, TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers } from '../support/handmade-chain.ts';
import { getPage } from '../support/html-page.ts';

const [IDLE, SHORT, BUSY, LASTING] = ['a1', 'a2', 'a3', 'a4'].map((byte) => byte.repeat(32)) as [Id, Id, Id, Id];
const createPool = (poolId: Id): TxOutput => ({
  type: 'CreateStakePool',
  poolId,
  data: {
    ...{ pledge: 40n * COIN, staker: OWNER, vrfPublicKey: `00${'11'.repeat(32)}`, decommissionKey: OWNER },
    ...{ marginRatioPerThousand: 0, costPerBlock: 0n },
  },
});

const chain = new HandmadeChain([transfer(coins(100n * COIN)), ...[IDLE, BUSY, LASTING].map(createPool)]);
const { network } = chain;
const ofGenesis = (index: number) => spend(network.genesisId, index, 'BlockReward');

// Another pool of the same owner is created in the same block.
const creating = signed([ofGenesis(0)], [createPool(SHORT), transfer(coins(50n * COIN))]);
const ending = signed([spend(transactionId(creating.transaction), 0)], [transfer(coins(40n * COIN))]);
chain.add({ transactions: [creating, ending] });
const produced = chain.add({
  reward: [{ type: 'ProduceBlockFromStake', destination: `01${'0b'.repeat(20)}`, poolId: BUSY }],
  consensus: {
    type: 'PoS',
    data: {
      ...{ kernelInputs: [ofGenesis(2)], kernelWitness: [{ type: 'NoSignature', data: null }], stakePoolId: BUSY },
      ...{ vrfData: `00${'22'.repeat(96)}`, compactTarget: 0x207fffff },
    },
  },
});
const both = signed([ofGenesis(1), spend(produced.id, 0, 'BlockReward')], [transfer(coins(80n * COIN))]);
chain.add({ transactions: [both] });

const servers = handmadeServers(chain);

servers.alike(
  'a pool tells the transaction that decommissioned it, with its block, and how many it made',
  async (server) => {
    const endOf = async (id: Id) => {
      const { decommissioned, blocks } = await server.json(`/pool/${poolAddress(network, id)}?expand=true`);
      return { decommissioned, made: blocks.total };
    };
    const inBlock = (height: number, { transaction }: typeof both) => {
      const { timestamp } = chain.blocks[height - 1]!.block.header;
      return { tx_id: transactionId(transaction), height, timestamp };
    };
    assert.deepEqual(await endOf(IDLE), { decommissioned: inBlock(3, both), made: 0 });
    assert.deepEqual(await endOf(SHORT), { decommissioned: inBlock(1, ending), made: 0 });
    assert.deepEqual(await endOf(BUSY), { decommissioned: inBlock(3, both), made: 1 });
    assert.deepEqual(await endOf(LASTING), { decommissioned: null, made: 0 });
  },
);

servers.alike('a plain pool has what it always had', async (server) => {
  assert.equal(Object.keys(await server.json(`/pool/${poolAddress(network, IDLE)}`)).length, 7);
});

it('a wrong `expand` of a pool is refused, but for mintlayer-core, which does not know it', async () => {
  const path = `/pool/${poolAddress(network, IDLE)}`;
  await servers.described.refuses(`${path}?expand=yes`, 400, 'Invalid expand: `true` or `false` is expected');
  assert.deepEqual(await servers.core.json(`${path}?expand=yes`), await servers.core.json(path));
});

servers.alike('the page of a decommissioned pool without delegations does not say to withdraw', async (server) => {
  const { main } = await getPage(server, `/pool/${poolAddress(network, SHORT)}`);
  assert.equal(main.one('.banner').text, 'Delegators no longer earn anything.');
  assert.match(main.fact('Decommissioned').text, /^block 1, .+, by transaction /);
  assert.deepEqual(main.fact('Decommissioned').links(), ['/block/1', `/tx/${transactionId(ending.transaction)}`]);
});
