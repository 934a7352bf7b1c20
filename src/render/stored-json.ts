/**
 * Parses stored JSON, or JSON made for the API, to typed values: tables keep transactions, rewards and headers as
 * rendered texts. The types are those of the API's schemas. Amounts and integers that may be large become `bigint`.
 */

import type { PENDING_TRANSACTION_SCHEMA } from './schemas/transaction.ts';
import type { ComponentValue, ValueOf } from './schemas/value-of-schema.ts';

/** A transaction, confirmed or pending; without a fee if it is unknown. */
export type ParsedTransaction = ValueOf<typeof PENDING_TRANSACTION_SCHEMA>;
export type ParsedInputEntry = ComponentValue<'InputEntry'>;
export type ParsedInput = ParsedInputEntry['input'];
export type ParsedOutput = ComponentValue<'Output'>;
export type ParsedOutputOf<Type extends ParsedOutput['type']> = Extract<ParsedOutput, { type: Type }>;

/** Makes the parser of a text; `before` and `after` make it complete. */
const parserOf =
  <T>(before = '', after = '') =>
  (text: string): T =>
    parseStoredJson(before + text + after) as T;

/** Parses a base transaction or a pending one. */
export const parseTransactionJson = parserOf<ParsedTransaction>();
/** Parses the outputs of a block's reward. */
export const parseOutputsJson = parserOf<ParsedOutput[]>();
/** Parses an output with its position, as in lists of an address: `{"outpoint":…,"utxo":…`, without the last brace. */
export const parseOutputEntryJson = parserOf<{
  readonly outpoint: ComponentValue<'Outpoint'>;
  readonly utxo: ParsedOutput;
}>('', '}');
/** Parses the position of a block: its fields, without the braces. */
export const parseBlockReferenceJson = parserOf<{
  readonly block_id: string;
  readonly height: number;
  readonly timestamp: number;
}>('{', '}');
export const parseBlockHeaderJson = parserOf<ComponentValue<'BlockHeader'>>();
/** Parses the number of transactions of each kind in a block. */
export const parseKindCountsJson = parserOf<Readonly<Record<string, number>>>();
/** Parses the body of the genesis, in the form of the API. */
export const parseGenesisJson = parserOf<{
  readonly block_id: string;
  readonly genesis_message: string;
  readonly timestamp: { readonly timestamp: number };
  readonly utxos: ParsedOutput[];
}>();

/** Returns the hex of bytes that the API gives as numbers. */
export function hexOfByteArray(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('hex');
}

/** Matches an integer that may be too large for a double. */
const LONG_INTEGER = /[:[,]\d{16}/;

/** Parses JSON; integers that a double cannot hold become `bigint`. Types say number there, too. */
function parseStoredJson(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  const revive = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(context?.source ?? value) : value;
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
}
