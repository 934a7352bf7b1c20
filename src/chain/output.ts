/** Single outputs as bytes, the way they are stored (wire-format section 2.5). */
import { readOutput, writeOutput } from './codec/output.ts';
import { bytesFromHex } from './scale/hex.ts';
import { decodeWhole } from './scale/reader.ts';
import { Writer } from './scale/writer.ts';
import type { Hex, TxOutput } from './types.ts';

/** Throws EncodeError. */
export function encodeOutput(output: TxOutput): Buffer {
  return written(output).finish();
}

/** `encodeOutput` as hex. Throws EncodeError. */
export function outputHex(output: TxOutput): Hex {
  return written(output).finishHex();
}

/** The output that the bytes, or the hex, are. Throws DecodeError. */
export function decodeOutput(encoded: Uint8Array | Hex): TxOutput {
  const bytes = typeof encoded === 'string' ? bytesFromHex(encoded) : encoded;
  return decodeWhole(bytes, readOutput, 'an output');
}

function written(output: TxOutput): Writer {
  const writer = new Writer(96);
  writeOutput(writer, output);
  return writer;
}
