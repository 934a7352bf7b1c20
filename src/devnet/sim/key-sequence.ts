/**
 * Public keys of secp256k1, one after the other: of the secrets k, k + 1, k + 2, …
 *
 * For signatures that nobody verifies only; real secrets are never neighbours.
 */
import { createECDH, createHash } from 'node:crypto';
import type { Hex } from '../../chain/types.ts';

export class KeySequence {
  readonly #pair = createECDH('secp256k1');
  #secret: bigint;

  constructor(seed: string) {
    this.#secret = BigInt(`0x${createHash('sha256').update(seed).digest('hex')}`);
  }

  /** Kind byte and 33 bytes of the compressed point. */
  next(): Hex {
    this.#pair.setPrivateKey(this.#secret.toString(16).padStart(64, '0'), 'hex');
    this.#secret++;
    return `00${this.#pair.getPublicKey('hex', 'compressed')}`;
  }
}
