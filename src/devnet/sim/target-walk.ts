/** The targets of the blocks: they wander around where a network with proof of stake starts, not by a node's rule. */
import type { Random } from './random.ts';

const EXPONENT = 0x1a;
const INITIAL_MANTISSA = 0x090000;
const MIN_MANTISSA = 0x008000;
const MAX_MANTISSA = 0x7fffff;

export class TargetWalk {
  #mantissa = INITIAL_MANTISSA;

  /** The compact target of the next block. */
  next(random: Random): number {
    const step = 1 + (random.unit() - 0.5) / 256;
    const back = this.#mantissa < INITIAL_MANTISSA / 2 ? 1.01 : 1;
    this.#set(this.#mantissa * step * back);
    return EXPONENT * 2 ** 24 + this.#mantissa;
  }

  #set(mantissa: number): void {
    this.#mantissa = Math.min(MAX_MANTISSA, Math.max(MIN_MANTISSA, Math.floor(mantissa)));
  }
}
