/** Ids and hashes of what tests put together themselves; the indexer hashes the bytes that it is given. */

import { writeHeader } from '../../src/chain/codec/header.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { hash } from '../../src/chain/hash.ts';
import { ScaleWriter } from '../../src/chain/scale/writer.ts';
import type { BlockHeader, Genesis, Hex, Id, SignedTransaction } from '../../src/chain/types.ts';
import { encodeGenesis } from './encode-blocks.ts';

/** The leaf of a transaction in the witness merkle tree. */
export function signedTransactionHash(signed: SignedTransaction): Hex {
  return hash(encodeSignedTransaction(signed));
}

/** Neither the header's signature nor the body is part of it, the body only by its merkle roots. */
export function blockId(header: BlockHeader): Id {
  const writer = new ScaleWriter(512);
  writeHeader(writer, header);
  return hash(writer.finish());
}

export function genesisId(genesis: Genesis): Id {
  return hash(encodeGenesis(genesis));
}
