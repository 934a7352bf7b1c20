/**
 * Pages of lists. One rule holds for every list: with the parameter `cursor`, even an empty one (the first page), the
 * response is the envelope `{"items":[…],"next_cursor":"…" or null}`; without it, most lists are bare arrays. A page is
 * read with one row more than it shows: that row tells whether there is a next page.
 */
import { lastValue, parseUnsigned, type Query } from '../parse/parameters.ts';
import { badRequest } from '../route/api-error.ts';
import { decodeCursor, type SortFields, type SortKey } from './cursor.ts';

/** `offset`, `items` and `cursor` of a request. */
interface PageParameters {
  /** Entries of the list before the page. */
  readonly offset: bigint;
  readonly hasOffset: boolean;
  /** 1 … 100. */
  readonly items: number;
  /** Empty for the first page; undefined when the parameter is absent. */
  readonly cursor: string | undefined;
}

/**
 * A page of a list, or all of it. `After` is the list's sort key; `Limit` is a number where the list is always paged, or
 * null as well where it may be read whole.
 */
export interface ListPage<After = unknown, Limit extends number | null = number | null> {
  /** Names the list and everything that selects its entries: what a cursor is bound to. */
  readonly list: string;
  /** The sort key of the entry before the page; null for the start of the list. */
  readonly after: After | null;
  /** Entries to skip after that. */
  readonly skip: number;
  /** The parameter `offset`; null where it is absent or has no effect. */
  readonly offset: bigint | null;
  /** Maximum number of entries; null for all. */
  readonly limit: Limit;
  readonly shape: 'array' | 'envelope';
}

/** The rows to read for a page. */
export interface RowRange<After, Limit extends number | null> {
  /** The sort key of the row before the first one; null for the start of the list. */
  readonly after: After | null;
  readonly skip: number;
  /** Null for all rows. */
  readonly limit: Limit;
}

const DEFAULT_ITEMS = '10';
const MAX_ITEMS = 100n;
/** No list is longer; the sum of this and the length of a page fits PostgreSQL's `bigint`. */
const MAX_OFFSET = 10n ** 15n;

/**
 * A bare array without `cursor`, an envelope with it. mintlayer-core's SDKs send both `offset` and `cursor`: the offset is
 * validated then, and has no effect.
 */
export function parseArrayOrEnvelopePage<const Fields extends SortFields>(
  query: Query,
  list: string,
  fields: Fields,
): ListPage<SortKey<Fields>, number> {
  const parameters = parsePageParameters(query);
  return toPage(parameters, list, fields, parameters.cursor === undefined ? 'array' : 'envelope');
}

/** For a list that is read whole, as a bare array, unless `cursor` asks for a page. */
export function parseUnpaged<const Fields extends SortFields>(
  query: Query,
  list: string,
  fields: Fields,
): ListPage<SortKey<Fields>, number | null> {
  if (query.cursor !== undefined) return toPage(parsePageParameters(query), list, fields, 'envelope');
  return { list, after: null, skip: 0, offset: null, limit: null, shape: 'array' };
}

/** For a list whose pages are always envelopes; `offset` is validated and has no effect. */
export function parseEnvelopePage<const Fields extends SortFields>(
  query: Query,
  list: string,
  fields: Fields,
): ListPage<SortKey<Fields>, number> {
  const parameters = parsePageParameters(query);
  return toPage({ ...parameters, cursor: parameters.cursor ?? '' }, list, fields, 'envelope');
}

/** For a list that mintlayer-core does not have: `offset` is the error 400. */
export function parseCursorPage<const Fields extends SortFields>(
  query: Query,
  list: string,
  fields: Fields,
): ListPage<SortKey<Fields>, number> {
  if (query.offset !== undefined) throw badRequest('Invalid offset: this list is paged by cursor');
  return parseEnvelopePage(query, list, fields);
}

/** Validates `offset` and then `items`; throws the error 400. */
export function parsePageParameters(query: Query): PageParameters {
  const offsetText = lastValue(query, 'offset');
  const offset = offsetText === undefined ? 0n : parseUnsigned(offsetText, 'Invalid offset');
  const itemsMessage = 'Invalid number of items';
  const items = parseUnsigned(lastValue(query, 'items') ?? DEFAULT_ITEMS, itemsMessage, MAX_ITEMS);
  if (items === 0n) throw badRequest(itemsMessage);
  return { offset, hasOffset: offsetText !== undefined, items: Number(items), cursor: lastValue(query, 'cursor') };
}

/** An offset as a number that PostgreSQL takes. */
export function offsetNumber(offset: bigint): number {
  return Number(offset > MAX_OFFSET ? MAX_OFFSET : offset);
}

/** The rows of a page, and the one after it. */
export function rowRange<After, Limit extends number | null>({
  after,
  skip,
  limit,
}: ListPage<After, Limit>): RowRange<After, Limit> {
  return { after, skip, limit: (limit === null ? null : limit + 1) as Limit };
}

function toPage<Fields extends SortFields>(
  { cursor, offset, hasOffset, items }: PageParameters,
  list: string,
  fields: Fields,
  shape: ListPage['shape'],
): ListPage<SortKey<Fields>, number> {
  if (cursor === undefined) {
    return { list, after: null, skip: offsetNumber(offset), offset: hasOffset ? offset : null, limit: items, shape };
  }
  const after = cursor === '' ? null : decodeCursor(list, fields, cursor);
  return { list, after, skip: 0, offset: null, limit: items, shape };
}
