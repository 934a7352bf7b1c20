/** The end of every list: its rows as a response body. */
import type { JsonBody } from '../route/get-route.ts';
import { encodeCursor } from './cursor.ts';
import type { ListPage } from './page.ts';

/** How the rows of a list are presented. */
export interface RowPresenter<Row, After> {
  /** The row's sort key, its fields in the order of the list's. */
  readonly sortKey: (row: Row) => After;
  /** The entry as JSON. */
  readonly json: (row: Row) => string;
}

/** The body for a page, of which {@link rowRange} has been read: an array or an envelope, and the next page's cursor. */
export function listResult<Row, After extends object>(
  { list, limit, shape }: ListPage<After>,
  rows: readonly Row[],
  { sortKey, json }: RowPresenter<Row, After>,
): JsonBody {
  const hasMore = limit !== null && rows.length > limit;
  const shown = hasMore ? rows.slice(0, limit) : rows;
  const nextCursor = hasMore ? encodeCursor(list, sortKey(shown.at(-1)!)) : undefined;
  const array = `[${shown.map(json).join(',')}]`;
  if (shape === 'array') return { text: array, nextCursor };
  const cursorJson = nextCursor === undefined ? null : `"${nextCursor}"`;
  return { text: `{"items":${array},"next_cursor":${cursorJson}}`, nextCursor };
}
