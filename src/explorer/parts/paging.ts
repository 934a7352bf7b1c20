/** Lists by pages: the API's cursors, so that page 10,000 costs as much as page 1 and nothing is shown twice. */
import { encodeCursor, type SortFields, type SortKey } from '../../api/pagination/cursor.ts';
import { type ListPage, parseCursorPage } from '../../api/pagination/page.ts';
import type { Query } from '../../api/parse/parameters.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';

/** Rows of a page of a list, where the visitor says nothing else. */
const DEFAULT_ITEMS = '25';

/**
 * The page that a request asks for, by the parameters `cursor` and `items`. `list` and `fields` are those of the API's
 * route, so that a cursor of either is one of the other. Read it with `rowRange` of `src/api/pagination/page.ts`.
 */
export function parseListPage<const Fields extends SortFields>(
  query: Query,
  list: string,
  fields: Fields,
  items = DEFAULT_ITEMS,
): ListPage<SortKey<Fields>, number> {
  const { offset: _, ...own } = query;
  return parseCursorPage({ ...own, items: own.items ?? items }, list, fields);
}

export interface ShownRows<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** The rows to show of those that were read: one more than the page has tells that there is a next one. */
export function shownRows<Row, After extends object>(
  { list, limit }: ListPage<After>,
  rows: readonly Row[],
  sortKey: (row: Row) => After,
): ShownRows<Row> {
  if (limit === null || rows.length <= limit) return { rows, nextCursor: null };
  const shown = rows.slice(0, limit);
  return { rows: shown, nextCursor: encodeCursor(list, sortKey(shown.at(-1)!)) };
}

/** The cursor that leads to a page, for links that keep it; undefined for the first one. */
export function cursorOf({ list, after }: ListPage<object>): string | undefined {
  return after === null ? undefined : encodeCursor(list, after);
}

/** Links to the first and to the next page. `query` holds what else selects the list; `anchor` is the list's id. */
export function paging(
  site: Site,
  path: string,
  {
    isFirst,
    nextCursor,
    query = {},
    anchor,
    label = 'Pages of the list',
    parameter = 'cursor',
  }: {
    readonly isFirst: boolean;
    readonly nextCursor: string | null;
    readonly query?: Readonly<Record<string, string | undefined>>;
    readonly anchor?: string;
    readonly label?: string;
    /** The name of the cursor in the query, on a page with several lists. */
    readonly parameter?: string;
  },
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
