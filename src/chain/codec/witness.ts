/** Witnesses of inputs (docs/protocol.md#witnesses). */
import { unknownKind } from '../kind-facts.ts';
import { DecodeError, EncodeError } from '../scale/decode-error.ts';
import { bytesFromHex } from '../scale/hex.ts';
import { decodeWhole, type Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { Hex, InputWitness } from '../types.ts';

/** What the witness of an HTLC's spender says: a spend reveals the secret (32 bytes), a refund nothing. */
type HtlcSpend = { readonly type: 'Spend'; readonly secret: Hex } | { readonly type: 'Refund' };

export function readWitness(reader: Reader): InputWitness {
  const tag = reader.u8('a witness');
  if (tag === 0) return { type: 'NoSignature', data: readOptionalData(reader) };
  if (tag !== 1) reader.fail('the kind of a witness: 0 or 1', `${tag}`, reader.position - 1);
  const sighashType = reader.u8('a sighash type');
  if (!isSighashType(sighashType)) reader.fail('a sighash type', `${sighashType}`, reader.position - 1);
  return { type: 'Standard', sighashType, rawSignature: reader.byteVector('a signature') };
}

export function writeWitness(writer: Writer, witness: InputWitness): void {
  switch (witness.type) {
    case 'NoSignature':
      writer.u8(0);
      writer.u8(witness.data === null ? 0 : 1);
      if (witness.data !== null) writer.byteVector(witness.data);
      break;
    case 'Standard':
      if (!isSighashType(witness.sighashType)) throw new EncodeError(`${witness.sighashType} is not a sighash type`);
      writer.u8(1);
      writer.u8(witness.sighashType);
      writer.byteVector(witness.rawSignature);
      break;
    default:
      unknownKind(witness);
  }
}

/**
 * Whether the raw signature of the witness that spends an HTLC is a spend or a refund; null when it is neither. Never
 * throws for a text of hex.
 */
export function htlcSpend(rawSignature: Hex): HtlcSpend | null {
  try {
    return decodeWhole(bytesFromHex(rawSignature), readHtlcSpend, 'the spend of an HTLC');
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

function readHtlcSpend(reader: Reader): HtlcSpend {
  const tag = reader.u8('the spend of an HTLC');
  if (tag > 1) reader.fail('the kind of an HTLC spend: 0 or 1', `${tag}`, 0);
  const spend: HtlcSpend = tag === 0 ? { type: 'Spend', secret: reader.hex(32, 'a secret') } : { type: 'Refund' };
  reader.skip(reader.length('a signature'), 'a signature');
  return spend;
}

function readOptionalData(reader: Reader): Hex | null {
  const tag = reader.u8('the data of a witness');
  if (tag === 0) return null;
  if (tag !== 1) reader.fail('the data of a witness: 0 or 1', `${tag}`, reader.position - 1);
  return reader.byteVector('the data of a witness');
}

/** ALL, NONE or SINGLE, with or without ANYONECANPAY. */
function isSighashType(value: number): boolean {
  const base = value & 0x7f;
  return base >= 1 && base <= 3 && value <= 0xff;
}
