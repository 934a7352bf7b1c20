/** The effects of a block, for render and store. The rows that it changed are in the state tables. */
import type { Atoms, Destination, Hex, Id, IdentifiedBlock, Transaction, TxOutput } from '../chain/types.ts';
import type { Utxo } from './rows.ts';

export interface AppliedBlock {
  readonly height: number;
  readonly identified: IdentifiedBlock;
  /** Median time past with this block included; seconds. */
  readonly medianTime: number;
  /** Global index of its first transaction. */
  readonly firstTransactionIndex: number;
  readonly transactions: readonly AppliedTransaction[];
  /** Every output that entered the set of unspent outputs, those spent within the block included. */
  readonly outputs: readonly Utxo[];
  readonly spends: readonly Spend[];
}

export interface AppliedTransaction {
  readonly id: Id;
  readonly transaction: Transaction;
  readonly fee: Atoms;
  /** For each input the output it spends; null for those that spend none. */
  readonly inputs: readonly (ResolvedInput | null)[];
  /** Whose history it belongs to. */
  readonly addresses: ReadonlySet<Destination>;
  /** The tokens it has to do with. */
  readonly tokens: ReadonlySet<Id>;
}

export interface ResolvedInput {
  readonly output: TxOutput;
  /** What an HTLC spend reveals. */
  readonly secret: Hex | null;
}

export interface Spend {
  /** As it was before. */
  readonly utxo: Utxo;
  /** Position of the spending transaction in its block; null for the kernel input. */
  readonly position: number | null;
}
