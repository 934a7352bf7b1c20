/** The world as the genesis leaves it (docs/indexing-rules.md#block-rewards-and-genesis). */

import { decodeGenesis } from '../../../chain/codec/genesis.ts';
import type { Outpoint } from '../../../chain/types.ts';
import type { SimulatedWorld } from '../world.ts';
import { addUnspentOutput, createPool, valueNeededByOutput } from './apply-outputs.ts';

/** Premined outputs may be spent from block 1 on, their keys are taken for ours. */
export function applyGenesisToWorld(world: SimulatedWorld): void {
  const { network, statistics, wallet } = world;
  const genesis = decodeGenesis(network.genesis);
  world.startAt(network.genesisId, genesis.timestamp);
  genesis.outputs.forEach((output, index) => {
    const outpoint: Outpoint = { sourceType: 'BlockReward', sourceId: network.genesisId, index };
    if (output.type === 'CreateStakePool') {
      wallet.adopt(output.data.staker);
      wallet.adopt(output.data.decommissionKey);
      createPool(world, output, outpoint);
    } else if (output.type === 'Transfer' || output.type === 'LockThenTransfer') {
      wallet.adopt(output.destination);
      addUnspentOutput(world, outpoint, output);
    } else throw new Error(`A genesis with an output of kind ${output.type} cannot be simulated`);
    const amount = valueNeededByOutput(output)?.amount ?? 0n;
    statistics.preminted += amount;
    statistics.circulating += amount;
  });
  world.journal.forget(world.journal.mark());
}
