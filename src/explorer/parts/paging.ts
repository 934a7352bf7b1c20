/** Lists by pages: the API's cursors, so that page 10,000 costs as much as page 1 and nothing is shown twice. */
import { encodeCursor } from '../../api/pagination/cursor.ts';
import { shownEntries } from '../../api/pagination/list-result.ts';
import { type ListPage, rowRange } from '../../api/pagination/page.ts';
import { CURSOR_ONLY } from '../../api/pagination/paging.ts';
import type { Query } from '../../api/parse/parameters.ts';
import type { List, ListOrder } from '../../store/queries/list.ts';
import type { SnapshotRows, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { slug } from './table.ts';

/** Rows of a page of a list, where the visitor says nothing else. */
const DEFAULT_ITEMS = '25';

/** The page that a request asks for, by the parameters `cursor` and `items`. */
export function parseListPage<Selection, Key extends object>(
  query: Query,
  list: Pick<List<Selection, Key, never>, 'name' | 'fields'>,
  selection: NoInfer<Selection>,
  items = DEFAULT_ITEMS,
): ListPage<Key> {
  const { offset: _, ...own } = query;
  return CURSOR_ONLY.parse({ ...own, items: own.items ?? items }, list, selection);
}

/** Reads the rows of a page, and one more, which tells whether there is a next one. */
export function readListPage<Selection, Key extends object, Row, Entry extends Row>(
  store: UnbatchedQueryRunner,
  list: Pick<List<Selection, Key, Row, Entry>, 'name' | 'read'>,
  page: ListPage<Key>,
  selection: NoInfer<Selection>,
): Promise<SnapshotRows<Row>> {
  return list.read(store, { ...selection, ...rowRange(page) });
}

/** A page of a list that was read. */
export interface ShownPage<Entry> {
  readonly entries: readonly Entry[];
  readonly isFirst: boolean;
  /** Of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

export function shownPage<Key extends object, Row, Entry extends Row>(
  list: ListOrder<Key, Row, Entry>,
  page: ListPage<Key>,
  rows: readonly Row[],
): ShownPage<Entry> {
  return { ...shownEntries(list, page, rows), isFirst: page.after === null };
}

/** The cursor that leads to a page, for links that keep it; undefined for the first one. */
export function cursorOf<Key extends object>(
  { fields }: Pick<ListOrder<Key, never>, 'fields'>,
  { list, after }: ListPage<Key>,
): string | undefined {
  return after === null ? undefined : encodeCursor(list, fields, after);
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
