/** Blocks and geneses as bytes (docs/protocol.md#blocks, docs/protocol.md#genesis): the opposite of what the indexer does. */
import { TIMESTAMP_CODEC, writeHeader, writeHeaderSignature } from '../../src/chain/codec/header.ts';
import { writeOutput } from '../../src/chain/codec/output.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { ScaleWriter } from '../../src/chain/scale/writer.ts';
import type { Block, Genesis } from '../../src/chain/types.ts';

/** Throws EncodeError. */
export function encodeBlock(block: Block): Buffer {
  const writer = new ScaleWriter(4096);
  writeHeader(writer, block.header);
  writeHeaderSignature(writer, block.signature);
  writer.vector(block.reward, writeOutput);
  writer.compact(block.transactions.length);
  return Buffer.concat([writer.finish(), ...block.transactions.map(encodeSignedTransaction)]);
}

/** Throws EncodeError. */
export function encodeGenesis(genesis: Genesis): Buffer {
  const writer = new ScaleWriter(512);
  writer.byteVector(Buffer.from(genesis.message, 'utf8').toString('hex'));
  TIMESTAMP_CODEC.write(writer, genesis.timestamp);
  writer.vector(genesis.outputs, writeOutput);
  return writer.finish();
}
