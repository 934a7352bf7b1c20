/** A whole simulated chain at once, in memory. */
import type { Network } from '../../src/chain/networks/network.ts';
import { type BlockArrival, blockArrivals, type SimulatedChainOptions } from '../../src/devnet/sim/build-chain.ts';
import type { SimulatedBlock } from '../../src/devnet/sim/seal-block.ts';
import { Simulation } from '../../src/devnet/sim/simulation.ts';

export interface BuiltChain {
  readonly network: Network;
  /** The blocks in the order of their arrival, including those of removed branches. */
  readonly arrivals: readonly BlockArrival[];
  /** The final main chain from height 1 on. */
  readonly blocks: readonly SimulatedBlock[];
  readonly simulation: Simulation;
}

export function buildChain(options: SimulatedChainOptions): BuiltChain {
  const simulation = new Simulation(options);
  const received = [...blockArrivals(options, simulation)];
  const byId = new Map(received.map(({ block }) => [block.id, block]));
  const blocks: SimulatedBlock[] = [];
  for (let block = byId.get(simulation.tipId); block !== undefined; block = byId.get(block.prev)) blocks.push(block);
  return { network: options.network, arrivals: received, blocks: blocks.reverse(), simulation };
}
