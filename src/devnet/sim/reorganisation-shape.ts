/** The depth of random reorganisations: nearly all shallow, a few very deep. */
import type { Random } from './random.ts';

export interface ReorganisationShape {
  /** Blocks that are taken back. */
  readonly depth: number;
  /** Blocks of the branch that comes in their place: mostly one more, now and then fewer but heavier. */
  readonly length: number;
}

/** At most `undoable` blocks deep; null when there are none. */
export function drawReorganisation(random: Random, undoable: number): ReorganisationShape | null {
  if (undoable === 0) return null;
  const scale = random.unit();
  const limit = scale < 0.8 ? 3 : scale < 0.97 ? 15 : scale < 0.995 ? 120 : undoable;
  const depth = 1 + random.below(Math.min(limit, undoable));
  const length = random.chance(0.2) ? random.between(1, depth) : depth + 1 + random.below(2);
  return { depth, length };
}
