/**
 * Public keys of secp256k1, one after the other: secret k, k + 1, k + 2, …, so that each costs one addition of points.
 *
 * For signatures that nobody verifies only; real secrets are never neighbours.
 */
import { createECDH, createHash } from 'node:crypto';
import type { Hex } from '../../chain/types.ts';

const P = 2n ** 256n - 2n ** 32n - 977n;
const GENERATOR_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;
const GENERATOR_Y = 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n;

export class KeySequence {
  #x: bigint;
  #y: bigint;

  constructor(seed: string) {
    const pair = createECDH('secp256k1');
    pair.setPrivateKey(createHash('sha256').update(seed).digest());
    const point = pair.getPublicKey('hex');
    this.#x = BigInt(`0x${point.slice(2, 66)}`);
    this.#y = BigInt(`0x${point.slice(66)}`);
  }

  /** Kind byte and 33 bytes of the compressed point. */
  next(): Hex {
    const sign = this.#y & 1n ? '03' : '02';
    const key = `00${sign}${this.#x.toString(16).padStart(64, '0')}`;
    this.#addGenerator();
    return key;
  }

  #addGenerator(): void {
    const slope = (mod(GENERATOR_Y - this.#y) * inverse(mod(GENERATOR_X - this.#x))) % P;
    const x = mod(slope * slope - this.#x - GENERATOR_X);
    this.#y = mod(slope * (this.#x - x) - this.#y);
    this.#x = x;
  }
}

function mod(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

/** 1/x modulo P by Euclid. */
function inverse(x: bigint): bigint {
  let [rest, next] = [P, x];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return mod(factor);
}
