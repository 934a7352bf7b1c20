/** The smallest pieces of the REST answers' JSON (docs/api.md#formats). All functions give finished JSON text. */
import { isUtf8 } from 'node:buffer';
import { decimalText } from '../chain/amount.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms, Hex, Id, Outpoint, TimeLock } from '../chain/types.ts';

export interface RenderContext {
  readonly network: Network;
  /** Decimals of a token; 0 for an NFT; null for what is not issued (yet). */
  decimalsOf(tokenId: Id): number | null;
}

export function amountJson(atoms: Atoms, decimals: number): string {
  return `{"atoms":"${atoms}","decimal":"${decimalText(atoms, decimals)}"}`;
}

/**
 * An amount of a token that was not issued when the text was made: the token's id stands in place of the decimal number,
 * which is known when the text is shown. No text within the JSON can look like it: there, quotation marks are escaped.
 */
export function unissuedAmountJson(atoms: Atoms, tokenId: Id): string {
  return `{"atoms":"${atoms}",${UNISSUED}${tokenId}"}`;
}

const UNISSUED = '"decimal":"?';
const UNISSUED_AMOUNT = /\{"atoms":"(\d+)","decimal":"\?([0-9a-f]{64})"\}/g;

/** The tokens whose decimals a text lacks. */
export function unissuedTokens(text: string): Id[] {
  if (!text.includes(UNISSUED)) return [];
  return [...new Set(Array.from(text.matchAll(UNISSUED_AMOUNT), ([, , tokenId]) => tokenId!))];
}

/** The text with the decimals that it lacks; what is still not issued has none. */
export function withDecimals(text: string, decimals: ReadonlyMap<Id, number>): string {
  return text.replace(UNISSUED_AMOUNT, (_, atoms: string, tokenId: Id) =>
    amountJson(BigInt(atoms), decimals.get(tokenId) ?? 0),
  );
}

/** `{"string","hex"}`; the string is null when the bytes are not UTF-8. */
export function stringOrHexJson(hex: Hex): string {
  const bytes = Buffer.from(hex, 'hex');
  return `{"hex":"${hex}","string":${isUtf8(bytes) ? JSON.stringify(bytes.toString('utf8')) : 'null'}}`;
}

export function byteArrayJson(hex: Hex): string {
  return `[${Buffer.from(hex, 'hex').join(',')}]`;
}

export function lockJson(timeLock: TimeLock): string {
  const { type, value } = timeLock;
  const content = type === 'UntilTime' ? `{"timestamp":${value}}` : `${value}`;
  return `{"content":${content},"type":"${type}"}`;
}

export function outpointJson({ index, sourceId, sourceType }: Outpoint): string {
  return `{"index":${index},"source_id":"${sourceId}","source_type":"${sourceType}"}`;
}
