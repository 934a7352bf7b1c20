/** Ids: hashes of encodings (docs/protocol.md#ids). */

import { encodeGenesis } from './codec/genesis.ts';
import { writeHeader } from './codec/header.ts';
import { writeInput } from './codec/input.ts';
import { writeOutpoint } from './codec/outpoint.ts';
import { encodeSignedTransaction, encodeTransaction } from './codec/transaction.ts';
import { hash } from './hash.ts';
import { Writer } from './scale/writer.ts';
import type { BlockHeader, Genesis, Hex, Id, Outpoint, SignedTransaction, Transaction, TxInput } from './types.ts';

/** The suffixes that keep ids derived from one outpoint apart. */
const POOL_SUFFIX = 0;
const DELEGATION_SUFFIX = 1;

/** Signatures are not part of it. */
export function transactionId(transaction: Transaction): Id {
  return hash(encodeTransaction(transaction));
}

/** The leaf of a transaction in the witness merkle tree. */
export function signedTransactionHash(signed: SignedTransaction): Hex {
  return hash(encodeSignedTransaction(signed));
}

/** Neither the header's signature nor the body is part of it, the body only by its merkle roots. */
export function blockId(header: BlockHeader): Id {
  const writer = new Writer(512);
  writeHeader(writer, header);
  return hash(writer.finish());
}

export function genesisId(genesis: Genesis): Id {
  return hash(encodeGenesis(genesis));
}

/** The id of the pool that a transaction with these inputs creates; null when none of them is a UTXO. */
export function poolIdOf(inputs: readonly TxInput[]): Id | null {
  const outpoint = firstOutpoint(inputs);
  return outpoint && outpointHash(outpoint, POOL_SUFFIX);
}

/** The id of the delegation that a transaction with these inputs creates; null when none of them is a UTXO. */
export function delegationIdOf(inputs: readonly TxInput[]): Id | null {
  const outpoint = firstOutpoint(inputs);
  return outpoint && outpointHash(outpoint, DELEGATION_SUFFIX);
}

/** The id of the order that a transaction with these inputs creates; null when none of them is a UTXO. */
export function orderIdOf(inputs: readonly TxInput[]): Id | null {
  const outpoint = firstOutpoint(inputs);
  return outpoint && outpointHash(outpoint, null);
}

/**
 * The id of the token or NFT that a transaction with these inputs issues. Generation 0 takes the first input whatever it
 * is, generation 1 the first UTXO; null when there is none.
 */
export function tokenIdOf(inputs: readonly TxInput[], generation: 0 | 1): Id | null {
  const input = generation === 0 ? inputs[0] : inputs.find(({ type }) => type === 'Utxo');
  if (input === undefined) return null;
  const writer = new Writer(64);
  writeInput(writer, input);
  return hash(writer.finish());
}

function firstOutpoint(inputs: readonly TxInput[]): Outpoint | null {
  for (const input of inputs) if (input.type === 'Utxo') return input.outpoint;
  return null;
}

function outpointHash(outpoint: Outpoint, suffix: number | null): Id {
  const writer = new Writer(64);
  writeOutpoint(writer, outpoint);
  if (suffix !== null) writer.u32(suffix);
  return hash(writer.finish());
}
