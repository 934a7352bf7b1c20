/** The genesis block as bytes (docs/protocol.md#genesis). */
import { isUtf8 } from 'node:buffer';
import { bytesFromHex } from '../scale/hex.ts';
import { decodeWhole, type ScaleReader } from '../scale/reader.ts';
import type { Genesis, Hex } from '../types.ts';
import { TIMESTAMP_CODEC } from './header.ts';
import { readOutput } from './output.ts';

/** Decodes a genesis from bytes or hex. Throws DecodeError. */
export function decodeGenesis(encoded: Uint8Array | Hex): Genesis {
  const bytes = typeof encoded === 'string' ? bytesFromHex(encoded) : encoded;
  return decodeWhole(bytes, readGenesis, 'a genesis');
}

function readGenesis(reader: ScaleReader): Genesis {
  const length = reader.length('a genesis message');
  const start = reader.skip(length, 'a genesis message');
  const message = reader.bytes.subarray(start, start + length);
  if (!isUtf8(message)) reader.fail('a genesis message in UTF-8', 'other bytes', start);
  return {
    message: message.toString('utf8'),
    timestamp: TIMESTAMP_CODEC.read(reader),
    outputs: reader.vector(readOutput, 'the outputs of a genesis'),
  };
}
