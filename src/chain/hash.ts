/** The hash of the protocol (docs/protocol.md#hash-function). */
import { hash as digest } from 'node:crypto';
import type { Hex } from './types.ts';

/** Returns the first 32 bytes of a BLAKE2b digest of 64 bytes, as hex. This is not BLAKE2b-256. */
export function hash(bytes: Uint8Array): Hex {
  return digest('blake2b512', bytes, 'hex').slice(0, 64);
}

/** Returns the first 20 bytes of {@link hash}: of a public key, or of the keys of a multisig, in addresses. */
export function hash20(bytes: Uint8Array): Hex {
  return hash(bytes).slice(0, 40);
}
