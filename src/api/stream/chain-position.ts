/** A block of the chain by height and id, and how an event names it. */
import type { Id } from '../../chain/types.ts';

export interface ChainPosition {
  readonly height: number;
  readonly id: Id;
}

const EVENT_ID = /^(0|[1-9][0-9]{0,9})-([0-9a-f]{64})$/i;
const LARGEST_HEIGHT = 2 ** 31 - 1;

/** The `id:` of an event: where a client goes on that comes back with it. */
export function eventId({ height, id }: ChainPosition): string {
  return `${height}-${id}`;
}

/** What `eventId` wrote; null for anything else. */
export function parseEventId(text: string): ChainPosition | null {
  const match = EVENT_ID.exec(text.trim());
  if (match === null) return null;
  const height = Number(match[1]);
  return height > LARGEST_HEIGHT ? null : { height, id: match[2]!.toLowerCase() };
}

export function isSamePosition(a: ChainPosition | null, b: ChainPosition | null): boolean {
  return a !== null && b !== null && a.height === b.height && a.id === b.id;
}
