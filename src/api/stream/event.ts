/** The content of the stream's events as JSON. */
import type { Id } from '../../chain/types.ts';
import {
  arrayJson,
  type Json,
  jsonFromStore,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
  textJson,
} from '../../render/typed-json.ts';
import type { FieldByProfile } from '../response-profile/json-field.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import type { ChainPosition } from './chain-position.ts';
import type { ChainBlock, Reorganisation } from './chain-steps.ts';
import type { Origin } from './mempool-source.ts';

type EventProfile = ResponseProfile['events'];

interface SeenEvent {
  readonly tx_id: string;
  readonly origin: string;
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
  /** Events that this client lost; 0 where nobody knows how many there were. */
  readonly skipped: number;
}

interface DroppedEvent {
  readonly tx_id: string;
}

interface ActivityEvent {
  /** Null for the reward of a block. */
  readonly tx_id: string | null;
  /** Null while the transaction is pending. */
  readonly block_id: string | null;
  readonly subjects: readonly string[];
}

export function presentSeen({ origins }: EventProfile, id: Id, origin: Origin): Json<SeenEvent> {
  return objectJson({
    tx_id: plainJson(id),
    origin: plainJson(origins[origin]),
  });
}

export function presentBlockEvent({ timestamp }: EventProfile, block: ChainBlock): Json<BlockEvent> {
  return objectJson({
    block_id: plainJson(block.id),
    height: numberJson(block.height),
    timestamp: timestamp.text(block.timestamp),
    tx_ids: jsonFromStore(`[${block.txIds}]`),
  });
}

export function presentReorg({ ancestor, removed, newTip }: Reorganisation): Json<ReorgEvent> {
  return objectJson({
    common_ancestor_height: numberJson(ancestor.height),
    removed_block_ids: arrayJson(removed.map((id) => plainJson(id))),
    new_tip_height: numberJson(newTip.height),
  });
}

export function presentLag(skipped: number): Json<LagEvent> {
  return objectJson({ skipped: numberJson(skipped) });
}

export function presentDropped(id: Id): Json<DroppedEvent> {
  return objectJson({ tx_id: plainJson(id) });
}

export function presentActivity(
  id: Id | null,
  block: ChainPosition | null,
  subjects: readonly string[],
): Json<ActivityEvent> {
  return objectJson({
    tx_id: nullableJson(id, plainJson),
    block_id: nullableJson(block, ({ id: blockId }) => plainJson(blockId)),
    subjects: arrayJson(subjects.map(textJson)),
  });
}
