/** The effects of a block, for render and store. The rows that it changed are in the state tables. */
import type { Atoms, Destination, Hex, Id, IdentifiedBlock, Transaction, TxOutput } from '../chain/types.ts';
import type { Utxo } from './rows.ts';
import type { TransactionKind } from './transaction-kind.ts';

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
  /** Of its transactions together. */
  readonly fees: Atoms;
  readonly reward: BlockReward;
  readonly nftOwners: readonly NftOwnerChange[];
}

/** How subsidy and fees were shared; nothing without proof of stake. */
export interface BlockReward {
  /** What the pool's staker got. */
  readonly staker: Atoms;
  readonly delegations: Atoms;
  /** What 10^18 atoms got that were delegated to the pool, rounded down. */
  readonly rate: bigint;
}

/** Who has an NFT after a transaction, where that is not who had it before. */
export interface NftOwnerChange {
  readonly tokenId: Id;
  /** Of the transaction in its block. */
  readonly position: number;
  /** Null when it was burned, or is held by an order or an HTLC. */
  readonly owner: Destination | null;
}

export interface AppliedTransaction {
  readonly id: Id;
  readonly transaction: Transaction;
  readonly fee: Atoms;
  /** With its signatures, in bytes. */
  readonly size: number;
  readonly kind: TransactionKind;
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
  /** Of the input among those of the transaction, or among the kernel's. */
  readonly inputIndex: number;
  /** What the spend of an HTLC revealed. */
  readonly secret: Hex | null;
}
