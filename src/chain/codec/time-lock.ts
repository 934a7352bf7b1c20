/** Time locks of outputs (docs/protocol.md#time-locks). */
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { TimeLock } from '../types.ts';

/** The position is the tag. */
const TYPES = ['UntilHeight', 'UntilTime', 'ForBlockCount', 'ForSeconds'] as const;

export function readTimeLock(reader: Reader): TimeLock {
  const tag = reader.u8('a time lock');
  const type = TYPES[tag];
  if (type === undefined) reader.fail('the kind of a time lock: 0 to 3', `${tag}`, reader.position - 1);
  return { type, value: reader.compact(8, 'the value of a time lock') };
}

export function writeTimeLock(writer: Writer, lock: TimeLock): void {
  writer.u8(TYPES.indexOf(lock.type));
  writer.compact(lock.value, 64);
}
