/** One page of a list: it is read with one entry more than asked for, which tells whether there is a next page. */
import { type CursorField, decodeCursor, encodeCursor } from './cursor.ts';
import { badRequest } from './error.ts';
import { type Page, page, type Query, rowsToSkip } from './parameter.ts';

export interface ListPage {
  readonly list: string;
  /** The sort key of the entry before the page; null for the start of the list. */
  readonly after: readonly string[] | null;
  readonly skipped: number;
  readonly hasOffset: boolean;
  readonly offset: bigint;
  /** How many entries the page has, at most. */
  readonly items: number;
}

/** Reads `offset`, `items` and `cursor` for a list whose sort key has these fields. */
export function listPage(query: Query, list: string, fields: readonly CursorField[]): ListPage {
  return toListPage(page(query), list, fields);
}

/** Which parameters ask for a page of a list that is given as a whole otherwise. */
export type PagedBy = 'items or cursor' | 'cursor';

/**
 * The same for a list that gives everything unless a page is asked for: by `cursor`, which may be empty for the first
 * page, and perhaps by `items` alone. It has no offset. Null: everything.
 */
export function optionalListPage(
  query: Query,
  list: string,
  fields: readonly CursorField[],
  pagedBy: PagedBy,
): ListPage | null {
  const isPage = query.cursor !== undefined || (pagedBy === 'items or cursor' && query.items !== undefined);
  if (!isPage) return null;
  const asked = page(query);
  if (asked.hasOffset) throw badRequest('Invalid offset: this list is paged by cursor');
  return toListPage({ ...asked, cursor: asked.cursor === '' ? undefined : asked.cursor }, list, fields);
}

function toListPage(
  { cursor, offset, hasOffset, items }: Page,
  list: string,
  fields: readonly CursorField[],
): ListPage {
  const after = cursor === undefined ? null : decodeCursor(list, fields, cursor);
  return { list, after, skipped: rowsToSkip(offset), hasOffset, offset, items };
}

/** How many rows to read for a page; null for all. */
export function rowsToRead(asked: ListPage | null): number | null {
  return asked === null ? null : asked.items + 1;
}

/** The entries of the page and the cursor of the next one. `key` gives the sort key of an entry. */
export function cut<Row>(
  asked: ListPage,
  rows: readonly Row[],
  key: (row: Row) => readonly (string | number | bigint)[],
): { readonly rows: readonly Row[]; readonly next: string | undefined } {
  if (rows.length <= asked.items) return { rows, next: undefined };
  const given = rows.slice(0, asked.items);
  const last = given.at(-1);
  return { rows: given, next: last === undefined ? undefined : encodeCursor(asked.list, key(last)) };
}
