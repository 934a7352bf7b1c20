/**
 * The keys of all users of a simulated chain.
 *
 * Key number n follows from the seed alone, so a chain that is read back from a file finds its keys again. Public keys
 * are real points and hashes are real hashes; signatures have the right form but are drawn (nobody indexes them).
 */

import { createECDH, createHash } from 'node:crypto';
import { isRistrettoPoint, modularPower, modulo, SECP256K1_PRIME } from '../../chain/curve-points.ts';
import { hash20 } from '../../chain/hash.ts';
import { isContractOutput } from '../../chain/input-and-output-kinds.ts';
import type { Destination, Hex, InputWitness, TxOutput } from '../../chain/types.ts';
import { Random } from './random.ts';

export const ANYONE_CAN_SPEND: Destination = '00';
const SIGHASH_ALL = 1;
const SECP256K1_SCHNORR = '00';
/** Unknown destinations are looked for among this many keys after the last one in use. */
const LOOK_AHEAD = 64;
const CREATORS = 40;

interface HtlcSecret {
  readonly secret: Hex;
  readonly secretHash: Hex;
}

/** RIPEMD160(SHA256(secret)), what an HTLC output names (docs/protocol.md#htlcs). */
export function secretHashOf(secret: Hex): Hex {
  const inner = createHash('sha256').update(secret, 'hex').digest();
  return createHash('ripemd160').update(inner).digest('hex');
}

function byteHex(value: number): Hex {
  return value.toString(16).padStart(2, '0');
}

export class UserKeys {
  readonly #seed: string;
  readonly #random: Random;
  readonly #keys: KeySequence;
  /** Public keys of creators of NFTs. */
  readonly #creators: readonly Hex[];
  /** How each destination signs (docs/protocol.md#witnesses). */
  readonly #signers = new Map<Destination, () => Hex>();
  readonly #destinations: Destination[] = [];
  readonly #inUse = new Set<Destination>();
  readonly #publicKeys: Destination[] = [];
  readonly #secrets = new Map<Hex, Hex>();
  #derived: Destination[] = [];
  /** Derived to be looked for, not in use yet. */
  readonly #nextSecrets: HtlcSecret[] = [];
  #secretCount = 0;

  constructor(seed: string | number) {
    this.#seed = String(seed);
    this.#keys = new KeySequence(`${seed}/keys`);
    const creators = new KeySequence(`${seed}/creators`);
    this.#creators = Array.from({ length: CREATORS }, () => creators.next());
    this.#random = new Random(`${seed}/signatures`);
    this.#signers.set(ANYONE_CAN_SPEND, () => '');
  }

  /** The destinations in use, oldest first. */
  get destinations(): readonly Destination[] {
    return this.#destinations;
  }

  owns(destination: Destination): boolean {
    return this.#signers.has(destination);
  }

  /** Takes the next key into use. */
  newDestination(): Destination {
    const destination = this.#derived.shift() ?? this.#derive(this.#destinations.length + this.#derived.length);
    this.#destinations.push(destination);
    this.#inUse.add(destination);
    if (destination.startsWith('02')) this.#publicKeys.push(destination);
    return destination;
  }

  /** Somebody who may make blocks: blocks are signed by plain public keys only. */
  stakerDestination(random: Random): Destination {
    const known = this.#publicKeys.length;
    if (known > 0 && random.chance(0.5)) return random.pick(this.#publicKeys);
    for (;;) {
      const destination = this.newDestination();
      if (destination.startsWith('02')) return destination;
    }
  }

  /** Lets users sign for a destination of the genesis. */
  adopt(destination: Destination): void {
    if (this.owns(destination)) return;
    if (destination.startsWith('02')) this.#signers.set(destination, () => this.schnorr());
    else if (destination.startsWith('01')) this.#signers.set(destination, () => this.#creators[0]! + this.schnorr());
  }

  /** Finds a destination of a chain read back among the next keys; takes all up to it into use. */
  recognise(destination: Destination): boolean {
    while (this.#derived.length < LOOK_AHEAD) {
      this.#derived.push(this.#derive(this.#destinations.length + this.#derived.length));
    }
    if (!this.owns(destination)) return false;
    if (!this.#inUse.has(destination)) {
      const found = this.#derived.indexOf(destination);
      for (let taken = 0; taken <= found; taken++) this.newDestination();
    }
    return true;
  }

  /** Takes the keys and secrets of all that a transaction creates into use. */
  recogniseAll(outputs: readonly TxOutput[]): void {
    for (const output of outputs) {
      for (const key of keysOf(output)) this.recognise(key);
      if (isContractOutput(output)) this.#recogniseSecret(output.contract.secretHash);
    }
  }

  /** Returns the public key of a creator: kind byte and compressed point. */
  pickCreatorKey(): Hex {
    return this.#random.pick(this.#creators);
  }

  /** Takes the next secret into use. */
  newSecret(): HtlcSecret {
    const next = this.#nextSecrets.shift() ?? this.#deriveSecret();
    this.#secrets.set(next.secretHash, next.secret);
    return next;
  }

  /** The VRF key of a new pool: of a secret that nobody knows. */
  newVrfPublicKey(random: Random): Hex {
    return randomVrfPublicKey(random);
  }

  secretOf(secretHash: Hex): Hex | undefined {
    return this.#secrets.get(secretHash);
  }

  #recogniseSecret(secretHash: Hex): void {
    while (this.#nextSecrets.length < LOOK_AHEAD) this.#nextSecrets.push(this.#deriveSecret());
    const found = this.#nextSecrets.findIndex((next) => next.secretHash === secretHash);
    for (let taken = 0; taken <= found; taken++) this.newSecret();
  }

  #deriveSecret(): HtlcSecret {
    const secret = createHash('sha256')
      .update(`${this.#seed}/secret ${this.#secretCount++}`)
      .digest('hex');
    return { secret, secretHash: secretHashOf(secret) };
  }

  /** The witness of an input whose coins or authority belong to `destination`. */
  witness(destination: Destination): InputWitness {
    const rawSignature = this.signature(destination);
    return rawSignature === ''
      ? { type: 'NoSignature', data: null }
      : { type: 'Standard', sighashType: SIGHASH_ALL, rawSignature };
  }

  /** Claims an HTLC with its secret. */
  secretWitness(secret: Hex, spendKey: Destination): InputWitness {
    return this.#contractWitness(`00${secret}`, spendKey);
  }

  /** Takes an HTLC back. */
  refundWitness(refundKey: Destination): InputWitness {
    return this.#contractWitness('01', refundKey);
  }

  /** Returns the witness for a destination (docs/protocol.md#witnesses); empty if none is needed. */
  signature(destination: Destination): Hex {
    const sign = this.#signers.get(destination);
    if (sign === undefined) throw new Error(`No key for the destination ${destination}`);
    return sign();
  }

  /** Returns a signature, as in a block's header: kind byte and 64 bytes. */
  schnorr(): Hex {
    return SECP256K1_SCHNORR + this.#random.hex(64);
  }

  #contractWitness(start: Hex, key: Destination): InputWitness {
    const inner = this.signature(key);
    const bytes = inner.length / 2;
    const length = bytes < 64 ? byteHex(bytes << 2) : byteHex(((bytes << 2) | 1) & 0xff) + byteHex(bytes >> 6);
    return { type: 'Standard', sighashType: SIGHASH_ALL, rawSignature: start + length + inner };
  }

  /** A hundred keys give 85 key hashes, 10 keys, 5 multisigs of two or three keys. */
  #derive(number: number): Destination {
    const publicKey = this.#keys.next();
    const kind = (number * 37 + 11) % 100;
    if (kind < 85) return this.#add(`01${hash20(Buffer.from(publicKey, 'hex'))}`, () => publicKey + this.schnorr());
    if (kind < 95) return this.#add(`02${publicKey}`, () => this.schnorr());
    const keys = [publicKey, this.#keys.next()];
    if (kind >= 98) keys.push(this.#keys.next());
    // Two of the keys sign, each with its number before the signature.
    const challenge = byteHex(2) + byteHex(keys.length << 2) + keys.join('');
    const sign = () => byteHex(2 << 2) + byteHex(0) + this.schnorr() + byteHex(1) + this.schnorr() + challenge;
    return this.#add(`04${hash20(Buffer.from(challenge, 'hex'))}`, sign);
  }

  #add(destination: Destination, sign: () => Hex): Destination {
    this.#signers.set(destination, sign);
    return destination;
  }
}

/** The destination that an output names. */
function keysOf(output: TxOutput): readonly Destination[] {
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer':
    case 'ProduceBlockFromStake':
    case 'CreateDelegationId':
    case 'IssueNft':
      return [output.destination];
    case 'CreateStakePool':
      return [output.data.staker, output.data.decommissionKey];
    case 'IssueFungibleToken':
      return [output.issuance.authority];
    case 'CreateOrder':
      return [output.order.concludeKey];
    case 'Htlc':
      return [output.contract.spendKey, output.contract.refundKey];
    case 'Burn':
    case 'DelegateStaking':
    case 'DataDeposit':
      return [];
  }
}

type Point = readonly [x: bigint, y: bigint];

/** How many keys are derived together: their additions share one division, which costs as much as a hundred of them. */
const KEYS_AT_ONCE = 32;
/** The multiples 1, 2, 3, … of secp256k1's base point, computed when first needed. */
let multiples: readonly Point[] = [];

/** The public key of a secret. */
function pointOf(secret: bigint): Point {
  const pair = createECDH('secp256k1');
  pair.setPrivateKey(secret.toString(16).padStart(64, '0'), 'hex');
  const hex = pair.getPublicKey('hex', 'uncompressed');
  return [BigInt(`0x${hex.slice(2, 66)}`), BigInt(`0x${hex.slice(66)}`)];
}

/** The inverses of some numbers that are not zero: with one division for all. */
function inverses(numbers: readonly bigint[]): bigint[] {
  const products = [1n];
  for (const number of numbers) products.push(modulo(products.at(-1)! * number, SECP256K1_PRIME));
  let inverse = modularPower(products.at(-1)!, SECP256K1_PRIME - 2n, SECP256K1_PRIME);
  const found: bigint[] = [];
  for (let i = numbers.length - 1; i >= 0; i--) {
    found[i] = modulo(inverse * products[i]!, SECP256K1_PRIME);
    inverse = modulo(inverse * numbers[i]!, SECP256K1_PRIME);
  }
  return found;
}

/**
 * Public keys of secp256k1, one after the other: of the secrets k, k + 1, k + 2, … For signatures that nobody verifies only;
 * real secrets are never neighbours.
 */
export class KeySequence {
  readonly #next: Hex[] = [];
  #secret: bigint;

  constructor(seed: string) {
    this.#secret = BigInt(`0x${createHash('sha256').update(seed).digest('hex')}`);
  }

  /** Kind byte and 33 bytes of the compressed point. */
  next(): Hex {
    if (this.#next.length === 0) this.#derive();
    return this.#next.shift()!;
  }

  /** Adds multiples of the base point to the key before the next one. */
  #derive(): void {
    if (multiples.length === 0) multiples = Array.from({ length: KEYS_AT_ONCE }, (_, i) => pointOf(BigInt(i + 1)));
    const [x, y] = pointOf(this.#secret - 1n);
    const divisors = inverses(multiples.map(([otherX]) => modulo(otherX - x, SECP256K1_PRIME)));
    for (const [i, [otherX, otherY]] of multiples.entries()) {
      const slope = modulo((otherY - y) * divisors[i]!, SECP256K1_PRIME);
      const sumX = modulo(slope * slope - x - otherX, SECP256K1_PRIME);
      const sumY = modulo(slope * (x - sumX) - y, SECP256K1_PRIME);
      this.#next.push(`00${(sumY & 1n) === 0n ? '02' : '03'}${sumX.toString(16).padStart(64, '0')}`);
    }
    this.#secret += BigInt(KEYS_AT_ONCE);
  }
}

/**
 * A VRF public key: kind byte and 32 bytes that must be a point of ristretto255, or a node refuses to decode the pool that
 * names them. No secret key is needed to simulate, so bytes are drawn until they are a point (about one of four is).
 */
export function randomVrfPublicKey(random: Random): Hex {
  for (;;) {
    const bytes = Buffer.from(random.hex(32), 'hex');
    bytes[0]! &= 0xfe;
    bytes[31]! &= 0x7f;
    const point = bytes.toString('hex');
    if (isRistrettoPoint(point)) return `00${point}`;
  }
}

/** The data that a staker reveals: kind byte, pre-output, and a proof of two scalars below the group order (about 2^252). */
export function vrfData(random: Random): Hex {
  const bytes = Buffer.from(random.hex(96), 'hex');
  bytes[63]! &= 0x0f;
  bytes[95]! &= 0x0f;
  return `00${bytes.toString('hex')}`;
}
