/** The smallest pieces of the REST answers' JSON (indexing rules, section 5.2). All functions give finished JSON text. */
import { isUtf8 } from 'node:buffer';
import type { Amount, Lock, Outpoint as OutpointSchema, StringOrHex, Timestamp } from '../api/schemas/common.ts';
import type { JsonOf, ValueOf } from '../api/schemas/json-types.ts';
import type { Bytes } from '../api/schemas/output.ts';
import { decimalText } from '../chain/amount.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms, Hex, Id, Outpoint, TimeLock } from '../chain/types.ts';
import { NULL_JSON, numberJson, objectJson, plainJson, textJson, writtenJson } from './json.ts';

export interface RenderContext {
  readonly network: Network;
  /** Decimals of a token; 0 for an NFT; null for what is not issued (yet). */
  decimalsOf(tokenId: Id): number | null;
}

export function amountJson(atoms: Atoms, decimals: number): JsonOf<typeof Amount> {
  return `{"atoms":"${atoms}","decimal":"${decimalText(atoms, decimals)}"}` as JsonOf<typeof Amount>;
}

/**
 * An amount of a token that was not issued when the text was made: the token's id stands in place of the decimal number,
 * which is known when the text is shown. No text within the JSON can look like it: there, quotation marks are escaped.
 */
export function unissuedAmountJson(atoms: Atoms, tokenId: Id): JsonOf<typeof Amount> {
  return `{"atoms":"${atoms}",${UNISSUED}${tokenId}"}` as JsonOf<typeof Amount>;
}

const UNISSUED = '"decimal":"?';
const UNISSUED_AMOUNT = /\{"atoms":"(\d+)","decimal":"\?([0-9a-f]{64})"\}/g;

/** The tokens whose decimals a text lacks. */
export function unissuedTokens(text: string): Id[] {
  if (!text.includes(UNISSUED)) return [];
  return [...new Set(Array.from(text.matchAll(UNISSUED_AMOUNT), ([, , tokenId]) => tokenId!))];
}

/** The text with the decimals that it lacks; what is still not issued has none. */
export function withDecimals<Text extends string>(text: Text, decimals: ReadonlyMap<Id, number>): Text {
  return text.replace(UNISSUED_AMOUNT, (_, atoms: string, tokenId: Id) =>
    amountJson(BigInt(atoms), decimals.get(tokenId) ?? 0),
  ) as Text;
}

/** `{"string","hex"}`; the string is null when the bytes are not UTF-8. */
export function stringOrHexJson(hex: Hex): JsonOf<typeof StringOrHex> {
  const bytes = Buffer.from(hex, 'hex');
  return objectJson({
    hex: plainJson(hex),
    string: isUtf8(bytes) ? textJson(bytes.toString('utf8')) : NULL_JSON,
  });
}

export function byteArrayJson(hex: Hex): JsonOf<typeof Bytes> {
  return `[${Buffer.from(hex, 'hex').join(',')}]` as JsonOf<typeof Bytes>;
}

/** `seconds` since the epoch. */
export function timestampJson(seconds: number | bigint): JsonOf<typeof Timestamp> {
  return objectJson({ timestamp: numberJson(seconds) });
}

export function lockJson({ type, value }: TimeLock): JsonOf<typeof Lock> {
  if (type === 'UntilTime') {
    return objectJson<LockOf<'UntilTime'>>({ content: timestampJson(value), type: plainJson(type) });
  }
  return objectJson<LockOf<typeof type>>({ content: numberJson(value), type: plainJson(type) });
}

type LockOf<Type extends TimeLock['type']> = Extract<ValueOf<typeof Lock>, { type: Type }>;

export function outpointJson({ index, sourceId, sourceType }: Outpoint): JsonOf<typeof OutpointSchema> {
  return writtenJson(
    `{"index":${index}` + //
      `,"source_id":"${sourceId}"` +
      `,"source_type":"${sourceType}"}`,
  );
}
