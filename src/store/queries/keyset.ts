/**
 * Lists are read by keyset: a page begins after an entry that is named by its sort key, which an index finds at any depth.
 * A page by offset is turned into one by keyset with the offset anchors of its list: the sort keys of every hundredth entry.
 * It is read from the anchor before it, so that it costs the same at any depth. Reading the anchors walks along all of the
 * list once.
 */
import type { Columns } from '../postgres/column-types.ts';
import {
  type BatchedQuery,
  batchedQuery,
  type Parameter,
  type SnapshotRows,
  type SnapshotTip,
  type UnbatchedQueryRunner,
} from '../read/batched-query.ts';

/** Which entries of a list to read. `After` is the list's sort key. */
export interface KeysetPage<After> {
  /** The sort key of the entry before the page; null: the page begins with the first entry. */
  readonly after: After | null;
  /** The most rows to read. */
  readonly limit: number;
}

/** The same, with entries to leave out: every one of them is walked over. */
export interface OffsetPage<After> extends KeysetPage<After> {
  /** Entries to leave out after `after`; 0 unless given. */
  readonly skip?: number;
}

/**
 * The SQL of the place after which a page begins: `place` are the columns of `q` that hold it when nothing is skipped.
 * `walk` selects the same of the entries in their order, so that those which are skipped are only looked at in the index, and
 * not fetched with all of their columns.
 */
export function startSql(place: string, walk: string): string {
  return `
    select ${place} where q.skip = 0
    union all
    (${walk} offset greatest(q.skip - 1, 0) limit least(q.skip, 1))`;
}

/** A list that is also read by offset. `Selection` says which entries are in the list, for example those of one pool. */
export interface OffsetList<Selection, After, Row> {
  readonly page: (store: UnbatchedQueryRunner, page: Selection & OffsetPage<After>) => Promise<SnapshotRows<Row>>;
  readonly anchors: ListAnchors<Selection, After>;
}

/** The selection of a list that holds all entries of its table. */
export type Everything = Readonly<Record<never, never>>;

/** Entries from one anchor to the next. */
export const ANCHOR_STEP = 100;

/** One row. */
export interface AnchorRow {
  /** The anchors in the order of the list, a space between two, a dot between the fields of a sort key. */
  readonly keys: string;
}

/** How the offset anchors of a list are read. */
export interface ListAnchors<Selection, After> {
  readonly query: BatchedQuery<readonly Parameter[], AnchorRow>;
  /** Names the list with this selection, to keep its anchors under. */
  readonly cacheKey: (selection: Selection) => string;
  /** Reads the anchors in the order of the list, in a statement of their own. Throws a {@link StoreError}. */
  readonly read: (store: UnbatchedQueryRunner, selection: Selection) => Promise<Anchors>;
  /** The sort key that one of them stands for. */
  readonly parse: (anchor: string) => After;
}

/** The anchors of a list at a tip; the n-th is the sort key of entry (n + 1) · {@link ANCHOR_STEP}. */
export interface Anchors {
  readonly tip: SnapshotTip;
  /** Texts, of which a process keeps thousands; {@link ListAnchors.parse} reads the one that is needed. */
  readonly keys: readonly string[];
}

/**
 * Defines the anchors of a list. `select` numbers the entries by `place` from 1 on; `key` is an SQL expression over its
 * columns, the sort key's fields with `'.'` between them, which `parse` gets as texts. `selection` gives the parameters.
 */
export function defineAnchors<Selection, After>(definition: {
  readonly list: string;
  readonly parameters: Columns;
  readonly selection: (selection: Selection) => readonly Parameter[];
  readonly key: string;
  readonly select: string;
  readonly parse: (fields: readonly string[]) => After;
}): ListAnchors<Selection, After> {
  const { list, parameters, selection: parametersOf, key, select, parse } = definition;
  const query: BatchedQuery<readonly Parameter[], AnchorRow> = batchedQuery({
    name: `anchors_of_${list}`,
    parameters,
    presenceColumn: 'keys',
    select: `
      select coalesce(string_agg(${key}, ' ' order by place), '') as keys
      from (${select}) listed where place % ${ANCHOR_STEP} = 0`,
  });
  return {
    query,
    cacheKey: (selection) => [list, ...parametersOf(selection)].join(' '),
    read: async (store, selection) => {
      const { tip, rows } = await store.queryUnbatched(query, ...parametersOf(selection));
      const keys = rows[0]?.keys ?? '';
      return { tip, keys: keys === '' ? [] : keys.split(' ') };
    },
    parse: (anchor) => parse(anchor.split('.')),
  };
}
