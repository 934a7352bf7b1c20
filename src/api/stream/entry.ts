/** An event with the bytes that clients get, made once for all clients that get the same. */
import type { Id } from '../../chain/types.ts';
import type { ChainBlock, Reorganisation } from './chain-walk.ts';
import type { Filter } from './filter.ts';
import { type Frames, markFrame } from './frames.ts';
import type { Origin } from './pending.ts';
import type { ChainPoint } from './point.ts';
import type { SubjectKey } from './subject.ts';
import type { BlockTouches, Touch } from './touches.ts';

export type Happening =
  /** `touches`: null while nobody asks for subjects. */
  | {
      readonly type: 'block';
      readonly block: ChainBlock;
      readonly parent: ChainPoint;
      readonly touches: BlockTouches | null;
    }
  | { readonly type: 'reorganisation'; readonly reorganisation: Reorganisation }
  | { readonly type: 'seen'; readonly id: Id; readonly origin: Origin }
  /** What a transaction touches that was just seen. */
  | { readonly type: 'touched'; readonly touch: Touch }
  /** `subjects`: those that it was said to touch; null when nothing is known of that. */
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
/** The frame of anything but a block, about. */
const USUAL_BYTES = 300;

export class Entry {
  readonly happening: Happening;
  readonly #frames: Frames;
  readonly #made = new Map<string, Buffer | null>();
  #bytes: number;

  constructor(happening: Happening, frames: Frames) {
    this.happening = happening;
    this.#frames = frames;
    this.#bytes = USUAL_BYTES + (happening.type === 'block' ? happening.block.txIds.length : 0);
  }

  /** What a client has to be sent of it at most, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The block that a client has reached with this entry; null for entries that are not about the chain. */
  get point(): ChainPoint | null {
    const { happening } = this;
    switch (happening.type) {
      case 'block':
        return happening.block;
      case 'reorganisation':
        return happening.reorganisation.ancestor;
      default:
        return null;
    }
  }

  /** Null for a client that does not get it. */
  bytesFor(filter: Filter): Buffer | null {
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

  #matches({ subjects }: Filter): readonly Match[] {
    const { happening } = this;
    if (subjects === null) return NOTHING;
    switch (happening.type) {
      case 'block':
        return matchesOf(subjects, happening.touches ?? []);
      case 'touched':
        return matchesOf(subjects, [happening.touch]);
      case 'dropped':
        return matchesOf(subjects, [{ txId: happening.id, subjects: happening.subjects ?? new Set() }]);
      default:
        return NOTHING;
    }
  }

  #text({ types, takesAllDropped }: Filter, matches: readonly Match[]): string {
    const { happening } = this;
    const frames = this.#frames;
    switch (happening.type) {
      case 'seen':
        return types.has('tx_seen') ? frames.seen(happening.id, happening.origin) : '';
      case 'touched':
        return matches.map(({ txId, subjects }) => frames.activity(txId, null, subjects)).join('');
      case 'dropped': {
        const isTold = types.has('tx_dropped') && (takesAllDropped || matches.length > 0);
        return isTold ? frames.dropped(happening.id) : '';
      }
      case 'lost':
        return types.has('lag') ? frames.lost() : '';
      case 'reorganisation': {
        if (!types.has('reorg')) return '';
        const { reorganisation } = happening;
        const followed = types.has('block') || types.has('activity');
        // Who is cut off now has the new tip's id and not its blocks.
        return frames.reorganisation(reorganisation) + (followed ? markFrame(reorganisation.ancestor) : '');
      }
      case 'block': {
        const { block, parent } = happening;
        const told = [
          ...(types.has('block') ? [frames.block(block)] : []),
          ...matches.map(({ txId, subjects }) => frames.activity(txId, block, subjects)),
        ];
        // Who is cut off between two frames of a block gets all of them again.
        return told.join(markFrame(parent));
      }
    }
  }
}

function matchesOf(wanted: ReadonlyMap<SubjectKey, string>, touches: BlockTouches): readonly Match[] {
  let found: Match[] | undefined;
  for (const { txId, subjects } of touches) {
    const texts = common(wanted, subjects);
    if (texts === undefined) continue;
    found ??= [];
    found.push({ txId, subjects: texts });
  }
  return found ?? NOTHING;
}

/** The texts of the wanted subjects that are touched, in a fixed order. */
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
