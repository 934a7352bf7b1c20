/** Events of the chain and the mempool, with their bytes, which are made once for all clients that get the same. */

import type { Destination, Id } from '../../chain/types.ts';
import type { TransactionOrigin } from '../../mempool/pending-transaction.ts';
import type { ChainStepBlock, ChainStepReorganisation } from '../../store/queries/blocks/blocks-since.ts';
import type { ChainPosition } from '../../store/read/query.ts';
import type { EventFilter, SubjectKey } from './event-filter.ts';
import type { EventFrames } from './event-frames.ts';

export interface TouchedSubjects {
  /** The transaction; null for the block itself: its pool and its rewards. */
  readonly txId: Id | null;
  readonly subjects: ReadonlySet<SubjectKey>;
}

/** Activities in block order; the block itself comes last. */
export type BlockActivities = readonly TouchedSubjects[];

/** A transaction that was seen or dropped. */
export interface StreamedTransaction {
  readonly id: Id;
  readonly origin: TransactionOrigin;
  /** The addresses whose history the transaction will belong to, as far as known. */
  readonly addresses: Iterable<Destination>;
  /** The tokens that the transaction involves, as far as known. */
  readonly tokens: Iterable<Id>;
  /**
   * The base transaction as `renderTransaction` makes it: pools, delegations and orders are read from it. Outputs that name
   * none of these may be missing. Called only while somebody asks for those; an input that is not resolved may have `utxo` null.
   */
  readonly text: () => string;
}

/** `sequence`: that of the pending set after the event. */
export type MempoolStreamEvent =
  /** A transaction was seen, once for each stay in the mempool. */
  | { readonly type: 'seen'; readonly transaction: StreamedTransaction; readonly sequence: number }
  /** A transaction left the mempool without a block. `transaction`: null if it is not remembered. */
  | {
      readonly type: 'dropped';
      readonly id: Id;
      readonly transaction: StreamedTransaction | null;
      readonly sequence: number;
    }
  /** Some events were missed: the node was unreachable, or its list was incomplete. */
  | { readonly type: 'lost' };

export interface MempoolStreamEvents {
  /** Calls `listener`, which never throws, with each event. Returns the function that stops this. */
  listen(listener: (event: MempoolStreamEvent) => void): () => void;
}

export type StreamEvent =
  /** `activities`: null if no client has subjects. */
  | {
      readonly type: 'block';
      readonly block: ChainStepBlock;
      readonly parent: ChainPosition;
      readonly activities: BlockActivities | null;
    }
  | { readonly type: 'reorganisation'; readonly reorganisation: ChainStepReorganisation }
  | { readonly type: 'seen'; readonly id: Id; readonly origin: TransactionOrigin; readonly sequence: number }
  /** The subjects of a transaction that was just seen. */
  | { readonly type: 'activity'; readonly activity: TouchedSubjects }
  /** `subjects`: null if they are unknown. */
  | {
      readonly type: 'dropped';
      readonly id: Id;
      readonly subjects: ReadonlySet<SubjectKey> | null;
      readonly sequence: number;
    }
  | { readonly type: 'lost' }
  /** The state of the node, as pages show it, has changed. */
  | { readonly type: 'status'; readonly conditions: readonly string[] };

/** Returns the transaction that an event of the mempool is about; null for any other event. */
export function mempoolTransactionOf(event: StreamEvent): Id | null {
  switch (event.type) {
    case 'seen':
    case 'dropped':
      return event.id;
    case 'activity':
      return event.activity.txId;
    default:
      return null;
  }
}

/** An activity for a client: the transaction, and those of the client's subjects that it touches. */
interface Match {
  readonly txId: Id | null;
  readonly subjects: readonly string[];
}

/** Approximate sizes: of any event, of a transaction's activity in it, and of each subject of the transaction. */
const USUAL_BYTES = 300;
const ACTIVITY_BYTES = 200;
const SUBJECT_BYTES = 120;

export class EncodedEvent {
  readonly event: StreamEvent;
  /** The approximate size of the event in memory, and of a client's frames. */
  readonly bytes: number;
  readonly #frames: EventFrames;
  #shared: Buffer | undefined;

  constructor(event: StreamEvent, frames: EventFrames) {
    this.event = event;
    this.#frames = frames;
    this.bytes = USUAL_BYTES + contentBytes(event);
  }

  /** The block that a client has reached with this event; null for an event that is not about the chain. */
  get position(): ChainPosition | null {
    const { event } = this;
    switch (event.type) {
      case 'block':
        return event.block;
      case 'reorganisation':
        return event.reorganisation.ancestor;
      default:
        return null;
    }
  }

  /** Returns the frames for a client; null if its filter excludes the event. */
  bytesFor({ types, subjects, takesAllDropped }: EventFilter): Buffer | null {
    const { event } = this;
    const frames = this.#frames;
    switch (event.type) {
      case 'seen':
        return types.has('tx_seen') ? this.#once(() => frames.seen(event)) : null;
      case 'reorganisation':
        return types.has('reorg') ? this.#once(() => frames.reorganisation(event.reorganisation)) : null;
      case 'lost':
        return types.has('lag') ? this.#once(() => frames.lost()) : null;
      case 'status':
        return types.has('status') ? this.#once(() => frames.status(event.conditions)) : null;
      case 'dropped': {
        const isTold = takesAllDropped || common(subjects, event.subjects ?? new Set()) !== undefined;
        return isTold && types.has('tx_dropped') ? this.#once(() => frames.dropped(event)) : null;
      }
      case 'activity': {
        const [match] = matchesOf(subjects, [event.activity]);
        return match === undefined ? null : Buffer.from(frames.activity(match.txId, null, match.subjects));
      }
      case 'block': {
        const { block, parent } = event;
        const matches = matchesOf(subjects, event.activities ?? []);
        const hasBlock = types.has('block');
        if (matches.length === 0) return hasBlock ? this.#once(() => frames.block(block, block)) : null;
        // A client that is disconnected between two frames of a block gets all of them again.
        const activities = matches.map((match, i) =>
          frames.activity(match.txId, block, match.subjects, i === matches.length - 1 ? block : parent),
        );
        return Buffer.from((hasBlock ? frames.block(block, parent) : '') + activities.join(''));
      }
    }
  }

  /** Encodes a frame once for all clients that get it. */
  #once(text: () => string): Buffer {
    this.#shared ??= Buffer.from(text());
    return this.#shared;
  }
}

function contentBytes(event: StreamEvent): number {
  switch (event.type) {
    case 'block':
      return event.block.txIds.length + sizeOf(event.activities ?? []);
    case 'activity':
      return sizeOf([event.activity]);
    case 'dropped':
      return (event.subjects?.size ?? 0) * SUBJECT_BYTES;
    default:
      return 0;
  }
}

function sizeOf(activities: BlockActivities): number {
  return activities.reduce((sum, { subjects }) => sum + ACTIVITY_BYTES + subjects.size * SUBJECT_BYTES, 0);
}

function matchesOf(wanted: EventFilter['subjects'], activities: BlockActivities): Match[] {
  const found: Match[] = [];
  for (const { txId, subjects } of wanted === null ? [] : activities) {
    const texts = common(wanted, subjects);
    if (texts !== undefined) found.push({ txId, subjects: texts });
  }
  return found;
}

/** Returns the texts of the wanted subjects that are touched, in a fixed order; undefined if there are none. */
function common(wanted: EventFilter['subjects'], touched: ReadonlySet<SubjectKey>): string[] | undefined {
  if (wanted === null) return undefined;
  const [fewer, other] = wanted.size <= touched.size ? [wanted, touched] : [touched, wanted];
  let texts: string[] | undefined;
  for (const key of fewer.keys()) {
    if (!other.has(key)) continue;
    texts ??= [];
    texts.push(wanted.get(key)!);
  }
  return texts?.sort();
}
