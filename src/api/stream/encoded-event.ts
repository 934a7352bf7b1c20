/** An event with the bytes that clients get, made once for all clients that get the same. */
import type { Id } from '../../chain/types.ts';
import type { Activities, TouchedSubjects } from './activities.ts';
import type { ChainPosition } from './chain-position.ts';
import type { ChainBlock, Reorganisation } from './chain-steps.ts';
import type { EventFilter } from './event-filter.ts';
import { type EventFrames, positionFrame } from './event-frames.ts';
import type { Origin } from './mempool-source.ts';
import type { SubjectKey } from './subjects.ts';

export type StreamEvent =
  /** `activities`: null while no client has subjects. */
  | {
      readonly type: 'block';
      readonly block: ChainBlock;
      readonly parent: ChainPosition;
      readonly activities: Activities | null;
    }
  | { readonly type: 'reorganisation'; readonly reorganisation: Reorganisation }
  | { readonly type: 'seen'; readonly id: Id; readonly origin: Origin }
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

const NOTHING: readonly Match[] = [];
/** Maximum number of prepared variants of an entry; further ones are made when they are sent. */
const MOST_MADE = 256;
/** Approximate size of a frame of any event but a block. */
const USUAL_BYTES = 300;

export class EncodedEvent {
  readonly event: StreamEvent;
  readonly #frames: EventFrames;
  readonly #made = new Map<string, Buffer | null>();
  #bytes: number;

  constructor(event: StreamEvent, frames: EventFrames) {
    this.event = event;
    this.#frames = frames;
    this.#bytes = USUAL_BYTES + (event.type === 'block' ? event.block.txIds.length : 0);
  }

  /** Approximate size of the largest frame that a client gets of it. */
  get bytes(): number {
    return this.#bytes;
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
  bytesFor(filter: EventFilter): Buffer | null {
    const matches = this.#matches(filter);
    const key = matches.length === 0 ? filter.key : `${filter.key} ${JSON.stringify(matches)}`;
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    const text = this.#text(filter, matches);
    const bytes = text === '' ? null : Buffer.from(text);
    if (matches.length === 0 || this.#made.size < MOST_MADE) this.#made.set(key, bytes);
    this.#bytes = Math.max(this.#bytes, bytes?.length ?? 0);
    return bytes;
  }

  #matches({ subjects }: EventFilter): readonly Match[] {
    const { event } = this;
    if (subjects === null) return NOTHING;
    switch (event.type) {
      case 'block':
        return matchesOf(subjects, event.activities ?? []);
      case 'activity':
        return matchesOf(subjects, [event.activity]);
      case 'dropped':
        return matchesOf(subjects, [{ txId: event.id, subjects: event.subjects ?? new Set() }]);
      default:
        return NOTHING;
    }
  }

  #text({ types, takesAllDropped }: EventFilter, matches: readonly Match[]): string {
    const { event } = this;
    const frames = this.#frames;
    switch (event.type) {
      case 'seen':
        return types.has('tx_seen') ? frames.seen(event.id, event.origin) : '';
      case 'activity':
        return matches.map(({ txId, subjects }) => frames.activity(txId, null, subjects)).join('');
      case 'dropped': {
        const isSent = types.has('tx_dropped') && (takesAllDropped || matches.length > 0);
        return isSent ? frames.dropped(event.id) : '';
      }
      case 'lost':
        return types.has('lag') ? frames.lost() : '';
      case 'reorganisation': {
        if (!types.has('reorg')) return '';
        const { reorganisation } = event;
        const followed = types.has('block') || types.has('activity');
        // A client that is disconnected here has the new tip's id, but not its blocks: the ancestor's id follows.
        return frames.reorganisation(reorganisation) + (followed ? positionFrame(reorganisation.ancestor) : '');
      }
      case 'block': {
        const { block, parent } = event;
        const texts = [
          ...(types.has('block') ? [frames.block(block)] : []),
          ...matches.map(({ txId, subjects }) => frames.activity(txId, block, subjects)),
        ];
        // A client that is disconnected between two frames of a block gets all of them again.
        return texts.join(positionFrame(parent));
      }
    }
  }
}

function matchesOf(wanted: ReadonlyMap<SubjectKey, string>, activities: Activities): readonly Match[] {
  let found: Match[] | undefined;
  for (const { txId, subjects } of activities) {
    const texts = common(wanted, subjects);
    if (texts === undefined) continue;
    found ??= [];
    found.push({ txId, subjects: texts });
  }
  return found ?? NOTHING;
}

/** The texts of the wanted subjects among these, in a fixed order. */
function common(wanted: ReadonlyMap<SubjectKey, string>, touched: ReadonlySet<SubjectKey>): string[] | undefined {
  let texts: string[] | undefined;
  const add = (text: string): void => {
    texts ??= [];
    texts.push(text);
  };
  if (wanted.size <= touched.size) {
    for (const [key, text] of wanted) if (touched.has(key)) add(text);
  } else {
    for (const key of touched) {
      const text = wanted.get(key);
      if (text !== undefined) add(text);
    }
  }
  return texts?.sort();
}
