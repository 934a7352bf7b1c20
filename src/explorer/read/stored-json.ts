/**
 * Parses stored JSON, or JSON made for the API, to typed values: tables keep transactions, rewards and headers as
 * rendered texts. The types are those of the API's schemas. Amounts and integers that may be large become `bigint`.
 */

import type { SEARCH_RESULT_SCHEMA } from '../../api/present/search.ts';
import type { BlockHeader } from '../../render/schemas/block.ts';
import type { Amount, Outpoint } from '../../render/schemas/common.ts';
import type { Output } from '../../render/schemas/output.ts';
import type { InputEntry, PendingTransaction } from '../../render/schemas/transaction.ts';
import type { ValueOf } from '../../render/schemas/value-of-schema.ts';
import type { ExactAmount } from '../parts/amount.ts';

/** A transaction, confirmed or pending; without a fee if it is unknown. */
export type TransactionValue = ValueOf<typeof PendingTransaction>;
export type InputEntryValue = ValueOf<typeof InputEntry>;
export type InputValue = InputEntryValue['input'];
export type OutputValue = ValueOf<typeof Output>;
export type OutputOf<Type extends OutputValue['type']> = Extract<OutputValue, { type: Type }>;
export type BlockHeaderValue = ValueOf<typeof BlockHeader>;

export type SearchResultValue = ValueOf<typeof SEARCH_RESULT_SCHEMA>;

/** An integer that JSON writes as a number: exact, even if a double cannot hold it. */
export type Integer = number | bigint;

/** Parses a base transaction or a pending one. */
export function readTransactionText(text: string): TransactionValue {
  return parse(text) as TransactionValue;
}

/** Parses the outputs of a block's reward. */
export function readOutputTexts(text: string): OutputValue[] {
  return parse(text) as OutputValue[];
}

/** Parses an output with its position, as in lists of an address: `{"outpoint":…,"utxo":…`, without the last brace. */
export function readOutputEntry(entry: string): {
  readonly outpoint: ValueOf<typeof Outpoint>;
  readonly utxo: OutputValue;
} {
  return parse(`${entry}}`) as ReturnType<typeof readOutputEntry>;
}

/** Parses the position of a block: its fields, without the braces. */
export function readBlockReference(fields: string): {
  readonly block_id: string;
  readonly height: number;
  readonly timestamp: number;
} {
  return parse(`{${fields}}`) as ReturnType<typeof readBlockReference>;
}

export function readHeaderText(text: string): BlockHeaderValue {
  return parse(text) as BlockHeaderValue;
}

/** Parses the number of transactions of each kind in a block. */
export function readKindsText(text: string): Readonly<Record<string, number>> {
  return parse(text) as Readonly<Record<string, number>>;
}

/** Parses the body of the genesis, in the form of the API. */
export function readGenesisText(text: string): {
  readonly block_id: string;
  readonly genesis_message: string;
  readonly timestamp: { readonly timestamp: number };
  readonly utxos: OutputValue[];
} {
  return parse(text) as ReturnType<typeof readGenesisText>;
}

/** Parses the results of a search, each in the form of the API. */
export function readSearchResultTexts(texts: readonly string[]): SearchResultValue[] {
  return parse(`[${texts.join(',')}]`) as SearchResultValue[];
}

export function exactAmountOfJson({ atoms, decimal }: ValueOf<typeof Amount>): ExactAmount {
  return { atoms: BigInt(atoms), decimal };
}

/** Returns the hex of bytes that the API gives as numbers. */
export function hexOf(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('hex');
}

/** Matches an integer that may be too large for a double. */
const LONG_INTEGER = /[:[,]\d{16}/;

/** Parses JSON; integers that a double cannot hold become `bigint`. Where a type says number, use {@link Integer}. */
function parse(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  const revive = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(context?.source ?? value) : value;
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
}
