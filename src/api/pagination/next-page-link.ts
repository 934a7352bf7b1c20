/** The headers of a page that lead to the next one. */
import { lastValue, type Query } from '../parse/parameters.ts';

export interface PagedRoute {
  /** What clients see before our paths, as in `https://example.org/indexer`. */
  readonly publicUrl: string;
  /** The path with its parameters, as in `/api/v2/pool/:id/delegations`. */
  readonly path: string;
  /** The query parameters that the route knows. */
  readonly queryNames: readonly string[];
}

/** The parameters that say where a page begins. */
const POSITION_NAMES = ['offset', 'offset_mode', 'cursor'];

/** `x-next-cursor` and `link`: name, value, name, value. */
export function nextPageHeaders(
  route: PagedRoute,
  params: Readonly<Record<string, string>>,
  query: Query,
  cursor: string,
): string[] {
  return ['x-next-cursor', cursor, 'link', `<${nextPageUrl(route, params, query, cursor)}>; rel="next"`];
}

/** The request with another cursor. Only known parameters of the request are copied. */
function nextPageUrl(
  { publicUrl, path, queryNames }: PagedRoute,
  params: Readonly<Record<string, string>>,
  query: Query,
  cursor: string,
): string {
  const url = path.replace(/:([a-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const name of queryNames) {
    const value = lastValue(query, name);
    if (value !== undefined && !POSITION_NAMES.includes(name)) search.set(name, value);
  }
  search.set('cursor', cursor);
  return `${publicUrl}${url}?${search}`;
}
