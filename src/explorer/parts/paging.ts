/** Lists by pages: the API's cursors, so that page 10,000 costs as much as page 1 and nothing is shown twice. */
import { CURSOR_ONLY, encodeCursor, type ListPage } from '../../api/pagination/paging.ts';
import type { Query } from '../../api/parse/parameters.ts';
import type { List, ListOrder } from '../../store/queries/list.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';

/** Rows of a page of a list, where the visitor says nothing else. */
const DEFAULT_ITEMS = '25';

/** The page that a request asks for, by the parameters `cursor` and `items`. */
export function parseListPage<Selection, Key extends object>(
  query: Query,
  list: Pick<List<Selection, Key, never>, 'name' | 'fields'>,
  selection: Selection,
  items = DEFAULT_ITEMS,
): ListPage<Key> {
  const { offset: _, ...own } = query;
  return CURSOR_ONLY.parse({ ...own, items: own.items ?? items }, list, selection);
}

/** The cursor that leads to a page, for links that keep it; undefined for the first one. */
export function cursorOf<Key extends object>(
  { fields }: Pick<ListOrder<Key, never>, 'fields'>,
  { list, after }: ListPage<Key>,
): string | undefined {
  return after === null ? undefined : encodeCursor(list, fields, after);
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
