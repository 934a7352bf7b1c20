/**
 * Lists are read by keyset: a page begins after an entry that is named by its sort key, which an index finds at any depth.
 * A page by offset is turned into one by keyset with the offset anchors of its list: the sort keys of every hundredth entry.
 * It is read from the anchor before it, so that it costs the same at any depth. Reading the anchors walks along all of the
 * list once.
 */
import {
  defineQuery,
  type ParameterTypes,
  type Query,
  type QueryRunner,
  type SnapshotTip,
  type SqlValue,
} from '../../read/query.ts';
import { parseSortKey, type SortFields } from './sort-key-text.ts';

/**
 * Returns the SQL of the sort key after which a page begins. `place`: the parameters that hold it if nothing is skipped.
 * `walk`: selects the sort keys of the entries in their order, so that skipped entries are read from the index only, not
 * with all their columns.
 */
export function pageStartSql(place: readonly string[], walk: string): string {
  return `
    select ${place.map((name) => `:${name} as ${name}`)} where :skip = 0
    union all
    (${walk} offset greatest(:skip - 1, 0) limit least(:skip, 1))`;
}

interface SortKeyWalks {
  readonly table: string;
  readonly where: string;
  readonly columns: string;
  /** The columns of the sort key. */
  readonly key: string;
  readonly id: string;
  /** The direction of the key. */
  readonly direction?: 'asc' | 'desc';
  /** The direction of ids with the same key; ascending by default. */
  readonly idDirection?: 'asc' | 'desc';
  /** Where the place is after which the entries come: `:`, in parameters, unless given; or the alias of a row with a dot. The id has the same name there. */
  readonly from?: string;
  /** The column of `from` with the key; `height` by default. */
  readonly place?: string;
  readonly limit?: string;
}

/**
 * Returns the SQL of the entries after a sort key, as two walks along one index: first the rest of the entries with exactly
 * its value, then those with a later one.
 */
export function walksFromSortKeySql({
  table,
  where,
  columns,
  key,
  id,
  direction = 'desc',
  idDirection = 'asc',
  from = ':',
  place = 'height',
  limit = ':row_limit',
}: SortKeyWalks): string {
  return `
    (select ${columns} from ${table}
     where ${where} and ${key} = ${from}${place} and ${id} ${AFTER[idDirection]} ${from}${id}
     order by ${id} ${idDirection} limit ${limit})
    union all
    (select ${columns} from ${table}
     where ${where} and ${key} ${AFTER[direction]} ${from}${place}
     order by ${key} ${direction}, ${id} ${idDirection} limit ${limit})`;
}

const AFTER = { asc: '>', desc: '<' } as const;

/** Entries from one anchor to the next. */
export const ANCHOR_STEP = 100;

/** A row of anchors. */
interface AnchorRow {
  /** The anchors in the order of the list, a space between two, a dot between the fields of a sort key. */
  readonly keys: string;
}

/** The query for the offset anchors of a list. */
export interface ListAnchors<Selection, Key> {
  readonly query: Query<readonly SqlValue[], AnchorRow>;
  /** Reads the anchors in the order of the list, in a statement of their own. Throws a {@link StoreError}. */
  readonly read: (store: QueryRunner, selection: Selection) => Promise<TipAnchors>;
  /** The sort key that one of them stands for. */
  readonly parse: (anchor: string) => Key;
}

/** The anchors of a list at a tip; the n-th is the sort key of entry (n + 1) · {@link ANCHOR_STEP}. */
export interface TipAnchors {
  readonly tip: SnapshotTip;
  /** Texts, of which a process keeps thousands; {@link ListAnchors.parse} reads the one that is needed. */
  readonly keys: readonly string[];
}

/**
 * Defines the anchors of a list. `select` numbers the entries by `place` from 1 on; `key` is an SQL expression over its
 * columns, the sort key's `fields` with `'.'` between them. `selection` gives the parameters.
 */
export function defineAnchors<Selection, Key extends object>(definition: {
  readonly list: string;
  readonly fields: SortFields<Key>;
  /** By default none. */
  readonly parameters?: ParameterTypes;
  readonly selection?: (selection: Selection) => readonly SqlValue[];
  readonly key: string;
  readonly select: string;
}): ListAnchors<Selection, Key> {
  const { list, fields, parameters = {}, selection: parametersOf = () => [], key, select } = definition;
  const query: Query<readonly SqlValue[], AnchorRow> = defineQuery({
    name: `anchors_of_${list}`,
    parameters,
    select: `
      select coalesce(string_agg(${key}, ' ' order by place), '') as keys
      from (${select}) listed where place % ${ANCHOR_STEP} = 0`,
  });
  return {
    query,
    read: async (store, selection) => {
      const { tip, rows } = await store.queryLong(query, ...parametersOf(selection));
      const keys = rows[0]?.keys ?? '';
      return { tip, keys: keys === '' ? [] : keys.split(' ') };
    },
    parse: (anchor) => parseSortKey(fields, anchor)!,
  };
}
