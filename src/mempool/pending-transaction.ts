/** A pending transaction with everything known about it. */

import { readSignatures, readTransaction } from '../chain/codec/transaction.ts';
import { hash } from '../chain/hash.ts';
import { isUtxoInput } from '../chain/input-and-output-kinds.ts';
import { ScaleReader } from '../chain/scale/reader.ts';
import type { Atoms, Destination, Id, ResolvedInput, SignedTransaction, TxInput } from '../chain/types.ts';

/** `local`: submitted to our node. `remote`: from its peers, or found in its list without an event. */
export type TransactionOrigin = 'local' | 'remote';

/** A transaction, as decoded from the node's bytes. */
export interface DecodedPendingTransaction {
  readonly id: Id;
  readonly signed: SignedTransaction;
  /** Size of the encoding with signatures. */
  readonly sizeBytes: number;
}

/** The use of a nonce of a delegation or a token. */
export interface AccountUse {
  readonly account: 'delegation' | 'token';
  readonly id: Id;
  readonly nonce: bigint;
  /** Owner of the delegation, or authority of the token; null while unknown. */
  readonly owner: Destination | null;
}

/** What follows from the outputs and accounts that a transaction uses. */
export interface TransactionResolution {
  /** The height for which it was resolved: that of the block after the index' tip. */
  readonly height: number;
  /** The output that each input spends; null if the input spends none, or if the output is unknown. */
  readonly inputs: readonly (ResolvedInput | null)[];
  /** The fee; null while a used output or order is unknown. */
  readonly fee: Atoms | null;
  /** The addresses whose history will include it, as far as known. */
  readonly addresses: ReadonlySet<Destination>;
  /** The tokens that it involves, as far as known. */
  readonly tokens: ReadonlySet<Id>;
  readonly accounts: readonly AccountUse[];
  /** False if something is not known yet, or may change with the next block, such as the payout of a pool. */
  readonly isFinal: boolean;
}

export interface PendingTransaction extends DecodedPendingTransaction, TransactionResolution {
  readonly origin: TransactionOrigin;
  /** When it came, in seconds since the epoch; undefined if it was there before the node was followed. */
  readonly seenAt?: number;
  /** The height of the block of the index that had it until a reorganisation removed that block. */
  readonly unconfirmedFrom?: number;
}

/** Is everything known that lists and events show: each spent output, the fee, the owner of each account? */
export function isResolved({ signed, inputs, fee, accounts }: PendingTransaction): boolean {
  const isKnown = (input: TxInput, i: number) => !isUtxoInput(input) || inputs[i] !== null;
  return fee !== null && accounts.every(({ owner }) => owner !== null) && signed.transaction.inputs.every(isKnown);
}

/** However short an input or an output is, it takes as much memory as so many encoded bytes of others. */
const MIN_COUNTED_BYTES = 16;

/** The size by which transactions are limited: of the encoding, but at least 16 bytes for each input and output. */
export function countedBytesOf({ signed, sizeBytes }: DecodedPendingTransaction): number {
  const { inputs, outputs } = signed.transaction;
  return Math.max(sizeBytes, MIN_COUNTED_BYTES * (inputs.length + outputs.length));
}

/** Decodes a transaction. Throws DecodeError unless the bytes are exactly one signed transaction. */
export function decodePendingTransaction(
  bytes: Uint8Array,
  reader = new ScaleReader(bytes),
): DecodedPendingTransaction {
  const transaction = readTransaction(reader);
  const id = hash(reader.bytes.subarray(0, reader.position));
  const signatures = readSignatures(reader, transaction);
  reader.end('a signed transaction');
  return { id, signed: { transaction, signatures }, sizeBytes: bytes.length };
}
