/** Server-sent events as bytes. */
import type { Id } from '../../chain/types.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import type { ChainBlock, Reorganisation } from './chain-walk.ts';
import type { EventType } from './filter.ts';
import type { Origin } from './pending.ts';
import { type ChainPoint, eventId } from './point.ts';

/** Milliseconds after which a client comes back. */
export const RETRY_FRAME = Buffer.from('retry: 3000\n\n');
export const KEEPALIVE_FRAME = Buffer.from(': keepalive\n\n');

/** Says where the client goes on when it comes back, and nothing else: browsers take it without an event. */
export function markFrame(point: ChainPoint): string {
  return `id: ${eventId(point)}\n\n`;
}

/** The client was slow and lost this many events. */
export function skippedFrame(skipped: number): Buffer {
  return Buffer.from(`event: lag\ndata: {"skipped":${skipped}}\n\n`);
}

function frame(type: EventType, name: string, content: string, at?: ChainPoint): string {
  const id = at === undefined ? '' : `\nid: ${eventId(at)}`;
  return `event: ${type}\ndata: {"type":"${name}","content":${content}}${id}\n\n`;
}

/** The frames of a response profile. */
export class Frames {
  readonly #events: ResponseProfile['events'];

  constructor({ events }: Pick<ResponseProfile, 'events'>) {
    this.#events = events;
  }

  seen(id: Id, origin: Origin): string {
    const { names, origins } = this.#events;
    return frame('tx_seen', names.tx_seen, `{"tx_id":"${id}","origin":"${origins[origin]}"}`);
  }

  block(block: ChainBlock): string {
    const { names, timestamp } = this.#events;
    const { id, height, txIds } = block;
    const content = `{"block_id":"${id}","height":${height},"timestamp":${timestamp.text(block.timestamp)},"tx_ids":[${txIds}]}`;
    return frame('block', names.block, content, block);
  }

  reorganisation({ ancestor, removed, newTip }: Reorganisation): string {
    const ids = removed.map((id) => `"${id}"`).join(',');
    const content = `{"common_ancestor_height":${ancestor.height},"removed_block_ids":[${ids}],"new_tip_height":${newTip.height}}`;
    return frame('reorg', this.#events.names.reorg, content, newTip);
  }

  /** Events of the node, or of the past, were lost. */
  lost(): string {
    return frame('lag', this.#events.names.lag, '{"skipped":0}');
  }

  dropped(id: Id): string {
    return frame('tx_dropped', 'tx_dropped', `{"tx_id":"${id}"}`);
  }

  /** `block`: it is confirmed there; null while it is pending. */
  activity(txId: Id | null, block: ChainPoint | null, subjects: readonly string[]): string {
    const idText = (id: Id | undefined | null) => (id ? `"${id}"` : 'null');
    const content = `{"tx_id":${idText(txId)},"block_id":${idText(block?.id)},"subjects":${JSON.stringify(subjects)}}`;
    return frame('activity', 'activity', content, block ?? undefined);
  }
}
