/**
 * A list as a value: its name, its order and how it is read. Routes and pages of one list use one value, so a cursor of one
 * of them is one of all.
 */
import type { Destination } from '../../../chain/types.ts';
import type { BoundQuery, QueryRunner, SnapshotRows } from '../../read/query.ts';
import type { ListAnchors } from './keyset.ts';
import type { SortFields } from './sort-key-text.ts';

/** The range of rows to read. `Whole` is null if the list may be read whole. */
export interface RowRange<Key, Whole extends null = never> {
  /** The sort key of the row before the first one; null for the start of the list. */
  readonly after: Key | null;
  /** Number of rows to skip after that; default 0. */
  readonly skip?: number;
  /** Maximum number of rows; null for all. */
  readonly limit: number | Whole;
}

/** The order of a list. Declared as methods so that lists with different row types can be used as one type. */
export interface ListOrder<Key extends object, Row, Entry extends Row = Row> {
  /** Must never change: cursors of clients contain these fields. */
  readonly fields: SortFields<Key>;
  sortKey(entry: Entry): Key;
  isEntry(row: Row): row is Entry;
}

/**
 * `Selection` says which entries are in the list, for example those of one pool; `Key` is the sort key. `Row` is the type
 * of the rows read. Some lists return a marker row for "nothing"; `Entry` is the type of the other rows. `Whole`: see
 * {@link RowRange}.
 */
export interface List<Selection, Key extends object, Row, Entry extends Row = Row, Whole extends null = never>
  extends ListOrder<Key, Row, Entry> {
  /** The list and all that selects its entries. Must never change: cursors of clients depend on it. */
  readonly name: (selection: Selection) => string;
  /** Reads rows in the order of the list. Throws a {@link StoreError}. */
  readonly read: (store: QueryRunner, page: Selection & RowRange<Key, Whole>) => Promise<SnapshotRows<Row>>;
  /** Present if the list also supports `offset`. */
  readonly anchors?: ListAnchors<Selection, Key>;
}

/** A row with an entry: fields of it that are null only in a marker row. */
export type NotNull<Row, Fields extends keyof Row> = Row & { readonly [Field in Fields]: NonNullable<Row[Field]> };

/** The selection of a list that holds all entries of its table. */
export type AllEntriesSelection = Readonly<Record<never, never>>;

/** The selection of a list of what an address owns. */
export interface OwnerSelection {
  readonly owner: Destination;
}

/** A list that can also be exported: its query reads a page, or all rows after a key. */
export interface ExportableList<Selection, Key extends object, Row, Entry extends Row = Row>
  extends List<Selection, Key, Row, Entry> {
  /** Returns the query of the rows after a key, with its parameters. `limit`: null for all. */
  readonly query: (selection: Selection, after: Key | null, limit: number | null) => BoundQuery<Row>;
}

/** Defines a list by its query. `isLong`: is a page read in a statement of its own? By default it is not. */
export function defineExportableList<Selection, Key extends object, Row, Entry extends Row = Row>({
  isLong,
  ...list
}: Omit<ExportableList<Selection, Key, Row, Entry>, 'read'> & {
  readonly isLong?: (selection: Selection) => boolean;
}): ExportableList<Selection, Key, Row, Entry> {
  return {
    ...list,
    read(store, page) {
      const { query, parameters } = list.query(page, page.after, page.limit);
      return isLong?.(page) ? store.queryLong(query, ...parameters) : store.query(query, ...parameters);
    },
  };
}

/** Defines a list of which every row is an entry. */
export function defineList<Selection, Key extends object, Row, Whole extends null = never>(
  list: Omit<List<Selection, Key, Row, Row, Whole>, 'isEntry'>,
): List<Selection, Key, Row, Row, Whole> {
  return { ...list, isEntry: (_): _ is Row => true };
}
