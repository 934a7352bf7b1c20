/** The world as the genesis leaves it (docs/indexing-rules.md#block-rewards-and-genesis). */

import { decodeGenesis } from '../../../chain/codec/genesis.ts';
import { createsPool, isPaymentOutput } from '../../../chain/input-and-output-kinds.ts';
import type { Outpoint } from '../../../chain/types.ts';
import type { SimulatedWorld } from '../world.ts';
import { addUnspentOutput, createPool, valueNeededByOutput } from './apply-outputs.ts';

/** Premined outputs may be spent from block 1 on, their keys are taken for ours. */
export function applyGenesisToWorld(world: SimulatedWorld): void {
  const { network, statistics, userKeys } = world;
  const genesis = decodeGenesis(network.genesis);
  world.startAt(network.genesisId, genesis.timestamp);
  genesis.outputs.forEach((output, index) => {
    const outpoint: Outpoint = { sourceType: 'BlockReward', sourceId: network.genesisId, index };
    if (createsPool(output)) {
      userKeys.adopt(output.data.staker);
      userKeys.adopt(output.data.decommissionKey);
      createPool(world, output, outpoint);
    } else if (isPaymentOutput(output)) {
      userKeys.adopt(output.destination);
      addUnspentOutput(world, outpoint, output);
    } else throw new Error(`A genesis with an output of kind ${output.type} cannot be simulated`);
    const amount = valueNeededByOutput(output)?.amount ?? 0n;
    statistics.preminted += amount;
    statistics.circulating += amount;
  });
  world.journal.forget(world.journal.mark());
}
