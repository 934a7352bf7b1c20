/** Lists by pages: the API's cursors, so that page 10,000 costs as much as page 1 and nothing is shown twice. */

import { shownEntries } from '../../api/pagination/list-result.ts';
import { CURSOR_ONLY, encodeCursor, type ListPage, rowRange } from '../../api/pagination/paging.ts';
import type { UrlQuery } from '../../api/parse/parameters.ts';
import type { List, ListOrder } from '../../store/queries/list.ts';
import type { SnapshotRows, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { slug } from './table.ts';

/** Rows of a page of a list, where the visitor says nothing else. */
const DEFAULT_ITEMS = '25';

/** The page that a request asks for, by the parameters `cursor` and `items`. */
export function parseListPage<Selection, Key extends object>(
  query: UrlQuery,
  list: Pick<List<Selection, Key, never>, 'name' | 'fields'>,
  selection: NoInfer<Selection>,
  items = DEFAULT_ITEMS,
): ListPage<Key> {
  const { offset: _, ...own } = query;
  return CURSOR_ONLY.parse({ ...own, items: own.items ?? items }, list, selection);
}

/** A page of a list that was read. */
export interface ShownPage<Entry> {
  readonly entries: readonly Entry[];
  readonly isFirst: boolean;
  /** What leads to this page, for links that keep it; undefined for the first one. */
  readonly cursor: string | undefined;
  /** Of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** Reads a page of a list. Its rows are one more than its entries where there is a next page. */
export async function readListPage<Selection, Key extends object, Row, Entry extends Row>(
  store: UnbatchedQueryRunner,
  list: Omit<List<Selection, Key, Row, Entry>, 'anchors'>,
  page: ListPage<Key>,
  selection: NoInfer<Selection>,
): Promise<SnapshotRows<Row> & ShownPage<Entry>> {
  const read = await list.read(store, { ...selection, ...rowRange(page) });
  return { ...read, ...shownPage(list, page, read.rows) };
}

/** The same of rows that were read. */
export function shownPage<Key extends object, Row, Entry extends Row>(
  list: ListOrder<Key, Row, Entry>,
  page: ListPage<Key>,
  rows: readonly Row[],
): ShownPage<Entry> {
  const { after } = page;
  const cursor = after === null ? undefined : encodeCursor(page.list, list.fields, after);
  return { ...shownEntries(list, page, rows), isFirst: after === null, cursor };
}

interface PagingOptions {
  /** What else selects the list. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** The list's id in the page. */
  readonly anchor?: string;
  readonly label?: string;
  /** The name of the cursor in the query, on a page with several lists. */
  readonly parameter?: string;
}

/** Links to the first and to the next page. */
export function paging(
  site: Site,
  path: string,
  { isFirst, nextCursor }: Pick<ShownPage<unknown>, 'isFirst' | 'nextCursor'>,
  { query = {}, anchor, label = 'Pages of the list', parameter = 'cursor' }: PagingOptions = {},
): Html | null {
  if (isFirst && nextCursor === null) return null;
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const link = (cursor: string | null) => site.href(path, { ...query, [parameter]: cursor }, hash);
  return html`<nav class="paging" aria-label="${label}">${
    isFirst ? html`<span class="muted">First page</span>` : html`<a href="${link(null)}" rel="first">First page</a>`
  }${
    nextCursor === null
      ? html`<span class="muted">Last page</span>`
      : html`<a href="${link(nextCursor)}" rel="next">Next page</a>`
  }</nav>`;
}

interface ListSection {
  readonly title: string;
  /** Of the page with all of it. */
  readonly path: string;
  /** Are there more entries than the table shows? */
  readonly hasMore: boolean;
  readonly table: Html;
}

/** A part of a page with the first entries of a list, and the link to the page of all. */
export function listSection(site: Site, { title, path, hasMore, table }: ListSection): Html {
  const name = `${slug(title)}-list`;
  const all = hasMore && html`<a href="${site.href(path)}">All<span class="sr">: ${title}</span></a>`;
  return html`<section aria-labelledby="${name}"><div class="heading"><h2 id="${name}">${title}</h2>${all}</div>${table}</section>`;
}
