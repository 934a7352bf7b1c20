/** The content of events as JSON, and the frames of server-sent events. */

import type { Id } from '../../chain/types.ts';
import type { TransactionOrigin } from '../../mempool/pending-transaction.ts';
import {
  arrayJson,
  type Json,
  jsonFromStore,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
  textJson,
} from '../../render/compose-json.ts';
import { chainPositionText } from '../../serving/http/headers.ts';
import type { ChainStepBlock, StreamReorganisation } from '../../store/queries/blocks/blocks-since.ts';
import type { ChainPosition } from '../../store/read/query.ts';
import type { FieldByProfile, ResponseProfile } from '../response-profile/profile.ts';
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

/** Makes the frames of a response profile. `at`: the block up to which a client knows everything after this event. */
export class EventFrames {
  readonly #events: ResponseProfile['events'];

  constructor({ events }: Pick<ResponseProfile, 'events'>) {
    this.#events = events;
  }

  seen({
    id,
    origin,
    sequence,
  }: {
    readonly id: Id;
    readonly origin: TransactionOrigin;
    readonly sequence: number;
  }): string {
    const { names, origins } = this.#events;
    const content = objectJson<SeenEvent>({
      tx_id: plainJson(id),
      origin: plainJson(origins[origin]),
      mempool_sequence: this.#sequence(sequence),
    });
    return frame('tx_seen', names.tx_seen, content);
  }

  block(block: ChainStepBlock, at: ChainPosition): string {
    const content = objectJson<BlockEvent>({
      block_id: plainJson(block.id),
      height: numberJson(block.height),
      timestamp: this.#events.timestamp.text(block.timestamp),
      tx_ids: jsonFromStore(`[${block.txIds}]`),
    });
    return frame('block', this.#events.names.block, content, at);
  }

  reorganisation({ ancestor, removed, newTip }: StreamReorganisation): string {
    const content = objectJson<ReorgEvent>({
      common_ancestor_height: numberJson(ancestor.height),
      removed_block_ids: arrayJson(removed.map((id) => plainJson(id))),
      new_tip_height: numberJson(newTip.height),
    });
    return frame('reorg', this.#events.names.reorg, content, ancestor);
  }

  /** Makes the frame for lost events of the node, or of the past. */
  lost(): string {
    return frame('lag', this.#events.names.lag, presentLag(0));
  }

  status(conditions: readonly string[]): string {
    return frame('status', 'status', objectJson<StatusEvent>({ conditions: arrayJson(conditions.map(textJson)) }));
  }

  dropped({ id, sequence }: { readonly id: Id; readonly sequence: number }): string {
    const content = objectJson<DroppedEvent>({ tx_id: plainJson(id), mempool_sequence: this.#sequence(sequence) });
    return frame('tx_dropped', 'tx_dropped', content);
  }

  #sequence(sequence: number): Json<number> | undefined {
    return this.#events.haveSequence ? numberJson(sequence) : undefined;
  }

  /** `block`: the block of the transaction; null while it is pending. */
  activity(txId: Id | null, block: ChainPosition | null, subjects: readonly string[], at?: ChainPosition): string {
    const content = objectJson<ActivityEvent>({
      tx_id: nullableJson(txId, plainJson),
      block_id: nullableJson(block, ({ id }) => plainJson(id)),
      subjects: arrayJson(subjects.map(textJson)),
    });
    return frame('activity', 'activity', content, at);
  }
}

interface SeenEvent {
  readonly tx_id: string;
  readonly origin: string;
  readonly mempool_sequence?: number;
}

interface BlockEvent {
  readonly block_id: string;
  readonly height: number;
  readonly timestamp: FieldByProfile<'event timestamp'>;
  readonly tx_ids: readonly string[];
}

interface ReorgEvent {
  readonly common_ancestor_height: number;
  readonly removed_block_ids: readonly string[];
  readonly new_tip_height: number;
}

interface LagEvent {
  /** The events that this client lost; 0 if the number is unknown. */
  readonly skipped: number;
}

interface DroppedEvent {
  readonly tx_id: string;
  readonly mempool_sequence?: number;
}

interface StatusEvent {
  /** Those that hold now. */
  readonly conditions: readonly string[];
}

interface ActivityEvent {
  /** The transaction; null for the reward of a block. */
  readonly tx_id: string | null;
  /** The block; null while the transaction is pending. */
  readonly block_id: string | null;
  readonly subjects: readonly string[];
}

function presentLag(skipped: number): Json<LagEvent> {
  return objectJson({ skipped: numberJson(skipped) });
}
