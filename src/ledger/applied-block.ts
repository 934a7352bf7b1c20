/** The effects of a block, from which it is rendered and stored. The rows that it changed are in the state tables. */

import type { Currency } from '../chain/currency.ts';
import type { Market } from '../chain/market.ts';
import type { Atoms, Destination, Hex, Id, IdentifiedBlock, ResolvedInput, Transaction } from '../chain/types.ts';
import type { CurrencyStatistics, Delegation, Pool, Utxo } from './state-rows.ts';
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
  /** In the order of the chain. */
  readonly balanceChanges: readonly BalanceChange[];
  /** The supplies after the block, of the currencies whose supply it changed. */
  readonly supplies: readonly Supply[];
  readonly tokenEvents: readonly TokenEvent[];
  /** The UTC day that the chain reaches with this block, in days since the epoch; null if it reached it before. */
  readonly startedDay: number | null;
  /** Delegations and pools as they were at the end of the last day in which they changed, of those that changed again. */
  readonly delegationDays: readonly Delegation[];
  readonly poolDays: readonly Pool[];
  /** In the order of the chain. */
  readonly fills: readonly Fill[];
}

/** The changes of a genesis. */
export type AppliedGenesis = Pick<AppliedBlock, 'outputs' | 'balanceChanges' | 'supplies'> & {
  readonly startedDay: number;
};

/** What a transaction, the end of time locks, or the reward changed of an owner's balance in a currency. Amounts in atoms. */
export interface BalanceChange {
  /** Position of the transaction in its block; −1 for the end of locks; after the last transaction for the reward. */
  readonly position: number;
  /** Bits: see `BALANCE_CHANGE_KINDS`. */
  readonly kinds: number;
  readonly owner: Destination;
  readonly currency: Currency;
  /** The difference of `balance`; may be negative or 0. */
  readonly change: Atoms;
  /** Everything that the owner has after it, time-locked or not. */
  readonly balance: Atoms;
  /** The time-locked part of `balance`. */
  readonly locked: Atoms;
  /** The whole fee of the transaction if the owner paid it (`feePayerOf`), and this is the coin; otherwise 0. */
  readonly fee: Atoms;
}

export type Supply = Pick<CurrencyStatistics, 'currency' | 'circulatingSupply' | 'preminted' | 'burned' | 'staked'>;

/** An issuance of a token or an NFT, or a command of a token's authority. */
export interface TokenEvent {
  readonly tokenId: Id;
  /** Position of the transaction in its block. */
  readonly position: number;
  /** Index of the command among the inputs; of an issuance, among the outputs. */
  readonly index: number;
  readonly kind: TransactionKind;
  /** What was minted or unminted, in atoms; for an NFT 1; otherwise null. */
  readonly amount: Atoms | null;
  /** What was minted and not unminted, after it. */
  readonly supply: Atoms;
  /** Who gave the command: the authority before it. Null for an issuance. */
  readonly actor: Destination | null;
  /** The new authority, or null. */
  readonly authority: Destination | null;
  /** The new metadata URI, or null. */
  readonly metadataUri: Hex | null;
  /** May a token that it freezes be unfrozen? Null unless it is a freeze. */
  readonly isUnfreezable: boolean | null;
}

/** Amounts of the two currencies of a market, in atoms. */
interface MarketAmounts {
  readonly base: Atoms;
  readonly quote: Atoms;
}

/** A fill of an order: a trade of its market. */
export interface Fill extends Market {
  readonly orderId: Id;
  /** Position of the transaction in its block. */
  readonly position: number;
  /** Index of the command among the inputs. */
  readonly index: number;
  /** Did the taker buy base, so that the order gave it? Otherwise the taker sold it. */
  readonly isBuy: boolean;
  /** Each may be 0. */
  readonly moved: MarketAmounts;
  /** What the order asked and gave at first; null where an amount is 0 (docs/indexing-rules.md#fills-candles-and-markets). */
  readonly price: MarketAmounts | null;
  /** The owner of the transaction's first input that has one; null if none has. */
  readonly taker: Destination | null;
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
  /** The kind that it counts as, and bits of all that apply to it (`transactionKinds`). */
  readonly kind: TransactionKind;
  readonly kinds: number;
  /** The output that each input spends; null for inputs that spend none. */
  readonly inputs: readonly (ResolvedInput | null)[];
  /**
   * Who gave each of its commands except for fills, in the order of its inputs: the authority over the token, or the conclude
   * key of the order, right before the command.
   */
  readonly actors: readonly Destination[];
  /** The addresses whose history includes the transaction. */
  readonly addresses: ReadonlySet<Destination>;
  /** The tokens that it concerns. */
  readonly tokens: ReadonlySet<Id>;
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
