/** Witnesses of inputs (docs/protocol.md#witnesses). */
import { DecodeError, EncodeError } from '../scale/codec-errors.ts';
import { bytesFromHex } from '../scale/hex.ts';
import { decodeWhole, type ScaleReader } from '../scale/reader.ts';
import type { Hex, InputWitness } from '../types.ts';
import { bytes, byteVector, type Codec, optional, union } from './codec.ts';

/** How an HTLC is spent, according to the witness: a spend reveals the secret (32 bytes), a refund reveals nothing. */
type HtlcSpend = { readonly type: 'Spend'; readonly secret: Hex } | { readonly type: 'Refund' };

const HTLC_SPEND = union<HtlcSpend>('the spend of an HTLC', {
  Spend: { index: 0, fields: { secret: bytes(32, 'a secret') } },
  Refund: { index: 1, fields: {} },
});

/** ALL, NONE or SINGLE, with or without ANYONECANPAY. */
const SIGHASH_TYPE: Codec<number> = {
  read(reader) {
    const value = reader.u8('a sighash type');
    if (!isSighashType(value)) reader.fail('a sighash type', `${value}`, reader.position - 1);
    return value;
  },
  write(writer, value) {
    if (!isSighashType(value)) throw new EncodeError(`${value} is not a sighash type`);
    writer.u8(value);
  },
};

export const WITNESS_CODEC = union<InputWitness>('a witness', {
  NoSignature: {
    index: 0,
    fields: { data: optional('the data of a witness', byteVector('the data of a witness')) },
  },
  Standard: {
    index: 1,
    read: (reader) => ({
      type: 'Standard',
      sighashType: SIGHASH_TYPE.read(reader),
      rawSignature: reader.byteVector('a signature'),
    }),
    write(writer, value) {
      SIGHASH_TYPE.write(writer, value.sighashType);
      writer.byteVector(value.rawSignature);
    },
  },
});

export const { read: readWitness, write: writeWitness } = WITNESS_CODEC;

/** Returns whether the raw signature of a witness spends or refunds an HTLC; null if neither. Never throws for hex. */
export function decodeHtlcSpend(rawSignature: Hex): HtlcSpend | null {
  try {
    return decodeWhole(bytesFromHex(rawSignature), readHtlcSpend, 'the spend of an HTLC');
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

function readHtlcSpend(reader: ScaleReader): HtlcSpend {
  const spend = HTLC_SPEND.read(reader);
  reader.skip(reader.length('a signature'), 'a signature');
  return spend;
}

function isSighashType(value: number): boolean {
  const base = value & 0x7f;
  return base >= 1 && base <= 3 && value <= 0xff;
}
