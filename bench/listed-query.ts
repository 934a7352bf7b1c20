/** Queries with parameters, as the routes run them: those for one thing, and the pages of lists. */
import type pg from 'pg';
import { argumentTexts } from '../src/store/postgres/column-values.ts';
import type { List } from '../src/store/queries/lists/define-list.ts';
import { ANCHOR_STEP } from '../src/store/queries/lists/keyset.ts';
import type { Query, QueryRunner, SqlValue } from '../src/store/read/query.ts';

// biome-ignore lint/suspicious/noExplicitAny: queries of all kinds
type AnyQuery = Query<any, any>;

export interface ListedQuery {
  readonly query: AnyQuery;
  readonly place: 'one thing' | 'first page' | 'deep, by cursor' | 'deep, by offset' | 'offset anchors';
  readonly parameters: readonly SqlValue[];
  /** Are the entries between an anchor and the page read from the table, because the index has not all of its condition? */
  readonly fetchesSkipped?: boolean;
}

/** A page of ten, and one entry more to know whether there is a next page. */
export const PAGE_ROWS = 11;
/** The most entries between an anchor and the beginning of a page by offset. */
export const MAX_SKIP = ANCHOR_STEP - 1;
/** The entries that are read at a time on the way to a deep page. */
const STRIDE = 10_000;

type Run = (store: QueryRunner) => Promise<unknown>;

/** Runs a named query against a store that only notes what it would run. */
export function note(place: ListedQuery['place'], run: Run): ListedQuery {
  let noted: ListedQuery | undefined;
  const take = (query: AnyQuery, ...parameters: readonly SqlValue[]) => {
    noted = { query, place, parameters };
    return new Promise<never>(() => {});
  };
  void run({ query: take, queryLong: take });
  return noted!;
}

export const single = (run: Run) => note('one thing', run);
export const firstPage = (run: Run) => note('first page', run);

/**
 * Returns the statements of a list: its first page, a page after a key and, if it has deep offsets, an anchored page
 * with its anchors.
 */
export function pages<Selection, Key extends object>(
  { read, anchors }: Pick<List<Selection, Key, unknown>, 'read' | 'anchors'>,
  selection: Selection,
  deep: Key,
  { fetchesSkipped = false } = {},
): ListedQuery[] {
  const limit = PAGE_ROWS;
  const listed = [
    firstPage((store) => read(store, { ...selection, after: null, limit })),
    note('deep, by cursor', (store) => read(store, { ...selection, after: deep, limit })),
  ];
  if (anchors !== undefined) {
    const skipping = note('deep, by offset', (store) =>
      read(store, { ...selection, after: deep, skip: MAX_SKIP, limit }),
    );
    listed.push(
      { ...skipping, fetchesSkipped },
      note('offset anchors', (store) => anchors.read(store, selection)),
    );
  }
  return listed;
}

/** Finds what to ask a database for. */
export type Finder = ReturnType<typeof finderIn>;

/** `depth`: entries before a deep page. */
export function finderIn(client: pg.Client, depth: number) {
  const query: QueryRunner['query'] = async (query, ...parameters) => {
    const { rows } = await client.query(query.sql, argumentTexts(query, parameters));
    return { tip: { height: 0, id: '', revision: 0 }, rows };
  };
  const store: QueryRunner = { query, queryLong: query };
  const one = async (sql: string): Promise<string> => (await client.query<{ id: string }>(sql)).rows[0]!.id;

  /** Returns the sort key of the entry before the deep page. */
  async function deepKey<Selection, Key extends object, Row, Entry extends Row>(
    list: List<Selection, Key, Row, Entry>,
    selection: Selection,
  ): Promise<Key> {
    let after: Key | null = null;
    for (let left = depth + 1; left > 0; ) {
      const { rows }: { rows: Row[] } = await list.read(store, {
        ...selection,
        after,
        limit: Math.min(left, STRIDE),
      });
      const entries = rows.filter((row) => list.isEntry(row));
      if (entries.length === 0) {
        throw new Error(`the database is too small: ${list.name(selection)} has no entry ${depth}`);
      }
      after = list.sortKey(entries.at(-1)!);
      left -= entries.length;
    }
    return after!;
  }

  return {
    one,
    deepKey,
    /** The id with most rows. */
    busiest: (table: string, column: string, where = 'true') =>
      one(`select ${column} as id from ${table} where ${where} group by 1 order by count(*) desc, 1 limit 1`),
    /** The {@link pages} of a list that has an entry at the depth. */
    async deepPages<Selection, Key extends object, Row, Entry extends Row>(
      list: List<Selection, Key, Row, Entry>,
      selection: Selection,
      options?: { readonly fetchesSkipped: boolean },
    ): Promise<ListedQuery[]> {
      return pages(
        list as unknown as List<Selection, Key, unknown>,
        selection,
        await deepKey(list, selection),
        options,
      );
    },
  };
}
