/** Blocks and geneses as bytes (docs/protocol.md#blocks, docs/protocol.md#genesis): the opposite of what the indexer does. */
import { encodeReward } from '../../src/chain/codec/block.ts';
import { TIMESTAMP_CODEC, writeHeader, writeHeaderSignature } from '../../src/chain/codec/header.ts';
import { writeOutput } from '../../src/chain/codec/output.ts';
import { writeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { ScaleWriter } from '../../src/chain/scale/writer.ts';
import type { Block, Genesis } from '../../src/chain/types.ts';

/** Throws EncodeError. */
export function encodeBlock(block: Block): Buffer {
  const writer = new ScaleWriter(4096);
  writeHeader(writer, block.header);
  writeHeaderSignature(writer, block.signature);
  writer.raw(encodeReward(block.reward));
  writer.vector(block.transactions, writeSignedTransaction);
  return writer.finish();
}

/** Throws EncodeError. */
export function encodeGenesis(genesis: Genesis): Buffer {
  const writer = new ScaleWriter(512);
  const message = Buffer.from(genesis.message, 'utf8');
  writer.compact(message.length);
  writer.raw(message);
  TIMESTAMP_CODEC.write(writer, genesis.timestamp);
  writer.vector(genesis.outputs, writeOutput);
  return writer.finish();
}
