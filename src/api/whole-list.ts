/** Lists that are given as a whole unless a page is asked for. */
import type { Answer } from '../store/read/question.ts';
import type { Reader } from '../store/read/reader.ts';
import { type ListPage, rowsToRead } from './page.ts';

/** Lists up to this length are read together with those of others; longer ones on their own. */
export const SHORT_LIST = 400;

/** Asks for so many entries of a list in the way that it is given. */
type AskList<Row, Items> = (ask: Reader['ask'], items: Items) => Promise<Answer<Row>>;

/** The first entries of a list, together with the questions of others. */
export function readTogether<Row, Items>(
  reader: Reader,
  items: Items,
  list: AskList<Row, Items>,
): Promise<Answer<Row>> {
  return list((...question) => reader.ask(...question), items);
}

/** All of a list when it is as long as `most.short` at most; otherwise, asked for alone, its first `most.whole` entries. */
export async function readWhole<Row, Whole extends number | null>(
  reader: Reader,
  most: { readonly short: number; readonly whole: Whole },
  lengthOf: (rows: readonly Row[]) => number,
  list: AskList<Row, number | Whole>,
): Promise<Answer<Row>> {
  const short = await readTogether(reader, most.short + 1, list);
  if (lengthOf(short.rows) <= most.short) return short;
  return list((...question) => reader.askWhole(...question), most.whole);
}

/** The rows of a page, or for null all of them. `list` asks for as many rows, null for all, in the way that it is given. */
export function readList<Row>(
  reader: Reader,
  page: ListPage | null,
  list: AskList<Row, number | null>,
): Promise<Answer<Row>> {
  if (page) return readTogether(reader, rowsToRead(page), list);
  return readWhole(reader, { short: SHORT_LIST, whole: null }, (rows) => rows.length, list);
}
