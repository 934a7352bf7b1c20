/**
 * Pages of lists. One rule holds for every list: with `cursor`, even an empty one (the first page), the answer is the
 * envelope `{"items":[…],"next_cursor":"…" or null}`; without it, most lists are bare arrays. A page is read with one
 * entry more than asked for, which tells whether there is a next one.
 */
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { type Page, parsePage, type Query, rowsToSkip } from '../parse/parameters.ts';
import { badRequest } from '../route/api-error.ts';
import type { RouteResult } from '../route/context.ts';
import { type CursorField, decodeCursor, encodeCursor } from './cursor.ts';

export interface ListPage {
  /** Names the list and all that selects its entries: what a cursor is bound to. */
  readonly list: string;
  /** The sort key of the entry before the page; null for the start of the list. */
  readonly after: readonly string[] | null;
  /** Entries to leave out before the page. */
  readonly skipped: number;
  readonly hasOffset: boolean;
  readonly offset: bigint;
  /** How many entries the page has, at most. */
  readonly items: number;
  readonly shape: 'array' | 'envelope';
}

/**
 * Reads `offset`, `items` and `cursor` for a list whose sort key has these fields: a bare array without a cursor, an
 * envelope with one. Both SDKs send an offset with a cursor: it is checked and has no effect.
 */
export function listPage(query: Query, list: string, fields: readonly CursorField[]): ListPage {
  const asked = parsePage(query);
  return toListPage(asked, list, fields, asked.cursor === undefined ? 'array' : 'envelope');
}

/** The same for a list that is given whole, as a bare array, unless `cursor` asks for a page. Null: everything. */
export function wholeOrPage(query: Query, list: string, fields: readonly CursorField[]): ListPage | null {
  return query.cursor === undefined ? null : toListPage(parsePage(query), list, fields, 'envelope');
}

/** The same for a list that always comes in envelopes; `offset` is checked and has no effect. */
export function envelopePage(query: Query, list: string, fields: readonly CursorField[]): ListPage {
  const asked = parsePage(query);
  return toListPage({ ...asked, cursor: asked.cursor ?? '' }, list, fields, 'envelope');
}

/** The same for a list of ours that mintlayer-core does not have: an offset is refused. */
export function cursorPage(query: Query, list: string, fields: readonly CursorField[]): ListPage {
  if (query.offset !== undefined) throw badRequest('Invalid offset: this list is paged by cursor');
  return envelopePage(query, list, fields);
}

function toListPage(
  { cursor, offset, hasOffset, items }: Page,
  list: string,
  fields: readonly CursorField[],
  shape: ListPage['shape'],
): ListPage {
  if (cursor === undefined) return { list, after: null, skipped: rowsToSkip(offset), hasOffset, offset, items, shape };
  const after = cursor === '' ? null : decodeCursor(list, fields, cursor);
  return { list, after, skipped: 0, hasOffset: false, offset: 0n, items, shape };
}

/** How many rows to read for a page; null for all. */
export function rowLimit(asked: ListPage | null): number | null {
  return asked === null ? null : asked.items + 1;
}

/** How the rows of a list become its answer. */
export interface ListOf<Row> {
  /** The sort key of an entry, as its cursors hold it. */
  readonly key: (row: Row) => readonly (string | number | bigint)[];
  /** The entry as JSON. */
  readonly text: (row: Row) => string;
}

/** The answer with a page of a list, of which one row more than the page was read; for null with all rows. */
export function listResult<Row>(
  asked: ListPage | null,
  { tip, rows }: { readonly tip: SnapshotTip; readonly rows: readonly Row[] },
  { key, text }: ListOf<Row>,
): RouteResult & { readonly tip: SnapshotTip } {
  const hasMore = asked !== null && rows.length > asked.items;
  const given = hasMore ? rows.slice(0, asked.items) : rows;
  const next = hasMore ? encodeCursor(asked.list, key(given.at(-1)!)) : undefined;
  const array = `[${given.map(text).join(',')}]`;
  if (asked?.shape !== 'envelope') return { text: array, tip, next };
  return { text: `{"items":${array},"next_cursor":${next === undefined ? null : `"${next}"`}}`, tip, next };
}
