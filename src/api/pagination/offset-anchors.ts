/**
 * Deep pages by offset. The sort key of every hundredth entry of a list, an anchor, is read once per tip. A page then
 * begins at the last anchor before it, as a page by cursor does, and costs no more than the first page.
 */
import { ANCHOR_STEP, type Anchors, type ListAnchors } from '../../store/queries/keyset.ts';
import type { SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import type { ListPage } from './paging.ts';

/** A page that begins after an anchor. */
interface AnchoredPage<After, Whole extends null> {
  readonly page: ListPage<After, Whole>;
  /** The tip of the anchors; they do not fit rows of another tip. */
  readonly tip: SnapshotTip;
}

const MAX_LISTS = 64;

export class OffsetAnchors {
  readonly #store: UnbatchedQueryRunner;
  /** The anchors, by the name of the list. */
  readonly #lists = new Map<string, Promise<Anchors>>();

  constructor(store: UnbatchedQueryRunner) {
    this.#store = store;
  }

  /** Called when the tip changes. */
  clear(): void {
    this.#lists.clear();
  }

  /** Is the page so deep that reading the anchors is worth it? */
  isWorthwhile({ after, skip }: ListPage<unknown, null>): boolean {
    return after === null && skip >= ANCHOR_STEP;
  }

  /** Returns the page as one that begins after an anchor. Throws a StoreError. */
  async resolve<Selection, After, Whole extends null>(
    anchors: ListAnchors<Selection, After>,
    selection: Selection,
    page: ListPage<After, Whole>,
  ): Promise<AnchoredPage<After, Whole>> {
    const { tip, keys } = await (this.#lists.get(page.list) ?? this.#read(page.list, anchors, selection));
    const passed = Math.min(Math.floor(page.skip / ANCHOR_STEP), keys.length);
    const after = passed === 0 ? null : anchors.parse(keys[passed - 1]!);
    return { page: { ...page, after, skip: page.skip - passed * ANCHOR_STEP }, tip };
  }

  /** Drops the anchors of a list after its tip has changed. */
  forget({ list }: ListPage<unknown, null>): void {
    this.#lists.delete(list);
  }

  #read<Selection>(list: string, anchors: ListAnchors<Selection, unknown>, selection: Selection): Promise<Anchors> {
    const reading = anchors.read(this.#store, selection);
    this.#lists.set(list, reading);
    reading.catch(() => {
      if (this.#lists.get(list) === reading) this.#lists.delete(list);
    });
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= MAX_LISTS) break;
      this.#lists.delete(oldest);
    }
    return reading;
  }
}
