/**
 * Where the two response profiles differ (docs/api.md#where-the-profiles-differ). Presenters take what they need from
 * the profile that the server was started with, and nothing else in the code asks which one it is.
 */
import Type, { type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Hex, Id } from '../../chain/types.ts';
import type { ContractName } from '../../config/web-server.ts';
import type { RpcFailure } from '../../node/node-error.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/schema-types.ts';
import type { Json, MoreFields } from '../../render/typed-json.ts';
import type { DelegationRow } from '../../store/queries/delegations.ts';
import type { StatisticsRow } from '../../store/queries/statistics.ts';
import type { TokenRow } from '../../store/queries/tokens.ts';
import type { OutputRow, UtxoRow } from '../../store/queries/utxos.ts';

export type { ContractName };

export interface AddressToken {
  readonly tokenId: Id;
  readonly atoms: Atoms;
  readonly decimals: number;
  readonly isNft: boolean;
}

/** What somebody has of a currency. */
export interface ShownHolding {
  /** Free to spend. */
  readonly amount: Atoms;
  /** Under a time lock. */
  readonly locked: Atoms;
  readonly decimals: number;
  readonly circulatingSupply: Atoms;
}

/** By what holders are ordered, the largest first. */
type HolderSort = 'amount' | 'total';

/** Which end of a book comes first, as somebody sees it who trades against it. */
export type BookOrder = 'worst' | 'best';

export interface ResponseProfile {
  readonly name: ContractName;

  /** The size of a transaction in bytes, with what follows from it and the fee (null while that is not known). */
  readonly transactionSize: ExtraFields<[size: number, fee: Atoms | null]>;
  /** Seconds since the epoch. */
  readonly transactionTimestamp: JsonField<'transaction timestamp', [seconds: number]>;
  readonly transactionIndex: {
    readonly listed: ExtraFields<[globalIndex: number]>;
    readonly single: ExtraFields<[globalIndex: number]>;
  };

  readonly utxoEntry: JsonField<'utxo', [row: UtxoRow]> & {
    /** Does an entry have its output's block? */
    readonly hasBlock: boolean;
  };
  /** `ever` lists every output that was paid to an address, `unspent` those that nothing has spent. */
  readonly allUtxos:
    | { readonly which: 'ever'; readonly entry: JsonField<'paid output', [row: OutputRow]> }
    | { readonly which: 'unspent' };
  /** Is an HTLC spendable for its refund key only when the refund lock has passed? */
  readonly refundWaitsForLock: boolean;

  /** The `tokens` of an address. */
  readonly addressTokens: JsonField<'address tokens', [network: Network, tokens: readonly AddressToken[]]>;
  readonly addressDelegation: JsonField<'address delegation', [network: Network, delegation: DelegationRow]>;
  /** The error 404 for an address without token authority; null: an empty list. */
  readonly noTokenAuthority: string | null;

  readonly tokenTicker: JsonField<'token ticker', [ticker: Hex]>;
  readonly tokenMetadataUri: JsonField<'token metadata URI', [uri: Hex]>;
  readonly isTokenFreezable: JsonField<'is token freezable', [token: TokenRow]>;
  /** `total_supply` and what comes with it. */
  readonly tokenTotalSupply: ExtraFields<[token: TokenRow]>;
  readonly tokenStatistics: ExtraFields<[statistics: StatisticsRow]>;

  /** Texts of an NFT; `optional` for those that may be absent (empty). */
  readonly nftText: JsonField<'NFT text', [bytes: Hex]>;
  readonly nftOptionalText: JsonField<'optional NFT text', [bytes: Hex]>;
  readonly nftMediaHash: JsonField<'NFT media hash', [bytes: Hex]>;

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
  readonly holder: ExtraFields<[holding: ShownHolding]>;
  /** The values of `sort` for holders, the default first; with one alone it is no parameter. */
  readonly holderSorts: readonly HolderSort[];
  /** What a price level has besides `price` and `amount`. */
  readonly priceLevel: ExtraFields<[orderCount: number]>;
  /** The decimal number of a price: atoms of the quote currency, and its decimals. */
  readonly priceDecimal: { readonly text: (atoms: Atoms, decimals: number) => string; readonly pattern: string };
  /** The values of `order` for a book, the default first; with one alone it is no parameter. */
  readonly bookOrders: readonly BookOrder[];
  /** The data of the stream's events. */
  readonly events: {
    readonly names: Readonly<Record<'tx_seen' | 'block' | 'reorg' | 'lag', string>>;
    readonly origins: Readonly<Record<'local' | 'remote', string>>;
    /** Of a block; seconds since the epoch. */
    readonly timestamp: JsonField<'event timestamp', [seconds: number]>;
    /** Is `tx_dropped` sent by default? */
    readonly areDroppedTold: boolean;
  };
  /** Does the error 404 for a transaction say when it was dropped, or that nobody knows what is pending? */
  readonly saysWhyUnknown: boolean;
  /** The error text for a transaction that the node refused. */
  readonly nodeRefusal: (refusal: RpcFailure) => string;
  /** The status for a submission that is longer than mintlayer-core reads and is no transaction. */
  readonly longInvalidSubmission: 400 | 413;
}

declare const FIELD: unique symbol;

/** The value of a field that each profile writes in its own way. The name keeps a presenter from using it for another field. */
export interface FieldByProfile<Name extends string> {
  readonly [FIELD]: Name;
}

/** A JSON value: `text` writes it, `schema` describes what is written. */
interface JsonField<Name extends string, Inputs extends readonly unknown[]> {
  readonly text: (...inputs: Inputs) => Json<FieldByProfile<Name>>;
  readonly schema: TUnsafe<FieldByProfile<Name>>;
}

/** A field of a profile. It does not compile unless `text` writes what `schema` describes. */
export function jsonField<Name extends string, Inputs extends readonly unknown[], Schema extends TSchema>(
  schema: Schema,
  text: (...inputs: Inputs) => NoInfer<JsonTextOf<Schema>>,
): JsonField<Name, Inputs> {
  return {
    schema: Type.Unsafe(schema),
    text: text as (...inputs: Inputs) => string as JsonField<Name, Inputs>['text'],
  };
}

/** Fields at the end of an object that only one of the profiles has. */
export interface ExtraFields<Inputs extends readonly unknown[]> {
  /** `,"name":value` for each, or nothing. */
  readonly text: (...inputs: Inputs) => string;
  /** For the schema of the object. The types hide which ones they are: what spreads them has to append `text`. */
  readonly properties: Record<never, TSchema>;
}

/** The extra fields of a profile. They do not compile unless `text` writes these properties. */
export function profileFields<Inputs extends readonly unknown[], Properties extends TProperties>(
  properties: Properties,
  text: (...inputs: Inputs) => NoInfer<MoreFields<ValueOf<TObject<Properties>>>>,
): ExtraFields<Inputs> {
  return { properties, text };
}

export const NO_EXTRA_FIELDS: ExtraFields<[]> = { properties: {}, text: () => '' };
