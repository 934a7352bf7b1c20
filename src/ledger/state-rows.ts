/**
 * The rows of the ledger's state. A change replaces a row, unless it is one that `StateTable.writable` returned: that one is
 * changed in place, so whoever needs its old values copies them.
 */
import { COIN, type Currency } from '../chain/currency.ts';
import type { Atoms, Destination, Hex, Id, NftMetadata, Outpoint, TotalSupply, TxOutput } from '../chain/types.ts';

/**
 * The position where an output was created. `position`: the index of the transaction in its block; the reward comes
 * after the last one.
 */
interface OutputPosition {
  readonly height: number;
  readonly position: number;
  readonly outputIndex: number;
}

export interface Utxo extends OutputPosition {
  readonly outpoint: OutpointKey;
  readonly output: TxOutput;
  /** The address under which it is listed: the destination, a pool's decommission key or an HTLC's spend key. */
  readonly owner: Destination;
  /** An HTLC's refund key, if it differs from the owner. */
  readonly refundOwner: Destination | null;
  /** The height, or the median time past, from which the output is free; null unless it is time-locked. */
  readonly unlockHeight: number | null;
  readonly unlockTime: number | null;
  /** The height, or median time past, from which an HTLC's refund key may spend it. */
  readonly refundHeight: number | null;
  readonly refundTime: number | null;
  /** Does it come from a block reward or the genesis? */
  readonly isReward: boolean;
}

/** Is the output under a time lock? */
export function isTimeLocked({ unlockHeight, unlockTime }: Utxo): boolean {
  return unlockHeight !== null || unlockTime !== null;
}

export interface Balance {
  readonly owner: Destination;
  readonly currency: Currency;
  /** Free to spend. */
  readonly amount: Atoms;
  /** Time-locked. */
  readonly locked: Atoms;
}

export interface Pool {
  readonly poolId: Id;
  readonly creationHeight: number;
  /** 0 after the pool was decommissioned, as are the rewards. */
  readonly pledge: Atoms;
  /** The staker's share of all rewards since creation. */
  readonly rewards: Atoms;
  readonly delegationsBalance: Atoms;
  /** The number of the pool's delegations that have a balance. */
  readonly delegationCount: number;
  /** 0 after the pool was decommissioned. */
  readonly effectiveStake: Atoms;
  /** See {@link Hour.expectedPerStake}. */
  readonly expectedBase: bigint;
  /** The number of blocks that it made: in all, and in the windows of `pool-block-windows.ts`. */
  readonly blocksTotal: number;
  readonly blocksDay: number;
  readonly blocksMonth: number;
  /**
   * The sum of the reward rates of its blocks of the month: the reward of 10^18 atoms that were delegated all month.
   */
  readonly monthRate: bigint;
  /** What its blocks ever paid to the staker, and to delegations. */
  readonly stakerRewards: Atoms;
  readonly delegationRewards: Atoms;
  /** The global index of the transaction that decommissioned it; null for an active pool. */
  readonly decommissionedBy: number | null;
  /** The day in which balances, rewards, the number of delegations or of blocks changed last: see `Delegation.changedDay`. */
  readonly changedDay: number;
  readonly staker: Destination;
  readonly decommissionDestination: Destination;
  readonly vrfPublicKey: Hex;
  readonly marginRatioPerThousand: number;
  readonly costPerBlock: Atoms;
}

export interface Delegation {
  readonly delegationId: Id;
  readonly poolId: Id;
  readonly spendDestination: Destination;
  readonly balance: Atoms;
  /** All that was ever put in and taken out. The rewards are the balance and what was taken out, less what was put in. */
  readonly deposited: Atoms;
  readonly withdrawn: Atoms;
  readonly nextNonce: bigint;
  readonly creationHeight: number;
  /** The UTC day of the chain in which the balance changed last, in days since the epoch. */
  readonly changedDay: number;
}

/** A fungible token. */
export interface Token {
  readonly tokenId: Id;
  readonly creationHeight: number;
  readonly ticker: Hex;
  readonly decimals: number;
  readonly metadataUri: Hex;
  readonly totalSupply: TotalSupply;
  readonly circulatingSupply: Atoms;
  readonly isLocked: boolean;
  readonly isFrozen: boolean;
  readonly isFreezable: boolean;
  /** May the token be unfrozen? Null unless it is frozen. */
  readonly isUnfreezable: boolean | null;
  readonly authority: Destination;
  readonly nextNonce: bigint;
}

export interface Nft {
  readonly tokenId: Id;
  readonly creationHeight: number;
  /** The owner; null if the NFT was burned, or an order or an HTLC holds it. */
  readonly owner: Destination | null;
  readonly metadata: NftMetadata;
}

export interface Order {
  readonly orderId: Id;
  readonly creationHeight: number;
  readonly concludeDestination: Destination;
  readonly askCurrency: Currency;
  /** The decimals; null if the token was not issued yet when the order was made. */
  readonly askDecimals: number | null;
  readonly initiallyAsked: Atoms;
  readonly askBalance: Atoms;
  readonly giveCurrency: Currency;
  readonly giveDecimals: number;
  readonly initiallyGiven: Atoms;
  readonly giveBalance: Atoms;
  /** A counter of fills and conclusions, not the nonce of the commands. */
  readonly nextNonce: bigint;
  readonly isFrozen: boolean;
  /** The height of the block that concluded it; null before. */
  readonly concludedHeight: number | null;
}

export interface CurrencyStatistics {
  readonly currency: Currency;
  readonly circulatingSupply: Atoms;
  readonly preminted: Atoms;
  readonly burned: Atoms;
  readonly staked: Atoms;
  /** The number of owners with a balance, spendable or locked. */
  readonly holders: number;
  /** Sum of all pools; only for the coin. */
  readonly effectiveStake: Atoms;
}

/**
 * The chain at the end of an hour in which it has a block. Counts and sums are those of the whole chain up to there; the
 * genesis counts as no block.
 */
export interface Hour {
  /** The UTC hour of the chain, in hours since the epoch: the latest one that a block up to there has. */
  readonly hour: number;
  readonly firstHeight: number;
  /** Of its last block. */
  readonly height: number;
  readonly timestamp: number;
  /** Is it the last hour of its day, week and month that the chain has? */
  readonly endsDay: boolean;
  readonly endsWeek: boolean;
  readonly endsMonth: boolean;
  readonly transactions: number;
  /** The sizes of blocks. */
  readonly bytes: number;
  readonly fees: Atoms;
  /** Fills of orders. */
  readonly trades: number;
  /** Of the coin. */
  readonly circulatingSupply: Atoms;
  readonly burned: Atoms;
  readonly staked: Atoms;
  readonly holders: number;
  /**
   * The blocks that were expected of each atom of effective stake so far, in units of `EXPECTED_BLOCK`. Of a pool,
   * `expectedBase + effectiveStake * expectedPerStake` were expected since its creation.
   */
  readonly expectedPerStake: bigint;
  /** Pools and delegations that have something. */
  readonly pools: number;
  readonly delegations: number;
  readonly tokens: number;
  readonly nfts: number;
  readonly openOrders: number;
}

/** A substring of a token's ticker, in lower case, for searches. */
export interface TickerFragment {
  readonly fragment: string;
  readonly isNft: boolean;
  readonly tokenId: Id;
  /** Is it the whole ticker? */
  readonly isWhole: boolean;
}

/** A substring of an NFT's name, in lower case. */
export interface NftNameFragment {
  readonly fragment: string;
  readonly tokenId: Id;
  readonly isWhole: boolean;
}

// -------------------------------------------------------------------------------------------------------- keys

/** The source id, followed by the index as four bytes, big endian; hex. Transaction and block ids never collide. */
export type OutpointKey = Hex;

export function outpointKey(sourceId: Id, index: number): OutpointKey {
  return sourceId + (SMALL_INDEXES[index] ?? indexText(index));
}

function indexText(index: number): Hex {
  return index.toString(16).padStart(8, '0');
}

const SMALL_INDEXES = Array.from({ length: 256 }, (_, index) => indexText(index));

export function keyOfOutpoint(outpoint: Outpoint): OutpointKey {
  return outpointKey(outpoint.sourceId, outpoint.index);
}

/** Returns the owner alone for the coin: most balances are of coins, and the owner's string has its hash already. */
export function balanceKey(owner: Destination, currency: Currency): string {
  return currency === COIN ? owner : `${owner}:${currency}`;
}

export function partsOfBalanceKey(key: string): { owner: Destination; currency: Currency } {
  const end = key.indexOf(':');
  return end < 0 ? { owner: key, currency: COIN } : { owner: key.slice(0, end), currency: key.slice(end + 1) };
}

export function hourKey(hour: number): string {
  return `${hour}`;
}

export function tickerFragmentKey(row: TickerFragment): string {
  return `${row.tokenId}:${row.isNft ? 'nft' : 'token'}:${row.fragment}`;
}

export function nftNameFragmentKey(row: NftNameFragment): string {
  return `${row.tokenId}:${row.fragment}`;
}
