/**
 * The one place where JSON that is stored, or made for the API, becomes typed values again: tables keep transactions, rewards
 * and headers as finished texts. The types are those of the API's schemas; amounts and what may be large become `bigint`.
 */

import type { SEARCH_RESULT_SCHEMA } from '../../api/present/search.ts';
import type { BlockHeader } from '../../render/schemas/block.ts';
import type { Amount, Outpoint } from '../../render/schemas/common.ts';
import type { Output } from '../../render/schemas/output.ts';
import type { ValueOf } from '../../render/schemas/schema-types.ts';
import type { InputEntry, PendingTransaction } from '../../render/schemas/transaction.ts';
import type { ExactAmount } from '../parts/amount.ts';

/** Of the chain or pending; without a fee where that is not known. */
export type TransactionValue = ValueOf<typeof PendingTransaction>;
export type InputEntryValue = ValueOf<typeof InputEntry>;
export type InputValue = InputEntryValue['input'];
export type OutputValue = ValueOf<typeof Output>;
export type BlockHeaderValue = ValueOf<typeof BlockHeader>;

export type SearchResultValue = ValueOf<typeof SEARCH_RESULT_SCHEMA>;

/** An integer that JSON writes as a number: exact, also where a double is not. */
export type Integer = number | bigint;

/** A base transaction, or a pending one. */
export function readTransactionText(text: string): TransactionValue {
  return parse(text) as TransactionValue;
}

/** The outputs of a block's reward. */
export function readOutputTexts(text: string): OutputValue[] {
  return parse(text) as OutputValue[];
}

/** An output with its place, as lists of an address have it: `{"outpoint":…,"utxo":…`, without the last brace. */
export function readOutputEntry(entry: string): {
  readonly outpoint: ValueOf<typeof Outpoint>;
  readonly utxo: OutputValue;
} {
  return parse(`${entry}}`) as ReturnType<typeof readOutputEntry>;
}

/** A block that something is in, without the braces. */
export function readPlaceText(place: string): {
  readonly block_id: string;
  readonly height: number;
  readonly timestamp: number;
} {
  return parse(`{${place}}`) as ReturnType<typeof readPlaceText>;
}

export function readHeaderText(text: string): BlockHeaderValue {
  return parse(text) as BlockHeaderValue;
}

/** How many transactions a block has of each kind. */
export function readKindsText(text: string): Readonly<Record<string, number>> {
  return parse(text) as Readonly<Record<string, number>>;
}

/** The body of the genesis, as the API gives it. */
export function readGenesisText(text: string): {
  readonly block_id: string;
  readonly genesis_message: string;
  readonly timestamp: { readonly timestamp: number };
  readonly utxos: OutputValue[];
} {
  return parse(text) as ReturnType<typeof readGenesisText>;
}

/** Results of a search, each as the API gives it. */
export function readSearchResultTexts(texts: readonly string[]): SearchResultValue[] {
  return parse(`[${texts.join(',')}]`) as SearchResultValue[];
}

export function exact({ atoms, decimal }: ValueOf<typeof Amount>): ExactAmount {
  return { atoms: BigInt(atoms), decimal };
}

/** Bytes that the API gives as numbers. */
export function hexOf(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('hex');
}

/** An integer beyond what a double holds exactly. */
const LONG_INTEGER = /[:[,]\d{16}/;

/** Integers that a double does not hold become `bigint`: where the types say number, use {@link Integer}. */
function parse(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  const revive = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(context?.source ?? value) : value;
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
}
