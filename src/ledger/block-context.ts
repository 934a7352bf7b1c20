/** The contexts in which a block and its transactions are applied. */

import type { Currency } from '../chain/currency.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms, Destination, Id, IdentifiedBlock, ResolvedInput, Transaction } from '../chain/types.ts';
import type {
  AppliedTransaction,
  BalanceChange,
  Fill,
  NftOwnerChange,
  Spend,
  Supply,
  TokenEvent,
} from './applied-block.ts';
import { LedgerError } from './ledger-error.ts';
import type { LedgerState } from './state.ts';
import type { CurrencyStatistics, Delegation, Hour, Pool, Utxo } from './state-rows.ts';
import type { EffectRules, EffectSources, TransactionEffects } from './transaction-effects.ts';

export interface BlockContext {
  readonly network: Network;
  readonly state: LedgerState;
  readonly height: number;
  readonly blockId: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** The UTC hour and day of the chain with this block included, counted from the epoch. */
  readonly hour: number;
  readonly day: number;
  /** Median time past with this block included. */
  readonly medianTime: number;
  readonly identified: IdentifiedBlock | null;
  readonly rules: EffectRules;
  readonly sources: EffectSources;
  readonly transactions: AppliedTransaction[];
  readonly outputs: Utxo[];
  readonly spends: Spend[];
  readonly nftOwners: NftOwnerChange[];
  /** What the transaction that is being applied has changed of balances so far, by `balanceKey`. */
  readonly touched: Map<string, TouchedBalance>;
  readonly balanceChanges: BalanceChange[];
  /** The statistics before the block, of the currencies of which it changed something. */
  readonly statisticsBefore: Map<Currency, CurrencyStatistics | null>;
  readonly supplies: Supply[];
  readonly tokenEvents: TokenEvent[];
  readonly delegationDays: Delegation[];
  readonly poolDays: Pool[];
  /** What the block adds to the counts of its hour. */
  readonly counts: HourCounts;
  /** With this block: see `Hour.expectedPerStake`. */
  readonly expectedPerStake: bigint;
  readonly fills: Fill[];
  /** The changes of the numbers of holders, by currency. */
  readonly holders: Map<Currency, number>;
}

export interface TransactionContext {
  readonly block: BlockContext;
  readonly id: Id;
  readonly transaction: Transaction;
  readonly position: number;
  readonly inputs: (ResolvedInput | null)[];
  readonly effects: TransactionEffects;
  /** The owners of the NFTs that the transaction moves, before it; undefined for an NFT that it issues. */
  readonly nftsBefore: Map<Id, Destination | null | undefined>;
  /** Who gave its commands so far, except for fills: {@link AppliedTransaction.actors}. */
  readonly actors: Destination[];
  /** Its fills of orders; who took them is known once all inputs are applied. */
  readonly fills: Omit<Fill, 'taker'>[];
}

export function blockContextOf(context: BlockContext | TransactionContext): BlockContext {
  return 'block' in context ? context.block : context;
}

/** Throws a LedgerError that names the block and, if there is one, the transaction. */
export function refuseBlock(context: BlockContext | TransactionContext, what: string): never {
  const { height, blockId } = blockContextOf(context);
  throw new LedgerError(what, { height, blockId, transactionId: 'block' in context ? context.id : undefined });
}

/** Returns `a − b`. Throws a LedgerError that names the number (`what`) if the result is negative. */
export function subtractOrRefuse(context: BlockContext | TransactionContext, what: string, a: Atoms, b: Atoms): Atoms {
  if (b > a) refuseBlock(context, `${what} would fall below zero: ${a} − ${b}`);
  return a - b;
}

/** What a transaction, the end of locks or the reward changes of a balance, so far. */
export interface TouchedBalance {
  readonly owner: Destination;
  readonly currency: Currency;
  /** The change of the spendable amount, in atoms. */
  amount: Atoms;
  /** The change of the time-locked amount, in atoms. */
  locked: Atoms;
}

/** What the transactions of a block add to the counts of an hour. */
export type HourCounts = {
  -readonly [Name in 'trades' | 'pools' | 'delegations' | 'tokens' | 'nfts' | 'openOrders']: Hour[Name];
};
