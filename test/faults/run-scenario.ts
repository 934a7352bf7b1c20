/** Rare states of operation, each on a stack of its own, in which all that a web server says must be true. */
import { SeededRandom } from '../../bench/seeded-random.ts';
import type { Scope } from '../support/file-scope.ts';
import { FaultyNode } from './faulty-node.ts';
import type { FaultyPostgres } from './faulty-postgres.ts';
import { nodeElsewhere } from './scenarios/node-elsewhere.ts';
import { pausedReplay } from './scenarios/paused-replay.ts';
import { promotion } from './scenarios/promotion.ts';
import { restore } from './scenarios/restore.ts';
import { Scene } from './scene.ts';

const FIRST_BLOCKS = 120;

/** `postgres`: for those without replicas. */
export const SCENARIOS: Readonly<Record<string, (scene: Scene, postgres: FaultyPostgres) => Promise<void>>> = {
  'scenario: promotion while the old primary lives, or before it is back': promotion,
  'scenario: paused replay of a replica': pausedReplay,
  'scenario: restore under running servers': restore,
  'scenario: node that goes back or forks': nodeElsewhere,
};

/** Gives the states that were looked at, and what was wrong there. */
export async function runScenario(scope: Scope, postgres: FaultyPostgres, seed: number, name: string) {
  const node = await FaultyNode.open(seed, FIRST_BLOCKS);
  scope.after(() => node.stop());
  const scene = new Scene(scope, new SeededRandom(seed), node);
  try {
    await SCENARIOS[name]!(scene, postgres);
  } catch (error) {
    scene.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return { faults: [name], problems: [...scene.problems, ...scene.logProblems()], figures: scene.states.join('; ') };
}
