/**
 * The differences between the two response profiles (docs/api.md#where-the-profiles-differ). Presenters use the profile
 * that the server was started with; no other code asks which one it is.
 */

import type { BookLevel } from '../../answers/order-book.ts';
import type { SubmissionRefusals } from '../../answers/pending/submit-transaction.ts';
import type { BlockTarget } from '../../chain/compact-target.ts';
import type { Atoms, Hex, Id } from '../../chain/types.ts';
import type { ResponseProfileName } from '../../config/web-server.ts';
import type { UnknownParameterRule } from '../../serving/parse/parameters.ts';
import type { OutputRow, UtxoRow } from '../../store/queries/addresses/address-outputs.ts';
import type { AddressTokens } from '../../store/queries/addresses/addresses.ts';
import type { DelegationRow } from '../../store/queries/pools/delegations.ts';
import type { StatisticsRow } from '../../store/queries/tokens/currency-statistics.ts';
import type { TokenRow } from '../../store/queries/tokens/tokens.ts';
import type { AppendedFields, Fields, Kind } from '../entry/define-entry.ts';

export type { ResponseProfileName };

export interface AddressToken {
  readonly tokenId: Id;
  readonly atoms: Atoms;
  readonly decimals: number;
  readonly isNft: boolean;
}

export interface TransactionSize {
  /** With signatures, in bytes. */
  readonly size: number;
  /** Null while it is unknown. */
  readonly fee: Atoms | null;
}

/** The balance of a holder. */
export interface HolderBalance {
  /** The spendable part. */
  readonly amount: Atoms;
  /** The time-locked part. */
  readonly locked: Atoms;
  readonly decimals: number;
  readonly circulatingSupply: Atoms;
}

/** The amount that holders are sorted by, largest first. */
type HolderSort = 'amount' | 'total';

/** The end of a book that comes first, from the view of a trader. */
type BookSort = 'worst' | 'best';

export interface ResponseProfile extends SubmissionRefusals, UnknownParameterRule {
  readonly name: ResponseProfileName;

  /** The fields of a block besides those of its list. */
  readonly block: Fields<{ readonly target: BlockTarget | null }>;
  readonly transactionSize: AppendedFields<TransactionSize>;
  /** The timestamp in seconds since the epoch. */
  readonly transactionTimestamp: Kind<number>;
  /** The global index of a transaction in a list, and of a single one. */
  readonly transactionIndex: Readonly<Record<'listed' | 'single', AppendedFields<number>>>;

  readonly utxo: Kind<UtxoRow>;
  /** Does an entry have the block of its output? */
  readonly utxosHaveBlock: boolean;
  /** `ever`: all outputs that were paid to an address; `unspent`: only the unspent ones. */
  readonly allUtxos: { readonly which: 'ever'; readonly entry: Kind<OutputRow> } | { readonly which: 'unspent' };
  /** Is an HTLC spendable with its refund key only after the refund lock has passed? */
  readonly refundWaitsForLock: boolean;

  /** The `tokens` of an address. */
  readonly addressTokens: { readonly kind: Kind<readonly AddressToken[]>; readonly which: AddressTokens };
  readonly addressDelegation: Kind<DelegationRow>;
  /** The error 404 for an address without token authority; if null, the list is empty. */
  readonly noTokenAuthority: string | null;

  readonly tokenTicker: Kind<Hex>;
  readonly tokenMetadataUri: Kind<Hex>;
  readonly isTokenFreezable: Kind<TokenRow>;
  /** `total_supply` and its related fields. */
  readonly tokenTotalSupply: Fields<TokenRow>;
  readonly tokenUniqueness: Fields<TokenRow>;
  readonly tokenStatistics: Fields<StatisticsRow>;

  /** The texts of an NFT; `optional` for those that may be absent (empty). */
  readonly nftText: Kind<Hex>;
  readonly nftOptionalText: Kind<Hex>;
  readonly nftMediaHash: Kind<Hex>;

  /** The response of `/chain/{height}` for a height without a block: `null`, or the error 404. */
  readonly missingHeight: 'null' | 'error';
  readonly servesGenesisByHeight: boolean;
  readonly servesSpentOutputs: boolean;
  /** Are `offset` and `items` applied if there is no cursor? Otherwise the response has all entries. */
  readonly pagesPoolDelegations: boolean;
  /** Does `offset` count from the newest transaction of a token, or is it an upper bound of the global index? */
  readonly tokenTransactionsOffset: 'from the newest' | 'upper bound';
  readonly unknownTokenHasTransactions: boolean;
  readonly malformedDelegationId: string;
  /** The fields of an entry of a list of holders besides `address` and `amount`. */
  readonly holder: Fields<HolderBalance>;
  /** The values of `sort` for holders, the default first. If there is only one, there is no parameter. */
  readonly holderSorts: readonly HolderSort[];
  /** The fields of a price level besides `price` and `amount`. */
  readonly priceLevel: Fields<BookLevel>;
  /** The decimal number of a price, from its atoms of the quote currency and the decimals of that. */
  readonly priceDecimal: { readonly text: (atoms: Atoms, decimals: number) => string; readonly pattern: string };
  /** The values of `order` for a book, the default first. If there is only one, there is no parameter. */
  readonly bookOrders: readonly BookSort[];
  /** How the data of the stream's events is written. */
  readonly events: {
    readonly names: Readonly<Record<'tx_seen' | 'block' | 'reorg' | 'lag', string>>;
    readonly origins: Readonly<Record<'local' | 'remote', string>>;
    /** Writes the timestamp of a block as JSON. */
    readonly timestamp: (seconds: number) => string;
    /** Is `tx_dropped` sent by default? */
    readonly areDroppedTold: boolean;
    /** Are parameters that are not known refused, and does the refusal of an unknown type name the known ones? */
    readonly explainsRefusals: boolean;
    /** Do `tx_seen` and `tx_dropped` have the `mempool_sequence` of `/mempool/ids`? */
    readonly haveSequence: boolean;
  };
  /** Does the error 404 for a transaction say when it was dropped, or that the mempool is unknown? */
  readonly saysWhyUnknown: boolean;
}
