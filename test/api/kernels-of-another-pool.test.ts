/** Blocks whose kernel is the stake of another pool than the one that makes them, and what becomes of both pools. */
import assert from 'node:assert/strict';
import { destinationAddress, poolAddress } from '../../src/chain/address.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import type { Id, TxInput, TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, network as rules, signed, spend, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers } from '../support/handmade-chain.ts';
import { getPage } from '../support/html-page.ts';

const [STAKED, NAMED] = ['a1', 'a2'].map((byte) => byte.repeat(32)) as [Id, Id];
const staker = `01${'0b'.repeat(20)}`;
/** Nothing else is theirs: they have no balances. */
const decommissionKeyOf = (poolId: Id) => `01${poolId.slice(0, 40)}`;
const createPool = (poolId: Id): TxOutput => ({
  type: 'CreateStakePool',
  poolId,
  data: {
    ...{ pledge: 40n * COIN, staker, vrfPublicKey: `00${'11'.repeat(32)}`, decommissionKey: decommissionKeyOf(poolId) },
    ...{ marginRatioPerThousand: 1000, costPerBlock: 0n },
  },
});

const chain = new HandmadeChain([...[STAKED, NAMED].map(createPool), transfer(coins(100n * COIN))], rules);
const { network } = chain;

/** A block that spends the stake of one pool and names the other. */
function addBlock(kernel: TxInput, transactions: ReturnType<typeof signed>[] = []) {
  return chain.add({
    transactions,
    reward: [{ type: 'ProduceBlockFromStake', destination: staker, poolId: STAKED }],
    consensus: {
      type: 'PoS',
      data: {
        ...{ kernelInputs: [kernel], kernelWitness: [{ type: 'NoSignature', data: null }], stakePoolId: NAMED },
        ...{ vrfData: `00${'22'.repeat(96)}`, compactTarget: 0x207fffff },
      },
    },
  });
}
const first = addBlock(spend(network.genesisId, 0, 'BlockReward'));
const second = addBlock(spend(first.id, 0, 'BlockReward'));
addBlock(spend(second.id, 0, 'BlockReward'));
const ending = signed([spend(chain.blocks[2]!.id, 0, 'BlockReward')], [transfer(coins(39n * COIN))]);
chain.add({ transactions: [ending] });
const other = signed([spend(network.genesisId, 1, 'BlockReward')], [transfer(coins(40n * COIN))]);
chain.add({ transactions: [other] });

const servers = handmadeServers(chain);

servers.alike('the pool that a block names has its reward, not the pool of its kernel', async (server) => {
  const blocksOf = async (id: Id) => (await server.json(`/pool/${poolAddress(network, id)}?expand=true`)).blocks.total;
  assert.deepEqual([await blocksOf(STAKED), await blocksOf(NAMED)], [0, 3]);
});

servers.alike(
  'a pool whose last output is in the block of another pool says what decommissioned it',
  async (server) => {
    for (const [id, height, { transaction }] of [
      [STAKED, 4, ending],
      [NAMED, 5, other],
    ] as const) {
      const { decommissioned } = await server.json(`/pool/${poolAddress(network, id)}?expand=true`);
      const { timestamp } = chain.blocks[height - 1]!.block.header;
      assert.deepEqual(decommissioned, { tx_id: transactionId(transaction), height, timestamp });
      const { main } = await getPage(server, `/pool/${poolAddress(network, id)}`);
      assert.match(main.fact('Decommissioned').text, new RegExp(`^block ${height}, `));
    }
  },
);

servers.alike('who decommissioned such a pool paid the fee with its stake', async (server) => {
  const address = destinationAddress(network, decommissionKeyOf(STAKED));
  const { items: history } = await server.json(`/address/${address}/history`);
  assert.deepEqual(
    history.map(({ tx_id, fee }: { tx_id: Id; fee: { atoms: string } }) => [tx_id, fee.atoms]),
    [[transactionId(ending.transaction), `${COIN}`]],
  );
});
