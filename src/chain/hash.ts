/** The hash of the protocol (docs/protocol.md#hash-function). */
import { hash as digest } from 'node:crypto';
import type { Hex } from './types.ts';

/** BLAKE2b with 64 bytes of digest, cut to its first 32: not BLAKE2b-256. */
export function hash(bytes: Uint8Array): Hex {
  return digest('blake2b512', bytes, 'hex').slice(0, 64);
}
