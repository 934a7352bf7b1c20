/** Messages that are signed with the keys of an address (docs/protocol.md#signed-messages). */
import { hash as digest } from 'node:crypto';
import { hashes, schnorr } from '@noble/secp256k1';
import { destinationKind } from './address.ts';
import { PUBLIC_KEY_CODEC, SIGNATURE_CODEC } from './codec/destination.ts';
import { isSecp256k1Point } from './curve-points.ts';
import { hash, hash20 } from './hash.ts';
import { DecodeError } from './scale/codec-errors.ts';
import { decodeWhole, type ScaleReader } from './scale/reader.ts';
import type { Destination, Hex } from './types.ts';

hashes.sha256 = (bytes) => digest('sha256', bytes, 'buffer');

/**
 * Why a signature is not valid. `bare_signature`: it is a signature alone, as Trezor and Ledger return it,
 * without what says whose it is; `malformed`: it has not the form of the address' kind; `other_key`: it names other keys than the
 * address; `mismatch`: it is of another message, or damaged; `incomplete`: signatures of a multisig are missing;
 * `unsupported_address`: nobody can sign for the address.
 */
export const SIGNATURE_FAULTS = [
  'bare_signature',
  'malformed',
  'other_key',
  'mismatch',
  'incomplete',
  'unsupported_address',
] as const;
export type SignatureFault = (typeof SIGNATURE_FAULTS)[number];

/** A message, who is said to have signed it, and the signature. */
export interface SignedMessage {
  readonly destination: Destination;
  readonly message: Hex;
  readonly signature: Hex;
}

const MAX_MULTISIG_KEYS = 32;
/** The hex digits of a Schnorr signature. */
const BARE_SIGNATURE_LENGTH = 128;
const BEGIN = '===MINTLAYER MESSAGE BEGIN===\n';
const END = '\n===MINTLAYER MESSAGE END===';

/** Returns why the signature is not valid; null if it is. Takes ms for each key. */
export function signatureFault({ destination, message, signature }: SignedMessage): SignatureFault | null {
  const challenge = hash(Buffer.concat([Buffer.from(BEGIN), bytesOf(message), Buffer.from(END)]));
  // What is signed is hashed once more.
  const signed = bytesOf(hash(bytesOf(challenge)));
  const isOf = ({ key, signature }: KeySignature) => {
    return schnorr.verify(bytesOf(signature.slice(2)), signed, bytesOf(key.slice(4)));
  };
  const payload = destination.slice(2);
  const decoded = <T>(read: (reader: ScaleReader) => T) => decodeWhole(bytesOf(signature), read, 'the signature');
  try {
    switch (destinationKind(destination)) {
      case 'publicKey':
        return isOf({ key: payload, signature: decoded(SIGNATURE_CODEC.read) }) ? null : 'mismatch';
      case 'publicKeyHash': {
        const found = decoded((reader) => ({ key: readKey(reader), signature: SIGNATURE_CODEC.read(reader) }));
        if (hash20(bytesOf(found.key)) !== payload) return 'other_key';
        return isOf(found) ? null : 'mismatch';
      }
      case 'classicMultisig': {
        const { challengeHash, missing, signatures } = decoded(readMultisig);
        if (challengeHash !== payload) return 'other_key';
        if (!signatures.every(isOf)) return 'mismatch';
        return missing === 0 ? null : 'incomplete';
      }
      case 'anyoneCanSpend':
      case 'scriptHash':
        return 'unsupported_address';
    }
  } catch (error) {
    if (error instanceof DecodeError)
      return signature.length === BARE_SIGNATURE_LENGTH ? 'bare_signature' : 'malformed';
    throw error;
  }
}

interface KeySignature {
  readonly key: Hex;
  readonly signature: Hex;
}

/** Unlike `PUBLIC_KEY_CODEC`, refuses keys that do not exist. */
function readKey(reader: ScaleReader): Hex {
  const start = reader.position;
  const key = PUBLIC_KEY_CODEC.read(reader);
  if (!isSecp256k1Point(key.slice(2))) reader.fail('a point of the curve', key, start);
  return key;
}

/** Reads signatures, each behind the number of its key, and the challenge. As in a node, the last one of a key counts. */
function readMultisig(reader: ScaleReader) {
  const numbered = reader.vector((each) => [each.u8('a key'), SIGNATURE_CODEC.read(each)] as const, 'signatures');
  const start = reader.position;
  const needed = reader.u8('a threshold');
  const keys = reader.vector(readKey, 'public keys');
  const signatures = [...new Map(numbered)].map(([index, signature]) => ({ key: keys[index] ?? '', signature }));
  const isSound = needed > 0 && needed <= keys.length && keys.length <= MAX_MULTISIG_KEYS;
  if (!isSound || signatures.length > needed || signatures.some(({ key }) => key === '')) {
    reader.fail('a multisig', `${signatures.length} signatures of ${needed} for ${keys.length} keys`, start);
  }
  return { challengeHash: hash20(reader.bytes.subarray(start)), missing: needed - signatures.length, signatures };
}

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex, 'hex');
}
