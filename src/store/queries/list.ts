/**
 * A list as a value: its name, its order and how it is read. Routes and pages of one list use one value, so a cursor of one
 * of them is one of all.
 */
import type { Destination } from '../../chain/types.ts';
import type { SnapshotRows, UnbatchedOption, UnbatchedQueryRunner } from '../read/batched-query.ts';
import type { ListAnchors } from './keyset.ts';
import type { SortFields } from './sort-key.ts';

/** The rows of a list to read. `Whole` is null where the list may be read whole. */
export interface RowRange<Key, Whole extends null = never> {
  /** The sort key of the row before the first one; null for the start of the list. */
  readonly after: Key | null;
  /** Rows to leave out after that; 0 unless given. */
  readonly skip?: number;
  /** The most rows to read; null for all. */
  readonly limit: number | Whole;
}

/** The order of a list, and what its cursors hold. Its methods make lists with different rows one list of either. */
export interface ListOrder<Key extends object, Row, Entry extends Row = Row> {
  /** Cursors of clients are made of them: they stay as they are. */
  readonly fields: SortFields<Key>;
  sortKey(entry: Entry): Key;
  isEntry(row: Row): row is Entry;
}

/**
 * `Selection` says which entries are in the list, for example those of one pool; `Key` is the sort key. `Row` is what is
 * read; `Entry` is a row that is an entry, where one may also say that there is none. `Whole`: see {@link RowRange}.
 */
export interface List<Selection, Key extends object, Row, Entry extends Row = Row, Whole extends null = never>
  extends ListOrder<Key, Row, Entry> {
  /** The list and all that selects its entries. Cursors of clients are bound to it: it stays as it is. */
  readonly name: (selection: Selection) => string;
  /** Reads rows in the order of the list. Throws a {@link StoreError}. */
  readonly read: (
    store: UnbatchedQueryRunner,
    page: Selection & RowRange<Key, Whole> & UnbatchedOption,
  ) => Promise<SnapshotRows<Row>>;
  /** Of a list that is read by deep offsets as well. */
  readonly anchors?: ListAnchors<Selection, Key>;
}

/** The selection of a list that holds all entries of its table. */
export type Everything = Readonly<Record<never, never>>;

/** The selection of a list of what one address has. */
export interface OfOwner {
  readonly owner: Destination;
}

/** A list of which every row is an entry. */
export function defineList<Selection, Key extends object, Row, Whole extends null = never>(
  list: Omit<List<Selection, Key, Row, Row, Whole>, 'isEntry'>,
): List<Selection, Key, Row, Row, Whole> {
  return { ...list, isEntry: (_): _ is Row => true };
}
