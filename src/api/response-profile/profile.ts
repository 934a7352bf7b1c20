/**
 * Where the two response profiles differ (docs/api.md#where-the-profiles-differ). Presenters take what they
 * need from the contract that the server was started with, and nothing else in the code asks which one it is.
 */
import type { TProperties, TSchema } from 'typebox';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Hex, Id } from '../../chain/types.ts';
import type { ContractName } from '../../config/web-server.ts';
import type { RpcFailure } from '../../node/node-error.ts';
import type { DelegationRow } from '../../store/queries/delegations.ts';
import type { StatisticsRow } from '../../store/queries/statistics.ts';
import type { TokenRow } from '../../store/queries/tokens.ts';
import type { OutputRow, UTXO_LIST, UtxoRow } from '../../store/queries/utxos.ts';

export type { ContractName };

/** A JSON value: how it is written, and the schema of what is written. */
export interface JsonField<Value> {
  readonly text: (value: Value) => string;
  readonly schema: TSchema;
}

/** Fields that one contract has and the other has not: `,"name":value` for each, or nothing. */
export interface ExtraFields<Value> {
  readonly text: (value: Value) => string;
  readonly properties: TProperties;
}

export interface AddressToken {
  readonly tokenId: Id;
  readonly atoms: Atoms;
  readonly decimals: number;
  readonly isNft: boolean;
}

/** What somebody has of a currency. */
export interface Holding {
  /** Free to spend. */
  readonly amount: Atoms;
  /** Under a time lock. */
  readonly locked: Atoms;
  readonly decimals: number;
  readonly circulatingSupply: Atoms;
}

/** By what holders are ordered, the largest first. */
export type HolderSort = 'amount' | 'total';

/** Which end of a book comes first, as somebody sees it who trades against it. */
export type BookOrder = 'worst' | 'best';

export interface ResponseProfile {
  readonly name: ContractName;
  /** Raise it when an answer changes its shape: it is part of every ETag. */
  readonly shapesVersion: string;

  /** Seconds since the epoch. */
  readonly transactionTimestamp: JsonField<number>;
  readonly transactionIndex: { readonly listed: ExtraFields<number>; readonly single: ExtraFields<number> };

  readonly utxoEntry: JsonField<UtxoRow> & {
    /** Asks for a whole list at once; its entries are what `text` gives. */
    readonly finishedList: typeof UTXO_LIST;
  };
  /** `ever` lists every output that was paid to an address, `unspent` those that nothing has spent. */
  readonly allUtxos: { readonly which: 'ever'; readonly entry: JsonField<OutputRow> } | { readonly which: 'unspent' };
  /** Is an HTLC spendable for its refund key only when the refund lock has passed? */
  readonly refundWaitsForLock: boolean;

  /** The elements of an address' `tokens`. */
  readonly addressTokens: {
    readonly texts: (network: Network, tokens: readonly AddressToken[]) => string[];
    readonly schema: TSchema;
  };
  readonly addressDelegation: {
    readonly text: (network: Network, delegation: DelegationRow) => string;
    readonly schema: TSchema;
  };
  /** The error 404 for an address without token authority; null: an empty list. */
  readonly noTokenAuthority: string | null;

  readonly tokenTicker: JsonField<Hex>;
  readonly tokenMetadataUri: JsonField<Hex>;
  readonly isTokenFreezable: JsonField<TokenRow>;
  /** `total_supply` and what comes with it. */
  readonly tokenTotalSupply: ExtraFields<TokenRow>;
  readonly tokenStatistics: ExtraFields<StatisticsRow>;

  /** Texts of an NFT; `optional` for those that may be absent (empty). */
  readonly nftText: JsonField<Hex>;
  readonly nftOptionalText: JsonField<Hex>;
  readonly nftMediaHash: JsonField<Hex>;

  /** What `/chain/{height}` answers where no block is: `null`, or the error 404. */
  readonly missingHeight: 'null' | 'error';
  readonly servesGenesisByHeight: boolean;
  readonly servesSpentOutputs: boolean;
  /** Without a cursor: a page by `offset` and `items`, or all entries whatever these say. */
  readonly pagesPoolDelegations: boolean;
  /** Does `offset` count from the newest transaction of a token, or is it an upper bound of the global index? */
  readonly tokenTransactionsOffset: 'from the newest' | 'upper bound';
  readonly unknownTokenHasTransactions: boolean;
  readonly malformedDelegationId: string;
  /** What an entry of a list of holders has besides `address` and `amount`. */
  readonly holder: ExtraFields<Holding>;
  /** The values of `sort` for holders, the default first; with one alone it is no parameter. */
  readonly holderSorts: readonly HolderSort[];
  /** What a price level has besides `price` and `amount`. */
  readonly priceLevel: ExtraFields<{ readonly orderCount: number }>;
  /** The decimal number of a price: atoms of the quote currency, and its decimals. */
  readonly priceDecimal: { readonly text: (atoms: Atoms, decimals: number) => string; readonly pattern: string };
  /** The values of `order` for a book, the default first; with one alone it is no parameter. */
  readonly bookOrders: readonly BookOrder[];
  /** The data of the stream's events. */
  readonly events: {
    readonly names: Readonly<Record<'tx_seen' | 'block' | 'reorg' | 'lag', string>>;
    readonly origins: Readonly<Record<'local' | 'remote', string>>;
    /** Of a block; seconds since the epoch. */
    readonly timestamp: JsonField<number>;
    /** Is `tx_dropped` told to those who name no types? */
    readonly areDroppedTold: boolean;
  };
  /** Does the error 404 for a transaction say when it was dropped, or that nobody knows what is pending? */
  readonly saysWhyUnknown: boolean;
  /** The error text for a transaction that the node refused. */
  readonly nodeRefusal: (refusal: RpcFailure) => string;
  /** The status for a submission that is longer than mintlayer-core reads and is no transaction. */
  readonly longInvalidSubmission: 400 | 413;
}
