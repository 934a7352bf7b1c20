/** The smallest pieces of the REST answers' JSON (indexing rules, section 5.2). All functions give finished JSON text. */
import { isUtf8 } from 'node:buffer';
import { decimalText } from '../chain/amount.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms, Hex, Id, Outpoint, TimeLock } from '../chain/types.ts';

export interface RenderContext {
  readonly network: Network;
  /** Decimals of a token; 0 for an NFT. */
  decimalsOf(tokenId: Id): number;
}

export function amount(atoms: Atoms, decimals: number): string {
  return `{"atoms":"${atoms}","decimal":"${decimalText(atoms, decimals)}"}`;
}

/** `{"string","hex"}`; the string is null when the bytes are not UTF-8. */
export function stringOrHex(hex: Hex): string {
  const bytes = Buffer.from(hex, 'hex');
  return `{"hex":"${hex}","string":${isUtf8(bytes) ? JSON.stringify(bytes.toString('utf8')) : 'null'}}`;
}

export function byteArray(hex: Hex): string {
  return `[${Buffer.from(hex, 'hex').join(',')}]`;
}

export function lock(timeLock: TimeLock): string {
  const { type, value } = timeLock;
  const content = type === 'UntilTime' ? `{"timestamp":${value}}` : `${value}`;
  return `{"content":${content},"type":"${type}"}`;
}

export function outpoint({ index, sourceId, sourceType }: Outpoint): string {
  return `{"index":${index},"source_id":"${sourceId}","source_type":"${sourceType}"}`;
}
