/** Simulated chains for tests that need many blocks of every kind, quickly. */
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import type { SimulatedBlock } from '../../src/devnet/sim/seal-block.ts';
import { Simulation } from '../../src/devnet/sim/simulation.ts';
import { MIX_PRESETS } from '../../src/devnet/sim/transaction-mix.ts';

export const SIMULATED_NETWORK = networkByName('regtest-pos');

/** Every kind of transaction, few in a block: a thousand blocks are made in a tenth of a second. */
export function lightSimulation(seed: string | number): Simulation {
  const mix = { ...MIX_PRESETS.dense, name: 'light', transactionsPerBlock: 1.5 };
  return new Simulation({ network: SIMULATED_NETWORK, seed, mix });
}

/** The first blocks of a light chain. */
export function lightChain(blocks: number, seed: string | number = 1): SimulatedBlock[] {
  return lightSimulation(seed).mine(blocks);
}
