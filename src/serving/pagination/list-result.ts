/** The results of lists: the entries to show, the cursor of the next page, and both as a response body. */
import type { ListOrder } from '../../store/queries/lists/define-list.ts';
import { lastQueryValue, type UrlQuery } from '../parse/parameters.ts';
import { encodeCursor, type ListPage } from './paging.ts';

/** A body, with the cursor of the next page of a list. */
export interface JsonBody {
  readonly text: string;
  readonly nextCursor?: string | undefined;
  /** JSON by default. */
  readonly contentType?: string | undefined;
  /** More headers: name, value, name, value. */
  readonly headers?: readonly string[];
  /** `cache-control`; by default the response is revalidated before each use. */
  readonly cacheControl?: string | undefined;
}

export interface ShownEntries<Entry> {
  readonly entries: readonly Entry[];
  /** The cursor of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** Returns the entries to show of a page. `rowRange` read one row more, which shows that there is a next page. */
export function shownEntries<Key extends object, Row, Entry extends Row>(
  order: ListOrder<Key, Row, Entry>,
  { list, limit }: ListPage<unknown, null>,
  rows: readonly Row[],
): ShownEntries<Entry> {
  const entries = rows.filter((row) => order.isEntry(row));
  if (limit === null || entries.length <= limit) return { entries, nextCursor: null };
  const shown = entries.slice(0, limit);
  return { entries: shown, nextCursor: encodeCursor(list, order.fields, order.sortKey(shown.at(-1)!)) };
}

/**
 * Makes the body of a page: an array or an envelope. `more`: other fields of the envelope, each after a comma. `last`: entries after
 * all others, which the last page shows in addition.
 */
export function listResult<Key extends object, Row, Entry extends Row>(
  order: ListOrder<Key, Row, Entry>,
  page: ListPage<unknown, null>,
  rows: readonly Row[],
  json: (entry: Entry) => string,
  more = '',
  last: readonly string[] = [],
): JsonBody {
  const { entries, nextCursor } = shownEntries(order, page, rows);
  const texts = entries.map(json);
  const array = `[${(nextCursor === null && last.length > 0 ? texts.concat(last) : texts).join(',')}]`;
  if (page.shape === 'array') return { text: array, nextCursor: nextCursor ?? undefined };
  const cursorJson = nextCursor === null ? null : `"${nextCursor}"`;
  return { text: `{"items":${array},"next_cursor":${cursorJson}${more}}`, nextCursor: nextCursor ?? undefined };
}

export interface PagedRoute {
  /** The URL that clients see before our paths, such as `https://example.org/indexer`. */
  readonly publicUrl: string;
  /** The path with its parameters, such as `/api/v2/pool/:id/delegations`. */
  readonly path: string;
  /** The query parameters that the route knows. */
  readonly queryNames: readonly string[];
}

/** The parameters for the position of a page. */
const POSITION_NAMES = ['offset', 'offset_mode', 'cursor'];

/**
 * Returns the headers `x-next-cursor` and `link`: name, value, name, value. The link is the URL of the request with another
 * cursor. Only known parameters are copied.
 */
export function nextPageHeaders(
  { publicUrl, path, queryNames }: PagedRoute,
  params: Readonly<Record<string, string>>,
  query: UrlQuery,
  cursor: string,
): string[] {
  const url = path.replace(/:([a-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const name of queryNames) {
    const value = lastQueryValue(query, name);
    if (value !== undefined && !POSITION_NAMES.includes(name)) search.set(name, value);
  }
  search.set('cursor', cursor);
  return ['x-next-cursor', cursor, 'link', `<${publicUrl}${url}?${search}>; rel="next"`];
}
