/** A list of an address as a value: how it is read, paged and shown. */
import { shownEntries } from '../../api/pagination/list-result.ts';
import { type ListPage, rowRange } from '../../api/pagination/paging.ts';
import type { Query } from '../../api/parse/parameters.ts';
import { readTokenLabels, type TokenLabels } from '../../api/present/token-label.ts';
import type { Destination, Id } from '../../chain/types.ts';
import type { AddressSummaryRow } from '../../store/queries/addresses.ts';
import type { List, OfOwner } from '../../store/queries/list.ts';
import type { SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { type Html, NOTHING } from '../html.ts';
import { parseListPage } from './paging.ts';

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

/** `after` is the sort key of its list. */
export type AddressListPage = ListPage<object>;

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
  readonly read: (store: UnbatchedQueryRunner, owner: Destination, page: AddressListPage) => Promise<ReadList>;
  /** Of a list that most addresses have no entries of: does this one have any? */
  readonly hasEntries?: ((summary: AddressSummaryRow) => boolean) | undefined;
}

interface AddressListDefinition<Key extends object, Row> extends Omit<AddressList, 'parse' | 'read'> {
  readonly list: List<OfOwner, Key, Row>;
  /** The tokens whose names are shown; none unless given. */
  readonly tokens?: (rows: readonly Row[]) => Iterable<Id>;
  readonly table: (listed: Listed<Row>) => Html;
}

export function addressList<Key extends object, Row>(definition: AddressListDefinition<Key, Row>): AddressList {
  const { list, tokens, table, ...shown } = definition;
  return {
    ...shown,
    parse: (query, owner) => parseListPage(query, list, { owner }),
    read: async (store, owner, page) => {
      const { after, limit } = rowRange(page);
      const { tip, rows } = await list.read(store, { owner, after: after as Key | null, limit });
      const labels: TokenLabels = tokens ? await readTokenLabels(store, tip, tokens(rows)) : new Map();
      const { entries, nextCursor } = shownEntries(list, page, rows);
      return { tip, length: entries.length, nextCursor, table: () => table({ tip, rows: entries, labels }) };
    },
  };
}

/** A list without entries, which need not be read. */
export function emptyList(tip: SnapshotTip): ReadList {
  return { tip, length: 0, nextCursor: null, table: () => NOTHING };
}
