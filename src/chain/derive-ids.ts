/** Ids: hashes of encodings (docs/protocol.md#ids). */

import { OUTPOINT_CODEC, writeInput } from './codec/input.ts';
import { encodeTransaction } from './codec/transaction.ts';
import { hash } from './hash.ts';
import { isUtxoInput } from './input-and-output-kinds.ts';
import { encodeToBuffer, ScaleWriter } from './scale/writer.ts';
import type { Id, Transaction, TxInput } from './types.ts';

/** The suffixes that make ids of different kinds different if they are derived from the same outpoint. */
const POOL_SUFFIX = 0;
const DELEGATION_SUFFIX = 1;

/** Returns the id of a transaction. Signatures are not part of the hash. */
export function transactionId(transaction: Transaction): Id {
  return hash(encodeTransaction(transaction));
}

/** Returns the id of the pool that a transaction with these inputs creates; null if none of them is a UTXO. */
export function derivePoolId(inputs: readonly TxInput[]): Id | null {
  return idFromFirstOutpoint(inputs, POOL_SUFFIX);
}

/** Returns the id of the delegation that a transaction with these inputs creates; null if none of them is a UTXO. */
export function deriveDelegationId(inputs: readonly TxInput[]): Id | null {
  return idFromFirstOutpoint(inputs, DELEGATION_SUFFIX);
}

/** Returns the id of the order that a transaction with these inputs creates; null if none of them is a UTXO. */
export function deriveOrderId(inputs: readonly TxInput[]): Id | null {
  return idFromFirstOutpoint(inputs, null);
}

/**
 * The id of the token or NFT that a transaction with these inputs issues. Generation 0 takes the first input whatever it
 * is, generation 1 the first UTXO; null when there is none.
 */
export function deriveTokenId(inputs: readonly TxInput[], generation: 0 | 1): Id | null {
  const input = generation === 0 ? inputs[0] : inputs.find(isUtxoInput);
  if (input === undefined) return null;
  return hash(encodeToBuffer(writeInput, input, 64));
}

function idFromFirstOutpoint(inputs: readonly TxInput[], suffix: number | null): Id | null {
  const input = inputs.find(isUtxoInput);
  if (input === undefined) return null;
  const writer = new ScaleWriter(64);
  OUTPOINT_CODEC.write(writer, input.outpoint);
  if (suffix !== null) writer.u32(suffix);
  return hash(writer.finish());
}
