/** Lists that are served whole. A short one is read as other short results are; a long one where it delays none of them. */
import type { List } from '../../store/queries/lists/define-list.ts';
import { longQueries, type QueryRunner, type SnapshotRows } from '../../store/read/query.ts';
import { badRequest } from '../errors/api-error.ts';
import { type ListPage, rowRange } from './paging.ts';

/** The default maximum length of a short list. */
export const MAX_SHORT_LIST_LENGTH = 400;
const MAX_REMEMBERED = 10_000;

/** A query for the first entries of a list, or for all of it if `limit` is null. */
type LimitedQuery<Params, Limit extends number | null, Data> = (
  store: QueryRunner,
  params: Params & { readonly limit: number | Limit },
) => Promise<Data>;

/** The bounds of a list. `Limit`: null if any length is allowed. */
export interface WholeListBounds<Data, Limit extends number | null> {
  /** The maximum length of a short list. */
  readonly shortLimit: number;
  /** The maximum number of entries to read of a longer list. */
  readonly longLimit: Limit;
  readonly lengthOf: (data: Data) => number;
  /** The message of the error 400 for a list with `longLimit` entries or more; if missing, such a list is cut off. */
  readonly tooLong?: string;
}

/** The bounds of a list that may have any length, with an entry in each row. */
export const ANY_LENGTH: WholeListBounds<SnapshotRows<unknown>, null> = {
  shortLimit: MAX_SHORT_LIST_LENGTH,
  longLimit: null,
  lengthOf: ({ rows }) => rows.length,
};

/** Thrown if a list is long where only short ones are read. */
export class NotAShortList extends Error {
  override readonly name = 'NotAShortList';
}

export class WholeListReader {
  /** Lists of this tip that are too long to be read whole. A second attempt would cost as much as the first. */
  readonly #tooLong = new Set<string>();

  /** Called when the tip changes. */
  clear(): void {
    this.#tooLong.clear();
  }

  /** Reads the rows of a page, or of a list of any length. Throws the store's errors. */
  readPage<Selection extends object, Key extends object, Row, Whole extends null>(
    store: QueryRunner,
    { read }: Pick<List<Selection, Key, Row, Row, Whole>, 'read'>,
    selection: Selection,
    page: ListPage<Key, Whole>,
  ): Promise<SnapshotRows<Row>> {
    const { after, skip, limit } = page;
    if (typeof limit === 'number') return read(store, { ...selection, ...rowRange(page) });
    return this.read(store, page.list, { ...ANY_LENGTH, longLimit: limit }, read, { ...selection, after, skip });
  }

  /**
   * Reads the whole list with this name. Throws the error 400 for a list that is too long, and the store's errors.
   */
  async read<Params extends object, Limit extends number | null, Data>(
    store: QueryRunner,
    name: string,
    { shortLimit, longLimit, lengthOf, tooLong }: WholeListBounds<Data, Limit>,
    query: LimitedQuery<Params, Limit, Data>,
    params: Params,
  ): Promise<Data> {
    if (tooLong !== undefined && this.#tooLong.has(name)) throw badRequest(tooLong);
    const short = await query(store, { ...params, limit: shortLimit + 1 });
    if (lengthOf(short) <= shortLimit) return short;
    const whole = await query(longQueries(store), { ...params, limit: longLimit });
    if (tooLong !== undefined && longLimit !== null && lengthOf(whole) >= longLimit) {
      if (this.#tooLong.size >= MAX_REMEMBERED) this.#tooLong.clear();
      this.#tooLong.add(name);
      throw badRequest(tooLong);
    }
    return whole;
  }
}
