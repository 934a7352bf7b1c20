/** A list of an address as a value: how it is read, paged and shown. */
import type { SortFields } from '../../api/pagination/cursor.ts';
import type { ListPage } from '../../api/pagination/page.ts';
import type { Query } from '../../api/parse/parameters.ts';
import type { TokenLabels } from '../../api/present/token-label.ts';
import type { Destination } from '../../chain/types.ts';
import type { AddressSummaryRow } from '../../store/queries/addresses.ts';
import type { SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { type Html, NOTHING } from '../html.ts';
import { parseListPage, shownRows } from './paging.ts';

/** Rows of a list with what is needed to show them. */
export interface Listed<Row> {
  readonly tip: SnapshotTip;
  readonly rows: readonly Row[];
  readonly labels: TokenLabels;
}

/** A part of a list that was read. */
export interface ReadList {
  readonly tip: SnapshotTip;
  /** Entries that are shown. */
  readonly length: number;
  /** Of the entries after those; null at the end. */
  readonly nextCursor: string | null;
  readonly table: () => Html;
}

export type AddressListPage = ListPage<object, number>;

export interface AddressList {
  /** The last part of the path of its page. */
  readonly name: string;
  readonly title: string;
  /** In a sentence about what there is not: "no unspent outputs". */
  readonly plural: string;
  /** The path in the API behind that of the address; null where the API has it as parts of other answers. */
  readonly api: string | null;
  /** Throws the error 400. */
  readonly parse: (query: Query, owner: Destination) => AddressListPage;
  /** The first entries, so many. */
  readonly first: (owner: Destination, limit: number) => AddressListPage;
  readonly read: (store: UnbatchedQueryRunner, owner: Destination, page: AddressListPage) => Promise<ReadList>;
  /** Of a list that most addresses have no entries of: does this one have any? */
  readonly hasEntries?: ((summary: AddressSummaryRow) => boolean) | undefined;
}

interface ListDefinition<Row, After extends object> {
  readonly name: string;
  readonly title: string;
  readonly plural: string;
  readonly api: string | null;
  /** The name of the list in cursors, as the API's, and the fields of its sort key. */
  readonly list: string;
  readonly fields: SortFields;
  readonly read: (
    store: UnbatchedQueryRunner,
    range: { readonly owner: Destination; readonly after: After | null; readonly limit: number },
  ) => Promise<Listed<Row>>;
  readonly hasEntries?: AddressList['hasEntries'];
  readonly sortKey: (row: Row) => After;
  readonly table: (listed: Listed<Row>) => Html;
}

export function addressList<Row, After extends object>(definition: ListDefinition<Row, After>): AddressList {
  const { name, title, plural, api, list, fields, read, hasEntries, sortKey, table } = definition;
  return {
    hasEntries,
    name,
    title,
    plural,
    api,
    parse: (query, owner) => parseListPage(query, `${list} ${owner}`, fields),
    first: (owner, limit) => ({
      list: `${list} ${owner}`,
      after: null,
      skip: 0,
      offset: null,
      limit,
      shape: 'envelope',
    }),
    read: async (store, owner, page) => {
      const listed = await read(store, { owner, after: page.after as After | null, limit: page.limit + 1 });
      const { rows, nextCursor } = shownRows(page, listed.rows, sortKey);
      return { tip: listed.tip, length: rows.length, nextCursor, table: () => table({ ...listed, rows }) };
    },
  };
}

/** A list without entries, which need not be read. */
export function emptyList(tip: SnapshotTip): ReadList {
  return { tip, length: 0, nextCursor: null, table: () => NOTHING };
}
