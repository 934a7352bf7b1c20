/** The smallest parts of the API's JSON (docs/api.md#formats). All functions return JSON text. */

import { isUtf8 } from 'node:buffer';
import { decimalTextOfDigits } from '../chain/decimal-text.ts';
import type { Network } from '../chain/networks/network.ts';
import { utf8OfHex } from '../chain/scale/hex.ts';
import type { Atoms, Hex, Id, Outpoint, TimeLock } from '../chain/types.ts';
import { type Json, NULL_JSON, numberJson, objectJson, plainJson, textJson, uncheckedJson } from './compose-json.ts';
import type {
  AMOUNT_SCHEMA,
  LOCK_SCHEMA,
  OUTPOINT_SCHEMA as OutpointSchema,
  STRING_OR_HEX_SCHEMA,
  TIMESTAMP_SCHEMA,
} from './schemas/common.ts';
import type { BYTE_ARRAY_SCHEMA } from './schemas/output.ts';
import type { JsonTextOf, ValueOf } from './schemas/value-of-schema.ts';

export interface RenderContext {
  readonly network: Network;
  /** The decimals of a token; 0 for an NFT; null for an id that is not issued (yet). */
  decimalsOf(tokenId: Id): number | null;
}

export function amountJson(atoms: Atoms, decimals: number): JsonTextOf<typeof AMOUNT_SCHEMA> {
  const digits = `${atoms}`;
  return `{"atoms":"${digits}","decimal":"${decimalTextOfDigits(digits, decimals)}"}` as JsonTextOf<
    typeof AMOUNT_SCHEMA
  >;
}

/**
 * Writes an amount of a token that is not issued yet. The token's id takes the place of the decimal number, which
 * {@link fillUnissuedDecimals} fills in when the text is served. No string in the JSON can be mistaken for it, because
 * quotation marks are escaped there.
 */
export function unissuedAmountJson(atoms: Atoms, tokenId: Id): JsonTextOf<typeof AMOUNT_SCHEMA> {
  return `{"atoms":"${atoms}",${UNISSUED}${tokenId}"}` as JsonTextOf<typeof AMOUNT_SCHEMA>;
}

const UNISSUED = '"decimal":"?';
const UNISSUED_AMOUNT = /\{"atoms":"(\d+)","decimal":"\?([0-9a-f]{64})"\}/g;

/** Returns the tokens that were not issued when a text was rendered: see {@link unissuedAmountJson}. */
export function unissuedTokens(text: string): Id[] {
  // A single character is found ten times as fast, and hardly any text has it.
  if (!text.includes('?') || !text.includes(UNISSUED)) return [];
  return [...new Set(Array.from(text.matchAll(UNISSUED_AMOUNT), ([, , tokenId]) => tokenId!))];
}

/** Fills in the decimal numbers of a text; a token that is still not issued has 0 decimals. */
export function fillUnissuedDecimals<Text extends string>(text: Text, decimals: ReadonlyMap<Id, number>): Text {
  return text.replace(UNISSUED_AMOUNT, (_, atoms: string, tokenId: Id) =>
    amountJson(BigInt(atoms), decimals.get(tokenId) ?? 0),
  ) as Text;
}

/** Writes bytes as hex and as text; the text is null if the bytes are not UTF-8. */
export function stringOrHexJson(hex: Hex): JsonTextOf<typeof STRING_OR_HEX_SCHEMA> {
  const bytes = Buffer.from(hex, 'hex');
  return objectJson({
    hex: plainJson(hex),
    string: isUtf8(bytes) ? textJson(bytes.toString('utf8')) : NULL_JSON,
  });
}

/** Decodes bytes as UTF-8 text; invalid bytes become replacement characters. */
export function utf8Json(hex: Hex): Json<string> {
  return textJson(utf8OfHex(hex));
}

/** The same; null for no bytes. */
export function optionalUtf8Json(hex: Hex): Json<string | null> {
  return hex === '' ? NULL_JSON : utf8Json(hex);
}

export function byteArrayJson(hex: Hex): JsonTextOf<typeof BYTE_ARRAY_SCHEMA> {
  return `[${Buffer.from(hex, 'hex').join(',')}]` as JsonTextOf<typeof BYTE_ARRAY_SCHEMA>;
}

/** `seconds`: since the epoch. */
export function timestampJson(seconds: number | bigint): JsonTextOf<typeof TIMESTAMP_SCHEMA> {
  return objectJson({ timestamp: numberJson(seconds) });
}

export function lockJson({ type, value }: TimeLock): JsonTextOf<typeof LOCK_SCHEMA> {
  if (type === 'UntilTime') {
    return objectJson<LockOf<'UntilTime'>>({ content: timestampJson(value), type: plainJson(type) });
  }
  return objectJson<LockOf<typeof type>>({ content: numberJson(value), type: plainJson(type) });
}

type LockOf<Type extends TimeLock['type']> = Extract<ValueOf<typeof LOCK_SCHEMA>, { type: Type }>;

export function outpointJson({ index, sourceId, sourceType }: Outpoint): JsonTextOf<typeof OutpointSchema> {
  return uncheckedJson(
    `{"index":${index}` + //
      `,"source_id":"${sourceId}"` +
      `,"source_type":"${sourceType}"}`,
  );
}
