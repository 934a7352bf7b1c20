/** Deep pages by offset: read from a milestone of the list, so that they cost no more than its first page. */
import { ANCHOR_STEP, type AnchorQuery } from '../../store/queries/offset-anchors.ts';
import type { Parameter, SnapshotTip } from '../../store/read/batched-query.ts';
import type { QueryBatcher } from '../../store/read/query-batcher.ts';
import type { RouteResult } from '../route/context.ts';
import type { ListPage } from './page.ts';

interface Keys {
  readonly tip: SnapshotTip;
  readonly keys: readonly string[];
}

/** Lists that are remembered at a time. */
const MOST_LISTS = 64;
/** Milestones of a tip that is gone are made anew, so often; after that the page is read from the start of the list. */
const ATTEMPTS = 2;

export class OffsetAnchors {
  readonly #reader: QueryBatcher;
  readonly #lists = new Map<string, Promise<Keys>>();

  constructor(store: QueryBatcher) {
    this.#reader = store;
  }

  /** Called when the tip changes. */
  clear(): void {
    this.#lists.clear();
  }

  /**
   * What `answer` gives for a page. It is handed the same page as one that begins after an entry near by, as if a cursor
   * had been given, where that saves a walk along the list. `question` is that for the list's milestones.
   */
  async read<P extends readonly Parameter[]>(
    question: AnchorQuery<P>,
    parameters: P,
    page: ListPage,
    answer: (page: ListPage) => Promise<RouteResult>,
  ): Promise<RouteResult> {
    if (page.after !== null || page.skipped < ANCHOR_STEP) return answer(page);
    const list = `${question.name} ${parameters.join(' ')}`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { tip, keys } = await this.#keys(list, question, parameters);
      const passed = Math.min(Math.floor(page.skipped / ANCHOR_STEP), keys.length);
      const after = keys[passed - 1]?.split('.') ?? null;
      const reply = await answer({ ...page, after, skipped: page.skipped - passed * ANCHOR_STEP });
      // Both have to be of one state of the chain: an entry less before the milestone would shift the page.
      if (reply.tip?.revision === tip.revision && reply.tip.id === tip.id) return reply;
      this.#lists.delete(list);
    }
    return answer(page);
  }

  #keys<P extends readonly Parameter[]>(list: string, question: AnchorQuery<P>, parameters: P): Promise<Keys> {
    const known = this.#lists.get(list);
    if (known) return known;
    const made = this.#make(question, parameters);
    this.#lists.set(list, made);
    made.catch(() => this.#forget(list, made));
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= MOST_LISTS) break;
      this.#lists.delete(oldest);
    }
    return made;
  }

  async #make<P extends readonly Parameter[]>(question: AnchorQuery<P>, parameters: P): Promise<Keys> {
    const { tip, rows } = await this.#reader.queryUnbatched(question, ...parameters);
    const keys = rows[0]?.keys ?? '';
    return { tip, keys: keys === '' ? [] : keys.split(' ') };
  }

  #forget(list: string, made: Promise<Keys>): void {
    if (this.#lists.get(list) === made) this.#lists.delete(list);
  }
}
