/** The smallest parts of the API's JSON (docs/api.md#formats). All functions return JSON text. */

import { isUtf8 } from 'node:buffer';
import { decimalTextOfDigits } from '../chain/decimal-text.ts';
import type { Network } from '../chain/networks/network.ts';
import { utf8OfHex } from '../chain/scale/hex.ts';
import type { Atoms, Hex, Id, Outpoint, TimeLock } from '../chain/types.ts';
import { type Json, NULL_JSON, numberJson, objectJson, plainJson, textJson, uncheckedJson } from './compose-json.ts';
import type { ComponentJson, ComponentValue } from './schemas/value-of-schema.ts';

export interface RenderContext {
  readonly network: Network;
  /** The decimals of a token; 0 for an NFT; null for an id that is not issued (yet). */
  decimalsOf(tokenId: Id): number | null;
}

export function amountJson(atoms: Atoms, decimals: number): ComponentJson<'Amount'> {
  const digits = `${atoms}`;
  return `{"atoms":"${digits}","decimal":"${decimalTextOfDigits(digits, decimals)}"}` as ComponentJson<'Amount'>;
}

/**
 * Writes an amount of a token that is not issued yet. The token's id takes the place of the decimal number, which
 * {@link fillUnissuedDecimals} fills in when the text is served. No string in the JSON can be mistaken for it, because
 * quotation marks are escaped there.
 */
export function unissuedAmountJson(atoms: Atoms, tokenId: Id): ComponentJson<'Amount'> {
  return `{"atoms":"${atoms}",${UNISSUED}${tokenId}"}` as ComponentJson<'Amount'>;
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
export function stringOrHexJson(hex: Hex): ComponentJson<'StringOrHex'> {
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

export function byteArrayJson(hex: Hex): ComponentJson<'Bytes'> {
  return `[${Buffer.from(hex, 'hex').join(',')}]` as ComponentJson<'Bytes'>;
}

/** `seconds`: since the epoch. */
export function timestampJson(seconds: number | bigint): ComponentJson<'UnixTime'> {
  return objectJson({ timestamp: numberJson(seconds) });
}

export function lockJson({ type, value }: TimeLock): ComponentJson<'Lock'> {
  if (type === 'UntilTime') {
    return objectJson<LockOf<'UntilTime'>>({ content: timestampJson(value), type: plainJson(type) });
  }
  return objectJson<LockOf<typeof type>>({ content: numberJson(value), type: plainJson(type) });
}

type LockOf<Type extends TimeLock['type']> = Extract<ComponentValue<'Lock'>, { type: Type }>;

export function outpointJson({ index, sourceId, sourceType }: Outpoint): ComponentJson<'Outpoint'> {
  return uncheckedJson(
    `{"index":${index}` + //
      `,"source_id":"${sourceId}"` +
      `,"source_type":"${sourceType}"}`,
  );
}
