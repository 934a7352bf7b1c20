/** Lists that are given as a whole unless a page is asked for. */

import type { SnapshotRows } from '../../store/read/batched-query.ts';
import { currentClient, runAsClient } from '../../store/read/current-client.ts';
import type { QueryBatcher } from '../../store/read/query-batcher.ts';
import { badRequest } from '../route/api-error.ts';
import { type ListPage, rowLimit } from './page.ts';

/** Lists up to this length are read together with those of others; longer ones on their own. */
export const SHORT_LIST = 400;
/** So many long lists are remembered. */
const MOST_REMEMBERED = 10_000;

/** Asks for so many entries of a list in the way that it is given. */
type AskList<Row, Items> = (ask: QueryBatcher['query'], items: Items) => Promise<SnapshotRows<Row>>;

/** How to read a list as a whole. */
export interface UnpagedList<Row, Whole extends number | null> {
  /** Which list it is: what is remembered is that it was long. */
  readonly name: string;
  readonly most: { readonly short: number; readonly whole: Whole };
  readonly lengthOf: (rows: readonly Row[]) => number;
  /** Throws a {@link LongListError} instead of reading one alone. */
  readonly onlyShort?: boolean | undefined;
  /** What a client is told, with the error 400, who asks for a list of `most.whole` entries or more. */
  readonly tooLong?: string;
}

/** Says that a list is too long to be read together with those of others, where nothing else was asked for. */
export class LongListError extends Error {
  override readonly name = 'LongList';
}

export class UnpagedLists {
  readonly #reader: QueryBatcher;
  /** The lists that were long when they were last read: they are not tried with those of others first. */
  readonly #long = new Set<string>();
  /** Those of this tip that are too long to be given as a whole: to find that out again would cost as much each time. */
  readonly #tooLong = new Set<string>();

  constructor(store: QueryBatcher) {
    this.#reader = store;
  }

  /** Called when the tip changes. */
  clear(): void {
    this.#tooLong.clear();
  }

  /** The first entries of a list, together with the questions of others. */
  readTogether<Row, Items>(items: Items, list: AskList<Row, Items>): Promise<SnapshotRows<Row>> {
    return list((...question) => this.#reader.query(...question), items);
  }

  /**
   * All of a list when it is as long as `most.short` at most; otherwise, asked for alone, its first `most.whole` entries.
   * Throws the error 400 when it has as many, and `tooLong` says what to tell.
   */
  async readWhole<Row, Whole extends number | null>(
    { name, most, lengthOf, tooLong, onlyShort = false }: UnpagedList<Row, Whole>,
    list: AskList<Row, number | Whole>,
  ): Promise<SnapshotRows<Row>> {
    if (tooLong !== undefined && this.#tooLong.has(name)) throw badRequest(tooLong);
    const client = currentClient();
    if (!this.#long.has(name)) {
      const short = await this.readTogether(most.short + 1, list);
      if (lengthOf(short.rows) <= most.short) return short;
      remember(this.#long, name);
    }
    if (onlyShort) throw new LongListError(name);
    const whole = await runAsClient(client, () =>
      list((...question) => this.#reader.queryUnbatched(...question), most.whole),
    );
    const length = lengthOf(whole.rows);
    if (length <= most.short) this.#long.delete(name);
    if (tooLong !== undefined && most.whole !== null && length >= most.whole) {
      remember(this.#tooLong, name);
      throw badRequest(tooLong);
    }
    return whole;
  }

  /**
   * The rows of a page, or for null all of them. `list` asks for as many rows, null for all, in the way that it is given.
   */
  readList<Row>(
    {
      name,
      page,
      onlyShort,
    }: { readonly name: string; readonly page: ListPage | null; readonly onlyShort?: boolean | undefined },
    list: AskList<Row, number | null>,
  ): Promise<SnapshotRows<Row>> {
    if (page) return this.readTogether(rowLimit(page), list);
    const most = { short: SHORT_LIST, whole: null };
    return this.readWhole({ name, most, lengthOf: (rows) => rows.length, onlyShort }, list);
  }
}

function remember(names: Set<string>, name: string): void {
  if (names.size >= MOST_REMEMBERED) names.clear();
  names.add(name);
}
