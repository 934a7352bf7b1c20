/**
 * Signs what a simulation makes. The simulation draws its signatures, because nobody verifies them; its keys are real, and
 * their secrets follow from the seed. Here each drawn signature is replaced by a valid one, of the same length.
 */
import { createECDH, createHash } from 'node:crypto';
import { writeInput } from '../../../src/chain/codec/input.ts';
import { writeOutput } from '../../../src/chain/codec/output.ts';
import { OUTPUT_VALUE_CODEC } from '../../../src/chain/codec/value.ts';
import { modulo } from '../../../src/chain/curve-points.ts';
import { hash } from '../../../src/chain/hash.ts';
import { ScaleWriter } from '../../../src/chain/scale/writer.ts';
import type { Destination, Hex, InputWitness, SignedTransaction, TxInput } from '../../../src/chain/types.ts';
import { makeOutputValue } from '../../../src/devnet/sim/transaction-draft.ts';
import { UserKeys } from '../../../src/devnet/sim/user-keys.ts';
import { type SimulatedWorld, worldOutpointKey } from '../../../src/devnet/sim/world.ts';

/** The order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** Hex digits of a signature and of a public key, their kind bytes included. */
const SIGNATURE_DIGITS = 2 * 65;
const KEY_DIGITS = 2 * 34;
const SIGHASH_ALL = 1;
/** Hex digits before what the key of an HTLC signs: the way that it is opened, perhaps the secret, and a length. */
const STARTS = [0, 4, 6, 68, 70];

const bytesOf = (number: bigint): Buffer => Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
};

/** The compressed public key of a secret, 33 bytes. */
function publicPoint(secret: bigint): Buffer {
  const pair = createECDH('secp256k1');
  pair.setPrivateKey(bytesOf(secret));
  return pair.getPublicKey(null, 'compressed');
}

/** Returns a Schnorr signature (BIP 340) of the hash of a message: kind byte and 64 bytes. */
export function schnorrSignature(secret: bigint, message: Uint8Array): Hex {
  const digest = Buffer.from(hash(message), 'hex');
  const even = (number: bigint, point: Buffer) => (point[0] === 2 ? number : ORDER - number);
  const key = publicPoint(secret);
  const nonce = modulo(numberOf(sha256(bytesOf(secret), digest)), ORDER);
  const point = publicPoint(nonce);
  const tag = sha256(Buffer.from('BIP0340/challenge'));
  const challenge = numberOf(sha256(tag, tag, point.subarray(1), key.subarray(1), digest));
  const answer = modulo(even(nonce, point) + challenge * even(secret, key), ORDER);
  return `00${point.toString('hex', 1)}${bytesOf(answer).toString('hex')}`;
}

export interface KnownSecret {
  readonly secret: bigint;
  readonly vrfPublicKey: Hex;
}

/** The keys of a simulation, with their secrets. All pools have the VRF key of the genesis, whose secret is known. */
export class SigningKeys extends UserKeys {
  readonly #secrets = new Map<Hex, bigint>();
  #nextSecret: bigint;
  /** Where what a destination signs has signatures, of which keys; of the transactions of one block. */
  readonly #places = new Map<Hex, readonly { readonly at: number; readonly key: Hex }[]>();
  readonly #genesis: KnownSecret;

  constructor(seed: string, genesis: KnownSecret) {
    super(seed);
    this.#genesis = genesis;
    // As the simulation's sequence of keys begins.
    this.#nextSecret = numberOf(sha256(Buffer.from(`${seed}/keys`)));
    this.#remember(genesis.secret);
  }

  override newVrfPublicKey(): Hex {
    return this.#genesis.vrfPublicKey;
  }

  override signature(destination: Destination): Hex {
    const raw = super.signature(destination);
    const kind = destination.slice(0, 2);
    const key = (at: number): Hex => raw.slice(at, at + KEY_DIGITS);
    if (kind === '02') this.#places.set(raw, [{ at: 0, key: destination.slice(2) }]);
    else if (kind === '01') this.#places.set(raw, [{ at: KEY_DIGITS, key: key(0) }]);
    else if (kind === '04') {
      // The number of signatures; each behind the number of its key; the threshold and the number of keys; the keys.
      const [first, second] = [4, 4 + SIGNATURE_DIGITS + 2];
      const keys = second + SIGNATURE_DIGITS + 4;
      const both = [first, second].map((at, number) => ({ at, key: key(keys + number * KEY_DIGITS) }));
      this.#places.set(raw, both);
    }
    return raw;
  }

  /** The secret of a public key of a user (34 bytes). Throws Error for other keys. */
  secretOfKey(key: Hex): bigint {
    for (let tries = 0; tries < 10_000; tries++) {
      const secret = this.#secrets.get(key);
      if (secret !== undefined) return secret;
      this.#remember(this.#nextSecret++);
    }
    throw new Error(`The secret of ${key} is not known`);
  }

  /** Replaces the signatures of a transaction that was not applied to this world yet. */
  sign(world: SimulatedWorld, signed: SignedTransaction): SignedTransaction {
    const message = Buffer.from(signatureHash(world, signed), 'hex');
    return { ...signed, signatures: signed.signatures.map((witness) => this.#valid(witness, message)) };
  }

  forgetSignatures(): void {
    this.#places.clear();
  }

  #valid(witness: InputWitness, message: Buffer): InputWitness {
    if (witness.type === 'NoSignature') return witness;
    let raw = witness.rawSignature;
    const start = STARTS.find((digits) => this.#places.has(raw.slice(digits))) ?? 0;
    const places = this.#places.get(raw.slice(start)) ?? [];
    for (const { at, key } of places) {
      const signature = schnorrSignature(this.secretOfKey(key), message);
      raw = raw.slice(0, start + at) + signature + raw.slice(start + at + SIGNATURE_DIGITS);
    }
    // So that it can be signed again.
    this.#places.set(raw.slice(start), places);
    return { ...witness, rawSignature: raw };
  }

  #remember(secret: bigint): void {
    this.#secrets.set(`00${publicPoint(secret).toString('hex')}`, secret);
  }
}

/** What all signatures of a transaction sign: it, and what its inputs spend. */
function signatureHash(world: SimulatedWorld, { transaction }: SignedTransaction): Hex {
  const { flags, inputs, outputs } = transaction;
  const writer = new ScaleWriter();
  writer.u8(SIGHASH_ALL);
  writer.u8(1);
  writer.u128(flags);
  writer.u32(inputs.length);
  for (const input of inputs) writeInput(writer, input);
  writer.u32(inputs.length);
  for (const input of inputs) writeCommitment(writer, world, input);
  writer.vector(outputs, writeOutput);
  return hash(writer.finish());
}

/** What is signed of the state that an input depends on. */
function writeCommitment(writer: ScaleWriter, world: SimulatedWorld, input: TxInput): void {
  if (input.type === 'Utxo') {
    const output = world.utxos.get(worldOutpointKey(input.outpoint))?.output;
    // Then it is refused however it is signed.
    if (output === undefined) return;
    const isStaked = output.type === 'ProduceBlockFromStake';
    writer.u8(isStaked ? 2 : 1);
    writeOutput(writer, output);
    if (isStaked) writer.compact(world.pools.get(output.poolId)!.stakerBalance, 128);
    return;
  }
  const command = 'command' in input ? input.command : null;
  if (command?.type !== 'FillOrder' && command?.type !== 'ConcludeOrder') return writer.u8(0);
  const order = world.orders.get(command.orderId);
  if (order === undefined) return;
  const { ask, give, askBalance, giveBalance } = order;
  const isConcluded = command.type === 'ConcludeOrder';
  writer.u8(isConcluded ? 4 : 3);
  for (const { currency, amount } of [ask, give]) OUTPUT_VALUE_CODEC.write(writer, makeOutputValue(currency, amount));
  if (isConcluded) for (const balance of [askBalance, giveBalance]) writer.compact(balance, 128);
}
