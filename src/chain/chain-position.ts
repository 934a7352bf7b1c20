/** A block as clients name it: `HEIGHT-ID`. */
import { MAX_HEIGHT } from './networks/network.ts';
import type { Id } from './types.ts';

export interface ChainPosition {
  readonly height: number;
  readonly id: Id;
}

/** Returns `HEIGHT-ID`. */
export const chainPositionText = ({ height, id }: ChainPosition) => `${height}-${id}`;

/** Parses `HEIGHT-ID`; null for anything else. */
export function parseChainPosition(text: string): ChainPosition | null {
  const match = /^(\d{1,10})-([0-9a-f]{64})$/i.exec(text.trim());
  const height = Number(match?.[1]);
  return match === null || height > MAX_HEIGHT ? null : { height, id: match[2]!.toLowerCase() };
}
