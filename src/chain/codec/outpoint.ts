/** Outpoints (docs/protocol.md#outpoints): source tag, 32 bytes, index as u32. */
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { Outpoint } from '../types.ts';

export function readOutpoint(reader: Reader): Outpoint {
  const tag = reader.u8('the source of an outpoint');
  if (tag > 1) reader.fail('the source of an outpoint: 0 or 1', `${tag}`, reader.position - 1);
  const sourceId = reader.hex(32, 'the id in an outpoint');
  return { sourceType: tag === 0 ? 'Transaction' : 'BlockReward', sourceId, index: reader.u32('an output index') };
}

export function writeOutpoint(writer: Writer, outpoint: Outpoint): void {
  writer.u8(outpoint.sourceType === 'Transaction' ? 0 : 1);
  writer.hex(outpoint.sourceId, 32);
  writer.u32(outpoint.index);
}
