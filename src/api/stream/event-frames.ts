/** Server-sent events as bytes. */
import type { Id } from '../../chain/types.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { type ChainPosition, eventId } from './chain-position.ts';
import type { ChainBlock, Reorganisation } from './chain-steps.ts';
import { presentActivity, presentBlockEvent, presentDropped, presentLag, presentReorg, presentSeen } from './event.ts';
import type { EventType } from './event-filter.ts';
import type { Origin } from './mempool-source.ts';

/** Milliseconds after which a client comes back. */
export const RETRY_FRAME = Buffer.from('retry: 3000\n\n');
export const KEEPALIVE_FRAME = Buffer.from(': keepalive\n\n');

/** Shortens the next replay of those clients that take an id without an event, as browsers do; many do not. */
export function positionFrame(point: ChainPosition): string {
  return `id: ${eventId(point)}\n\n`;
}

/** The client was slow and lost this many events. */
export function lagFrame(skipped: number): Buffer {
  return Buffer.from(`event: lag\ndata: ${presentLag(skipped)}\n\n`);
}

function frame(type: EventType, name: string, content: string, at?: ChainPosition): string {
  const id = at === undefined ? '' : `\nid: ${eventId(at)}`;
  return `event: ${type}\ndata: {"type":"${name}","content":${content}}${id}\n\n`;
}

/** The frames of a response profile. `at` is the block up to which a client knows everything with the event. */
export class EventFrames {
  readonly #events: ResponseProfile['events'];

  constructor({ events }: Pick<ResponseProfile, 'events'>) {
    this.#events = events;
  }

  seen(id: Id, origin: Origin): string {
    return frame('tx_seen', this.#events.names.tx_seen, presentSeen(this.#events, id, origin));
  }

  block(block: ChainBlock, at: ChainPosition): string {
    return frame('block', this.#events.names.block, presentBlockEvent(this.#events, block), at);
  }

  reorganisation(reorganisation: Reorganisation): string {
    return frame('reorg', this.#events.names.reorg, presentReorg(reorganisation), reorganisation.ancestor);
  }

  /** Events of the node, or of the past, were lost. */
  lost(): string {
    return frame('lag', this.#events.names.lag, presentLag(0));
  }

  dropped(id: Id): string {
    return frame('tx_dropped', 'tx_dropped', presentDropped(id));
  }

  /** `block`: it is confirmed there; null while it is pending. */
  activity(txId: Id | null, block: ChainPosition | null, subjects: readonly string[], at?: ChainPosition): string {
    return frame('activity', 'activity', presentActivity(txId, block, subjects), at);
  }
}
