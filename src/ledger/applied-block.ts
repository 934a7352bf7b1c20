/** The effects of a block, from which it is rendered and stored. The rows that it changed are in the state tables. */
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
  /** Every output that entered the set of unspent outputs, also if the same block spent it. */
  readonly outputs: readonly Utxo[];
  readonly spends: readonly Spend[];
  /** Sum of the fees of its transactions. */
  readonly fees: Atoms;
  readonly reward: BlockReward;
  readonly nftOwners: readonly NftOwnerChange[];
}

/** The shares of subsidy and fees; all are 0 without proof of stake. */
export interface BlockReward {
  /** The staker's part of the reward. */
  readonly staker: Atoms;
  readonly delegations: Atoms;
  /** The part of the reward for 10^18 atoms that are delegated to the pool, rounded down. */
  readonly rate: bigint;
}

/** A change of an NFT's owner by a transaction. */
export interface NftOwnerChange {
  readonly tokenId: Id;
  /** Position of the transaction in its block. */
  readonly position: number;
  /** The owner; null if the NFT was burned, or an order or an HTLC holds it. */
  readonly owner: Destination | null;
}

export interface AppliedTransaction {
  readonly id: Id;
  readonly transaction: Transaction;
  readonly fee: Atoms;
  /** Size with signatures, in bytes. */
  readonly size: number;
  readonly kind: TransactionKind;
  /** The output that each input spends; null for inputs that spend none. */
  readonly inputs: readonly (ResolvedInput | null)[];
  /** The addresses whose history includes the transaction. */
  readonly addresses: ReadonlySet<Destination>;
  /** The tokens that it concerns. */
  readonly tokens: ReadonlySet<Id>;
}

export interface ResolvedInput {
  readonly output: TxOutput;
  /** The secret that the spend of an HTLC reveals. */
  readonly secret: Hex | null;
}

export interface Spend {
  /** The output before the spend. */
  readonly utxo: Utxo;
  /** Position of the spending transaction in its block; null for the kernel input. */
  readonly position: number | null;
  /** Index of the input in the transaction, or in the kernel. */
  readonly inputIndex: number;
  /** The secret that the spend of an HTLC revealed. */
  readonly secret: Hex | null;
}
