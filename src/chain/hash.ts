/** The hash of the protocol (docs/protocol.md#hash-function). */
import { hash as digest } from 'node:crypto';
import type { Hex } from './types.ts';

/** Returns the first 32 bytes of a BLAKE2b digest of 64 bytes, as hex. This is not BLAKE2b-256. */
export function hash(bytes: Uint8Array): Hex {
  return digest('blake2b512', bytes, 'hex').slice(0, 64);
}
