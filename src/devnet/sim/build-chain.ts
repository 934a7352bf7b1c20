/** Whole simulated chains at once. */
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import { blockLine, genesisLine } from './chain-file-writer.ts';
import type { Random } from './random.ts';
import type { SimulatedBlock } from './seal-block.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

export interface SimulatedChainOptions extends SimulationOptions {
  readonly blocks: number;
  /** The probability that a reorganisation follows a block, 0 (the default) … 1. */
  readonly reorganisationProbability?: number | undefined;
}

export interface BlockArrival {
  readonly block: SimulatedBlock;
  /** Is this block the node's best one when it has arrived? */
  readonly isTip: boolean;
}

/** The blocks that a node would receive, those of removed branches included, until its best height is `options.blocks`. */
export function* blockArrivals(
  options: SimulatedChainOptions,
  simulation = startSimulation(options),
): Generator<BlockArrival> {
  const probability = options.reorganisationProbability ?? 0;
  while (simulation.height < options.blocks) {
    yield { block: simulation.mineBlock(), isTip: true };
    if (probability === 0 || !simulation.random.chance(probability)) continue;
    const shape = drawHeavierBranch(simulation);
    if (shape === null || simulation.height - shape.depth + shape.length > options.blocks) continue;
    const branch = simulation.reorganise(shape.depth, shape.length);
    for (const [index, block] of branch.entries()) yield { block, isTip: index === branch.length - 1 };
  }
}

/** A chain without reorganisations remembers nothing for undoing. */
function startSimulation(options: SimulatedChainOptions): Simulation {
  const undoDepth = options.reorganisationProbability ? (options.undoDepth ?? MAX_REORGANISATION_DEPTH) : 0;
  return new Simulation({ ...options, undoDepth });
}

/** The lines of a chain file. */
export function* chainFileLines(options: SimulatedChainOptions): Generator<string> {
  yield genesisLine(options.network);
  for (const { block, isTip } of blockArrivals(options)) yield blockLine(block, isTip);
}

interface ReorganisationShape {
  /** Blocks that are taken back. */
  readonly depth: number;
  /** Blocks of the branch that comes in their place: mostly one more, now and then fewer that come faster. */
  readonly length: number;
}

/** Draws a reorganisation that a node would do: of which the branch can weigh enough. */
export function drawHeavierBranch(simulation: Simulation): ReorganisationShape | null {
  const shape = drawReorganisation(simulation.random, simulation.undoable);
  if (shape === null) return null;
  return { ...shape, length: Math.max(shape.length, simulation.leastBranch(shape.depth)) };
}

/** Draws a reorganisation of at most `undoable` blocks: nearly all are shallow, a few very deep. Null if that is 0. */
export function drawReorganisation(random: Random, undoable: number): ReorganisationShape | null {
  if (undoable === 0) return null;
  const scale = random.unit();
  const limit = scale < 0.8 ? 3 : scale < 0.97 ? 15 : scale < 0.995 ? 120 : undoable;
  const depth = 1 + random.below(Math.min(limit, undoable));
  const length = random.chance(0.2) ? random.between(1, depth) : depth + 1 + random.below(2);
  return { depth, length };
}
