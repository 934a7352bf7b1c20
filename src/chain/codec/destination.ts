/** Destinations and keys (docs/protocol.md#destinations-and-keys). All stay in their encoded form, as hex. */
import { EncodeError } from '../scale/codec-errors.ts';
import type { ScaleReader } from '../scale/reader.ts';
import type { Destination, Hex } from '../types.ts';
import { bytesAfterKindZero, type Codec } from './codec.ts';

/** Encoded lengths in bytes by the tag, which they include. */
export const DESTINATION_LENGTHS = [1, 21, 35, 33, 21];
const PUBLIC_KEY_TAG = 2;
/** Key kind and compressed point. */
const PUBLIC_KEY_LENGTH = 34;
/** The only key kind, and the prefix of a compressed point. */
const PUBLIC_KEY_START = /^000[23]/;

export const DESTINATION_CODEC: Codec<Destination> = {
  read(reader: ScaleReader) {
    const start = reader.position;
    const tag = reader.u8('a destination');
    const length = DESTINATION_LENGTHS[tag];
    if (length === undefined) reader.fail('the kind of a destination: 0 to 4', `${tag}`, start);
    reader.position = start;
    const destination = reader.hex(length, 'a destination');
    if (tag === PUBLIC_KEY_TAG) checkPublicKey(reader, start + 1);
    return destination;
  },
  write(writer, destination) {
    const length = DESTINATION_LENGTHS[Number.parseInt(destination.slice(0, 2), 16)];
    if (length === undefined) throw new EncodeError(`not a destination: "${destination}"`);
    if (length === DESTINATION_LENGTHS[PUBLIC_KEY_TAG] && !PUBLIC_KEY_START.test(destination.slice(2))) {
      throw new EncodeError(`not a public key: "${destination.slice(2)}"`);
    }
    writer.hex(destination, length);
  },
};

/** A kind byte and a compressed point, as hex. It is not checked here whether the point is on the curve. */
export const PUBLIC_KEY_CODEC: Codec<Hex> = {
  read(reader: ScaleReader) {
    const start = reader.position;
    const key = reader.hex(PUBLIC_KEY_LENGTH, 'a public key');
    checkPublicKey(reader, start);
    return key;
  },
  write(writer, key) {
    if (!PUBLIC_KEY_START.test(key)) throw new EncodeError(`not a public key: "${key}"`);
    writer.hex(key, PUBLIC_KEY_LENGTH);
  },
};

/** Kind byte and the 64 bytes of a Schnorr signature. */
export const SIGNATURE_CODEC = bytesAfterKindZero(65, 'a signature');

/** Kind byte and 32 bytes. */
export const VRF_KEY_CODEC = bytesAfterKindZero(33, 'a VRF public key');

function checkPublicKey(reader: ScaleReader, start: number): void {
  const kind = reader.bytes[start];
  if (kind !== 0) reader.fail('the kind of a public key: 0', `${kind}`, start);
  const prefix = reader.bytes[start + 1];
  if (prefix !== 2 && prefix !== 3) reader.fail('the prefix of a compressed point: 2 or 3', `${prefix}`, start + 1);
}
