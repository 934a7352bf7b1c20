/** A list of an address: a part of the page of the address, and a page of its own with all entries. */

import { readTokenLabels, type TokenLabels } from '../../answers/token-label.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination, Id } from '../../chain/types.ts';
import type { ListPage } from '../../serving/pagination/paging.ts';
import type { UrlQuery } from '../../serving/parse/parameters.ts';
import type { AddressCountsRow } from '../../store/queries/addresses/addresses.ts';
import type { OwnerAtPaceSelection } from '../../store/queries/addresses/unlocks.ts';
import type { List } from '../../store/queries/lists/define-list.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { type Html, html } from '../html.ts';
import { measureChain } from '../read/measure-chain.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { parseListPage, readListPage, type ShownPage } from './paging.ts';
import type { TableTexts } from './table.ts';
import type { ListedTransactions } from './transaction-table.ts';

/** A page of a list, read from the store. */
export interface ListOfAddressPage extends Omit<ShownPage<unknown>, 'entries'> {
  readonly tip: SnapshotTip;
  /** The number of entries. */
  readonly length: number;
  readonly table: () => Html;
  /** Of the list of transactions. */
  readonly transactions?: ListedTransactions;
  /** What the page of the address says at its top of the first entry. */
  readonly first?: (() => Html) | undefined;
}

export interface ListOfAddress {
  /** The last part of the path of the list's page. */
  readonly name: 'balances' | keyof AddressCountsRow;
  readonly title: Words;
  /** The name of the entries in a sentence: "no unspent outputs". */
  readonly plural: Words;
  /** The path in the API, after that of the address; null if the API has the list only in other responses. */
  readonly api: string | null;
  /** Throws the error 400. */
  readonly parse: (query: UrlQuery, owner: Destination, network: Network) => ListPage<object>;
  readonly read: (
    site: Site,
    store: QueryRunner,
    owner: Destination,
    page: ListPage<object>,
  ) => Promise<ListOfAddressPage>;
  /** Is it empty for most addresses? Then it is read only if it was counted and has entries. */
  readonly isRare?: boolean;
}

/** The rows of a list with the data to render them. */
export interface ListOfAddressRows<Row> {
  readonly site: Site;
  readonly tip: SnapshotTip;
  readonly rows: readonly Row[];
  readonly labels: TokenLabels;
  readonly words: TableTexts;
}

export interface ListOfAddressDefinition<Key extends object, Row> extends Omit<ListOfAddress, 'parse' | 'read'> {
  readonly caption: Words;
  /** The sentence for an empty list, if it is not "This address has no" with the plural. */
  readonly empty?: Words;
  /** Is it sorted by the pace of the chain? Then that is measured at the tip of the list, which is read again if it was another. */
  readonly isByPace?: boolean;
  readonly list: List<OwnerAtPaceSelection, Key, Row>;
  /** Returns the tokens whose names are shown; none by default. */
  readonly tokens?: (rows: readonly Row[], network: Network) => Iterable<Id>;
  readonly table: (listed: ListOfAddressRows<Row>) => Html;
  readonly first?: ((listed: ListOfAddressRows<Row>) => Html) | undefined;
}

/** Makes a list of an address from its query and its table. */
export function listOfAddress<Key extends object, Row>(definition: ListOfAddressDefinition<Key, Row>): ListOfAddress {
  const { list, isByPace = false, tokens, table, first, caption, empty, ...shown } = definition;
  return {
    ...shown,
    parse: (query, owner) => parseListPage(query, list, { owner }),
    async read(site, store, owner, page) {
      const { secondsPerBlock } = site.pace;
      const selection = { owner, secondsPerBlock };
      const { tip, rows, entries, ...place } = await readListPage(store, list, page as ListPage<Key>, selection);
      if (isByPace) {
        await measureChain(site, store, tip);
        if (site.pace.secondsPerBlock !== secondsPerBlock) return this.read(site, store, owner, page);
      }
      const labels: TokenLabels = tokens ? await readTokenLabels(store, tip, tokens(rows, site.network)) : new Map();
      const words = () => ({
        caption,
        empty: empty ?? say('This address has no {plural}.', { plural: textOf(definition.plural) }),
      });
      const listed = () => ({ site, tip, rows: entries, labels, words: words() });
      return {
        ...{ tip, ...place, length: entries.length },
        table: () => table(listed()),
        first: first && entries.length > 0 ? () => first(listed()) : undefined,
      };
    },
  };
}

/** Returns a list without entries, which need not be read. */
export function emptyListOfAddress(tip: SnapshotTip): ListOfAddressPage {
  return { tip, length: 0, isFirst: true, cursor: undefined, nextCursor: null, table: () => html`` };
}
