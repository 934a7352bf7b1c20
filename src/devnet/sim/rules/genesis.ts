/** The world as the genesis leaves it (docs/indexing-rules.md#block-rewards-and-genesis). */

import { decodeGenesis } from '../../../chain/codec/genesis.ts';
import { unknownKind } from '../../../chain/kind-facts.ts';
import type { Outpoint } from '../../../chain/types.ts';
import type { World } from '../world.ts';
import { OPEN } from './locks.ts';
import { addUnspent, amountOf, createPool, currencyOf } from './outputs.ts';

/** Premined outputs may be spent from block 1 on, their keys are taken for ours. */
export function applyGenesis(world: World): void {
  const { network, statistics, wallet } = world;
  const genesis = decodeGenesis(network.genesis);
  world.startAt(network.genesisId, genesis.timestamp);
  genesis.outputs.forEach((output, index) => {
    const outpoint: Outpoint = { sourceType: 'BlockReward', sourceId: network.genesisId, index };
    switch (output.type) {
      case 'Transfer':
      case 'LockThenTransfer': {
        const { destination } = output;
        wallet.adopt(destination);
        const amount = amountOf(output.value);
        addUnspent(world, { outpoint, output, destination, currency: currencyOf(output.value), amount, opens: OPEN });
        statistics.preminted += amount;
        statistics.circulating += amount;
        return;
      }
      case 'CreateStakePool':
        wallet.adopt(output.data.staker);
        wallet.adopt(output.data.decommissionKey);
        createPool(world, output, outpoint);
        statistics.preminted += output.data.pledge;
        statistics.circulating += output.data.pledge;
        return;
      case 'Burn':
      case 'ProduceBlockFromStake':
      case 'CreateDelegationId':
      case 'DelegateStaking':
      case 'IssueFungibleToken':
      case 'IssueNft':
      case 'DataDeposit':
      case 'Htlc':
      case 'CreateOrder':
        throw new Error(`A genesis with an output of kind ${output.type} cannot be simulated`);
      default:
        unknownKind(output);
    }
  });
  world.journal.forget(world.journal.mark());
}
