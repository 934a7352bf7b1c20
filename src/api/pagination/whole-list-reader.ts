/**
 * Lists that are served whole. A list that was short at its last read is read in one statement with those of other
 * requests. A long one gets its own statement, so that the short ones do not wait for it.
 */
import type { List } from '../../store/queries/define-list.ts';
import type { SnapshotRows, UnbatchedOption, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { badRequest } from '../errors/api-error.ts';
import { type ListPage, rowRange } from './paging.ts';

/** The default maximum length of a list that is read together with others. */
export const MAX_SHORT_LIST_LENGTH = 400;
const MAX_REMEMBERED = 10_000;

/** A query for the first entries of a list, or for all of it if `limit` is null. */
export type LimitedQuery<Params, Limit extends number | null, Data> = (
  store: UnbatchedQueryRunner,
  params: Params & { readonly limit: number | Limit } & UnbatchedOption,
) => Promise<Data>;

/** The bounds of a list. `Limit`: null if any length is allowed. */
export interface WholeListBounds<Data, Limit extends number | null> {
  /** The maximum length that is read together with others. */
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
  /** Lists that were long at their last read. */
  readonly #long = new Set<string>();
  /** Lists of this tip that are too long to be read whole. A second attempt would cost as much as the first. */
  readonly #tooLong = new Set<string>();

  /** Called when the tip changes. */
  clear(): void {
    this.#tooLong.clear();
  }

  /** Reads the rows of a page, or of a list of any length. Throws the store's errors. */
  readPage<Selection extends object, Key extends object, Row, Whole extends null>(
    store: UnbatchedQueryRunner,
    { read }: Pick<List<Selection, Key, Row, Row, Whole>, 'read'>,
    selection: Selection,
    page: ListPage<Key, Whole>,
  ): Promise<SnapshotRows<Row>> {
    const { after, skip, limit } = page;
    if (typeof limit === 'number') return read(store, { ...selection, ...rowRange(page) });
    return this.read(store, page.list, { ...ANY_LENGTH, longLimit: limit }, read, { ...selection, after, skip });
  }

  /**
   * Reads the whole list with this name, together with others or alone, by its length. Throws the error 400 for a list
   * that is too long, and the store's errors.
   */
  async read<Params extends object, Limit extends number | null, Data>(
    store: UnbatchedQueryRunner,
    name: string,
    { shortLimit, longLimit, lengthOf, tooLong }: WholeListBounds<Data, Limit>,
    query: LimitedQuery<Params, Limit, Data>,
    params: Params,
  ): Promise<Data> {
    if (tooLong !== undefined && this.#tooLong.has(name)) throw badRequest(tooLong);
    if (!this.#long.has(name)) {
      const short = await query(store, { ...params, limit: shortLimit + 1 });
      if (lengthOf(short) <= shortLimit) return short;
      remember(this.#long, name);
    }
    const whole = await query(store, { ...params, limit: longLimit, unbatched: true });
    const length = lengthOf(whole);
    if (length <= shortLimit) this.#long.delete(name);
    if (tooLong !== undefined && longLimit !== null && length >= longLimit) {
      remember(this.#tooLong, name);
      throw badRequest(tooLong);
    }
    return whole;
  }
}

function remember(names: Set<string>, name: string): void {
  if (names.size >= MAX_REMEMBERED) names.clear();
  names.add(name);
}
