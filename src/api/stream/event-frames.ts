/** The content of events as JSON, and the frames of server-sent events. */

import type { Id } from '../../chain/types.ts';
import type { TransactionOrigin } from '../../mempool/pending-transaction.ts';
import { chainPositionText } from '../../serving/http/headers.ts';
import type { ChainStepBlock, ChainStepReorganisation } from '../../store/queries/blocks/blocks-since.ts';
import type { ChainPosition } from '../../store/read/query.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import type { EventType } from './event-filter.ts';

/** The milliseconds after which a client reconnects. */
export const RETRY_FRAME = Buffer.from('retry: 3000\n\n');
export const KEEPALIVE_COMMENT = Buffer.from(': keepalive\n\n');
/** Browsers do not show comments to scripts. */
export const KEEPALIVE_EVENT = Buffer.from(frame('keepalive', 'keepalive', '{}'));

/**
 * Makes a frame with a position only. It shortens the next replay of clients that accept an id without an event, as
 * browsers do; many clients do not.
 */
export function positionFrame(point: ChainPosition): string {
  return `id: ${chainPositionText(point)}\n\n`;
}

/** Makes the frame for a slow client that lost this many events. */
export function lagFrame(skipped: number): Buffer {
  return Buffer.from(`event: lag\ndata: ${presentLag(skipped)}\n\n`);
}

function frame(type: EventType, name: string, content: string, at?: ChainPosition): string {
  const id = at === undefined ? '' : `\nid: ${chainPositionText(at)}`;
  return `event: ${type}\ndata: {"type":"${name}","content":${content}}${id}\n\n`;
}

interface PendingEvent {
  readonly id: Id;
  readonly sequence: number;
}

/** Makes the frames of a response profile. `at`: the block up to which a client knows everything after this event. */
export class EventFrames {
  readonly #events: ResponseProfile['events'];

  constructor({ events }: Pick<ResponseProfile, 'events'>) {
    this.#events = events;
  }

  seen({ id, origin, sequence }: PendingEvent & { readonly origin: TransactionOrigin }): string {
    const { names, origins } = this.#events;
    const content = { tx_id: id, origin: origins[origin], mempool_sequence: this.#sequence(sequence) };
    return frame('tx_seen', names.tx_seen, JSON.stringify(content));
  }

  block(block: ChainStepBlock, at: ChainPosition): string {
    const { id, height, timestamp, txIds } = block;
    const time = this.#events.timestamp(timestamp);
    const content = `{"block_id":"${id}","height":${height},"timestamp":${time},"tx_ids":[${txIds}]}`;
    return frame('block', this.#events.names.block, content, at);
  }

  reorganisation({ ancestor, removed, newTip }: ChainStepReorganisation): string {
    const content = {
      common_ancestor_height: ancestor.height,
      removed_block_ids: removed,
      new_tip_height: newTip.height,
    };
    return frame('reorg', this.#events.names.reorg, JSON.stringify(content), ancestor);
  }

  /** Makes the frame for lost events of the node, or of the past. */
  lost(): string {
    return frame('lag', this.#events.names.lag, presentLag(0));
  }

  status(conditions: readonly string[]): string {
    return frame('status', 'status', JSON.stringify({ conditions }));
  }

  dropped({ id, sequence }: PendingEvent): string {
    return frame('tx_dropped', 'tx_dropped', JSON.stringify({ tx_id: id, mempool_sequence: this.#sequence(sequence) }));
  }

  #sequence(sequence: number): number | undefined {
    return this.#events.haveSequence ? sequence : undefined;
  }

  /** `block`: the block of the transaction; null while it is pending. */
  activity(txId: Id | null, block: ChainPosition | null, subjects: readonly string[], at?: ChainPosition): string {
    const content = JSON.stringify({ tx_id: txId, block_id: block?.id ?? null, subjects });
    return frame('activity', 'activity', content, at);
  }
}

/** `skipped`: the events that this client lost; 0 if the number is unknown. */
const presentLag = (skipped: number): string => JSON.stringify({ skipped });
