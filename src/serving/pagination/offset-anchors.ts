/**
 * Deep pages by offset. The sort key of every hundredth entry of a list, an anchor, is read once per tip. A page then
 * begins at the last anchor before it, as a page by cursor does, and costs no more than the first page.
 */
import { ANCHOR_STEP, type ListAnchors, type TipAnchors } from '../../store/queries/lists/keyset.ts';
import { isSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { ListPage } from './paging.ts';

/** How often a deep page is tried while the tip changes; then it is read from the start of the list, too. */
const MAX_TRIES = 2;
const MAX_LISTS = 64;

export class OffsetAnchors {
  readonly #store: QueryRunner;
  /** The anchors, by the name of the list. */
  readonly #lists = new Map<string, Promise<TipAnchors>>();

  constructor(store: QueryRunner) {
    this.#store = store;
  }

  /** Called when the tip changes. */
  clear(): void {
    this.#lists.clear();
  }

  /**
   * Reads a page: a deep one from the anchor before it, any other from the start of the list. `read` gets the selection with
   * the page to read. Throws what `read` throws, and a StoreError.
   */
  async readPage<
    After,
    Whole extends null,
    Selection extends { readonly page: ListPage<After, Whole> },
    Data extends { readonly tip: SnapshotTip },
  >(
    anchors: ListAnchors<Selection, After>,
    selection: Selection,
    read: (selection: Selection) => Promise<Data>,
  ): Promise<Data> {
    const { page } = selection;
    const isDeep = page.after === null && page.skip >= ANCHOR_STEP;
    for (let i = 0; isDeep && i < MAX_TRIES; i++) {
      const { tip, keys } = await (this.#lists.get(page.list) ?? this.#read(page.list, anchors, selection));
      const passed = Math.min(Math.floor(page.skip / ANCHOR_STEP), keys.length);
      const after = passed === 0 ? null : anchors.parse(keys[passed - 1]!);
      const data = await read({ ...selection, page: { ...page, after, skip: page.skip - passed * ANCHOR_STEP } });
      // Rows of another tip do not fit the anchors.
      if (isSameTip(data.tip, tip)) return data;
      this.#lists.delete(page.list);
    }
    return read(selection);
  }

  #read<Selection>(list: string, anchors: ListAnchors<Selection, unknown>, selection: Selection): Promise<TipAnchors> {
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
