/** The times at which locks open (docs/protocol.md#time-locks). */
import type { TimeLock } from '../../../chain/types.ts';

/** The first height, and the first median time past of the parent, at which a spend is legal; zero: no condition. */
export interface LockOpening {
  readonly height: number;
  readonly time: number;
}

export const NO_LOCK: LockOpening = { height: 0, time: 0 };

/** `height` and `timestamp` are those of the block that creates the output. */
export function lockOpensAt(lock: TimeLock, height: number, timestamp: number): LockOpening {
  const value = Number(lock.value);
  switch (lock.type) {
    case 'UntilHeight':
      return { height: value, time: 0 };
    case 'UntilTime':
      return { height: 0, time: value };
    case 'ForBlockCount':
      return { height: height + value, time: 0 };
    case 'ForSeconds':
      return { height: 0, time: timestamp + value };
  }
}
