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

/** Says where the client goes on when it comes back, and nothing else: browsers take it without an event. */
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

/** The frames of a response profile. */
export class EventFrames {
  readonly #events: ResponseProfile['events'];

  constructor({ events }: Pick<ResponseProfile, 'events'>) {
    this.#events = events;
  }

  seen(id: Id, origin: Origin): string {
    return frame('tx_seen', this.#events.names.tx_seen, presentSeen(this.#events, id, origin));
  }

  block(block: ChainBlock): string {
    return frame('block', this.#events.names.block, presentBlockEvent(this.#events, block), block);
  }

  reorganisation(reorganisation: Reorganisation): string {
    return frame('reorg', this.#events.names.reorg, presentReorg(reorganisation), reorganisation.newTip);
  }

  /** Events of the node, or of the past, were lost. */
  lost(): string {
    return frame('lag', this.#events.names.lag, presentLag(0));
  }

  dropped(id: Id): string {
    return frame('tx_dropped', 'tx_dropped', presentDropped(id));
  }

  /** `block`: it is confirmed there; null while it is pending. */
  activity(txId: Id | null, block: ChainPosition | null, subjects: readonly string[]): string {
    return frame('activity', 'activity', presentActivity(txId, block, subjects), block ?? undefined);
  }
}
