/** The end of every list: the entries to show, the cursor of the next page, and both as a response body. */
import type { ListOrder } from '../../store/queries/list.ts';
import { encodeCursor } from './cursor.ts';
import type { ListPage } from './page.ts';

/** A body, with the cursor of the list's next page where there is one. */
export interface JsonBody {
  readonly text: string;
  readonly nextCursor?: string | undefined;
}

interface ShownEntries<Entry> {
  readonly entries: readonly Entry[];
  /** The cursor of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** The entries to show of a page, of which `rowRange` has been read: one more than it has tells that there is a next one. */
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

/** The body for a page: an array or an envelope. */
export function listResult<Key extends object, Row, Entry extends Row>(
  order: ListOrder<Key, Row, Entry>,
  page: ListPage<unknown, null>,
  rows: readonly Row[],
  json: (entry: Entry) => string,
): JsonBody {
  const { entries, nextCursor } = shownEntries(order, page, rows);
  const array = `[${entries.map(json).join(',')}]`;
  if (page.shape === 'array') return { text: array, nextCursor: nextCursor ?? undefined };
  const cursorJson = nextCursor === null ? null : `"${nextCursor}"`;
  return { text: `{"items":${array},"next_cursor":${cursorJson}}`, nextCursor: nextCursor ?? undefined };
}
