/** What a request asks, apart from how it is written. */
import type { Query } from '../parse/parameters.ts';
import { lastValue } from '../parse/parameters.ts';

/** A text for what a route has parsed: the same for the same values, another one for others of that route. */
export function cacheKeyOf(parsed: unknown): string {
  return typeof parsed === 'string' ? parsed : partKey(parsed);
}

/** The same where it stands among others: a text must not look like several. */
function partKey(parsed: unknown): string {
  switch (typeof parsed) {
    case 'string':
      return `${parsed.length}:${parsed}`;
    case 'object': {
      if (parsed === null) return '-';
      let key = '(';
      for (const name in parsed) key += `${partKey((parsed as Record<string, unknown>)[name])},`;
      return `${key})`;
    }
    case 'bigint':
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(parsed);
    default:
      throw new Error(`a ${typeof parsed} is no question`);
  }
}

export interface PublicRoute {
  /** What clients see before our paths. */
  readonly publicUrl: string;
  /** The route, as in `/api/v2/pool/:id/delegations`. */
  readonly route: string;
  /** The names of the query's parameters that the route knows. */
  readonly known: readonly string[];
}

/** What says where a list begins, as a cursor does. */
const PLACES = ['offset', 'offset_mode', 'cursor'];

/** The URL of the next page: the same question with another cursor. Nothing else of the request's URL comes back. */
export function nextPageUrl(
  { publicUrl, route, known }: PublicRoute,
  params: Readonly<Record<string, string>>,
  query: Query,
  cursor: string,
): string {
  const path = route.replace(/:([a-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const kept = new URLSearchParams();
  for (const name of known) {
    const value = lastValue(query, name);
    if (value !== undefined && !PLACES.includes(name)) kept.set(name, value);
  }
  kept.set('cursor', cursor);
  return `${publicUrl}${path}?${kept}`;
}
