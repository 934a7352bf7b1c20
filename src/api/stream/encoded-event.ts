/**
 * What happens on the chain and in the mempool, with the bytes that clients get, made once for all that get the same.
 */
import type { Destination, Id } from '../../chain/types.ts';
import type { TransactionOrigin } from '../../mempool/transaction.ts';
import type { ChainBlock, ChainPosition, StreamReorganisation } from './chain-steps.ts';
import type { EventFilter, SubjectKey } from './event-filter.ts';
import type { EventFrames } from './event-frames.ts';
import type { Activities, TouchedSubjects } from './touched-subjects.ts';

export interface SeenTransaction {
  readonly id: Id;
  readonly origin: TransactionOrigin;
  /** Whose history it will belong to, as far as is known. */
  readonly addresses: Iterable<Destination>;
  /** The tokens that it has to do with, as far as is known. */
  readonly tokens: Iterable<Id>;
  /**
   * The base transaction as `renderTransaction` makes it: pools, delegations and orders are read from it. Outputs that name
   * none of these may be missing. Called only while somebody asks for those; an input that is not resolved may have `utxo` null.
   */
  readonly text: () => string;
}

export type MempoolStreamEvent =
  /** Once for each stay in the mempool. */
  | { readonly type: 'seen'; readonly transaction: SeenTransaction }
  /** Left without a block. */
  | { readonly type: 'dropped'; readonly id: Id }
  /** Some were missed: the node was unreachable, or its list was incomplete. */
  | { readonly type: 'lost' };

export interface MempoolStreamEvents {
  /** Calls `listener`, which never throws, with each event until the function that it gives is called. */
  listen(listener: (event: MempoolStreamEvent) => void): () => void;
}

export type StreamEvent =
  /** `activities`: null while no client has subjects. */
  | {
      readonly type: 'block';
      readonly block: ChainBlock;
      readonly parent: ChainPosition;
      readonly activities: Activities | null;
    }
  | { readonly type: 'reorganisation'; readonly reorganisation: StreamReorganisation }
  | { readonly type: 'seen'; readonly id: Id; readonly origin: TransactionOrigin }
  /** The subjects of a transaction that was just seen. */
  | { readonly type: 'activity'; readonly activity: TouchedSubjects }
  /** `subjects`: those of its activity event; null when they are not known. */
  | { readonly type: 'dropped'; readonly id: Id; readonly subjects: ReadonlySet<SubjectKey> | null }
  | { readonly type: 'lost' };

/** An activity for a client: the transaction, and which of its subjects it touches. */
interface Match {
  readonly txId: Id | null;
  readonly subjects: readonly string[];
}

/** Approximate sizes: of any event but a block, of a transaction's activity, and of each subject of one. */
const USUAL_BYTES = 300;
const ACTIVITY_BYTES = 200;
const SUBJECT_BYTES = 120;

export class EncodedEvent {
  readonly event: StreamEvent;
  /** Approximate size of what it holds, and of what one client gets of it. */
  readonly bytes: number;
  readonly #frames: EventFrames;
  #shared: Buffer | undefined;

  constructor(event: StreamEvent, frames: EventFrames) {
    this.event = event;
    this.#frames = frames;
    this.bytes = USUAL_BYTES + (event.type === 'block' ? event.block.txIds.length + sizeOf(event.activities ?? []) : 0);
  }

  /** The block that a client has reached with this event; null for events that are not about the chain. */
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

  /** The frames for a client; null when its filter excludes the event. */
  bytesFor({ types, subjects, takesAllDropped }: EventFilter): Buffer | null {
    const { event } = this;
    const frames = this.#frames;
    switch (event.type) {
      case 'seen':
        return types.has('tx_seen') ? this.#once(() => frames.seen(event.id, event.origin)) : null;
      case 'reorganisation':
        return types.has('reorg') ? this.#once(() => frames.reorganisation(event.reorganisation)) : null;
      case 'lost':
        return types.has('lag') ? this.#once(() => frames.lost()) : null;
      case 'dropped': {
        const isTold = takesAllDropped || common(subjects, event.subjects ?? new Set()) !== undefined;
        return isTold && types.has('tx_dropped') ? this.#once(() => frames.dropped(event.id)) : null;
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

  /** Made once for all clients: the event has this frame or none. */
  #once(text: () => string): Buffer {
    this.#shared ??= Buffer.from(text());
    return this.#shared;
  }
}

function sizeOf(activities: Activities): number {
  return activities.reduce((sum, { subjects }) => sum + ACTIVITY_BYTES + subjects.size * SUBJECT_BYTES, 0);
}

function matchesOf(wanted: EventFilter['subjects'], activities: Activities): Match[] {
  const found: Match[] = [];
  for (const { txId, subjects } of wanted === null ? [] : activities) {
    const texts = common(wanted, subjects);
    if (texts !== undefined) found.push({ txId, subjects: texts });
  }
  return found;
}

/** The texts of the wanted subjects among these, in a fixed order; undefined: none. */
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
