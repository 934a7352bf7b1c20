/** Outputs and balances as bytes. Almost all rows of the state are one of these. */
import { MAX_DESTINATION_LENGTH } from '../chain/codec/destination.ts';
import { encodeOutput, readOutput } from '../chain/codec/output.ts';
import { isContractOutput, isSpendable } from '../chain/input-and-output-kinds.ts';
import { ownerOfOutput } from '../chain/output-owner-and-value.ts';
import { ScaleReader } from '../chain/scale/reader.ts';
import type { Atoms } from '../chain/types.ts';
import type { RowLayout } from './row-slab.ts';
import { type Balance, isTimeLocked, partsOfBalanceKey, type Utxo } from './rows.ts';

const OUTPOINT_BYTES = 36;
const OUTPUT_START = 9;
/** Has room for the transfer of a token to the hash of a public key, and for the output of a block's reward. */
const MAX_OUTPUT_BYTES = 75;

/** Outputs of a single owner without a time lock. */
export const UTXO_LAYOUT: RowLayout<Utxo> = {
  keyBytes: OUTPOINT_BYTES,
  rowBytes: OUTPUT_START + MAX_OUTPUT_BYTES,
  writeKey: (outpoint, bytes) => bytes.write(outpoint, 'hex'),
  write(row, bytes, at) {
    const { output, height, position, isReward } = row;
    if (isTimeLocked(row) || isContractOutput(output)) return false;
    const encoded = encodeOutput(output);
    if (encoded.length > MAX_OUTPUT_BYTES) return false;
    bytes.writeUInt32LE(height, at);
    bytes.writeUInt32LE(position, at + 4);
    bytes[at + 8] = isReward ? 1 : 0;
    bytes.set(encoded, at + OUTPUT_START);
    return true;
  },
  read(outpoint, bytes, at) {
    const output = readOutput(readerAt(bytes, at + OUTPUT_START));
    if (!isSpendable(output)) throw new TypeError(`an unspent output of the kind ${output.type}`);
    return {
      outpoint,
      height: bytes.readUInt32LE(at),
      position: bytes.readUInt32LE(at + 4),
      outputIndex: Number.parseInt(outpoint.slice(-8), 16),
      output,
      owner: ownerOfOutput(output),
      refundOwner: null,
      unlockHeight: null,
      unlockTime: null,
      refundHeight: null,
      refundTime: null,
      isReward: bytes[at + 8] === 1,
    };
  },
};

const TOKEN_ID_BYTES = 32;
const AMOUNT_BYTES = 16;
const AMOUNT_END = 1n << 128n;

/** Balances of an amount that an output can have. A sum of outputs may be more. */
export const BALANCE_LAYOUT: RowLayout<Balance> = {
  keyBytes: MAX_DESTINATION_LENGTH + TOKEN_ID_BYTES,
  rowBytes: 2 * AMOUNT_BYTES,
  writeKey(key, bytes) {
    // The first byte of a destination says how long it is, so the two need no separator.
    const { owner, currency } = partsOfBalanceKey(key);
    const length = bytes.write(owner, 'hex');
    return length + bytes.write(currency, length, 'hex');
  },
  write({ amount, locked }, bytes, at) {
    if (amount >= AMOUNT_END || locked >= AMOUNT_END) return false;
    writeAmount(amount, bytes, at);
    writeAmount(locked, bytes, at + AMOUNT_BYTES);
    return true;
  },
  read(key, bytes, at) {
    const { owner, currency } = partsOfBalanceKey(key);
    const reader = readerAt(bytes, at);
    return { owner, currency, amount: reader.u128('an amount'), locked: reader.u128('a locked amount') };
  },
};

function writeAmount(amount: Atoms, bytes: Buffer, at: number): void {
  bytes.writeBigUInt64LE(BigInt.asUintN(64, amount), at);
  bytes.writeBigUInt64LE(amount >> 64n, at + 8);
}

function readerAt(bytes: Buffer, position: number): ScaleReader {
  const reader = new ScaleReader(bytes);
  reader.position = position;
  return reader;
}
