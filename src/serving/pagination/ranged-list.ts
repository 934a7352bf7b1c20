/** The entries of a list, newest first, that are in a range of the chain: the parameters `from` and `to`. */

import {
  type ChainRange,
  getRangeBounds,
  type RangeBoundsRow,
  rangeName,
  rangeParameters,
} from '../../store/queries/blocks/chain-points.ts';
import type { List } from '../../store/queries/lists/define-list.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { badRequest } from '../errors/api-error.ts';
import { parseRange } from '../parse/chain-points.ts';
import type { UrlQuery } from '../parse/parameters.ts';

/** A selection of a list that may be cut to a range; null: the whole list. */
export interface RangedSelection {
  readonly range: ChainRange | null;
}

/** Parses `from` and `to` of a list; null if there is neither. Throws the error 400, also without a cursor where pages may be by offset. */
export function parseListRange(query: UrlQuery, needsCursor = false): ChainRange | null {
  const range = parseRange(query);
  if (range.from === null && range.to === null) return null;
  if (needsCursor && query.cursor === undefined) {
    throw badRequest(`Invalid ${range.from === null ? 'to' : 'from'}: it is for pages by \`cursor\``);
  }
  return range;
}

/** The sort key of lists by height, and of lists by the global index of transactions. */
type RangedKey = { readonly height: number } | { readonly txIndex: number };

const numberOf = (key: RangedKey): number => ('height' in key ? key.height : key.txIndex);

/** The lists by height, or by the global index. */
export const BY_HEIGHT = {
  bounds: ({ first, below }: RangeBoundsRow) => ({ first, below }),
  key: (height: number) => ({ height }),
};
export const BY_TRANSACTION = {
  bounds: ({ first_tx: first, below_tx: below }: RangeBoundsRow) => ({ first, below }),
  key: (txIndex: number) => ({ txIndex }),
};

/** Returns a list cut to the range of its selection; the list itself if that is null. Its cursors are of this range alone. */
export function rangedList<Selection, Key extends RangedKey, Row, Entry extends Row>(
  list: List<Selection, Key, Row, Entry>,
  { range }: RangedSelection,
  {
    bounds,
    key,
  }: { readonly bounds: (row: RangeBoundsRow) => { first: number; below: number }; readonly key: (at: number) => Key },
): List<Selection, Key, Row, Entry> {
  if (range === null) return list;
  const { anchors: _, ...cut } = list;
  return {
    ...cut,
    sortKey: list.sortKey,
    isEntry: list.isEntry,
    name: (selection) => `${list.name(selection)} in ${rangeName(range)}`,
    read: async (store, page) => {
      const at = await getRangeBounds(store, ...rangeParameters(range));
      const { first, below } = bounds(at.rows[0]!);
      const isBelow = page.after !== null && numberOf(page.after) < below;
      const read = await list.read(store, { ...page, after: isBelow ? page.after : key(below) });
      requireSameTip(read, at);
      return { ...read, rows: read.rows.filter((row) => !list.isEntry(row) || numberOf(list.sortKey(row)) >= first) };
    },
  };
}
