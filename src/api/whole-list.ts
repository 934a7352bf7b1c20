/** Lists that are given as a whole unless a page is asked for. */
import type { Answer } from '../store/read/question.ts';
import type { Reader } from '../store/read/reader.ts';
import { type ListPage, rowsToRead } from './page.ts';

/** Lists up to this length are read together with those of others; longer ones on their own. */
const SHORT_LIST = 400;

/** The rows of a page, or for null all of them. `list` asks for as many rows, null for all, in the way that it is given. */
export async function readList<Row>(
  reader: Reader,
  page: ListPage | null,
  list: (ask: Reader['ask'], items: number | null) => Promise<Answer<Row>>,
): Promise<Answer<Row>> {
  const together: Reader['ask'] = (...question) => reader.ask(...question);
  if (page) return list(together, rowsToRead(page));
  const short = await list(together, SHORT_LIST + 1);
  if (short.rows.length <= SHORT_LIST) return short;
  return list((...question) => reader.askWhole(...question), null);
}
