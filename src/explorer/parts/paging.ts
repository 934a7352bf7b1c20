/**
 * Reads and renders pages of lists by the API's cursors: page 10,000 costs as much as page 1, and no entry is shown
 * twice.
 */

import { type ShownEntries, shownEntries } from '../../serving/pagination/list-result.ts';
import { CURSOR_ONLY, encodeCursor, type ListPage, rowRange } from '../../serving/pagination/paging.ts';
import { lastQueryValue, type UrlQuery } from '../../serving/parse/parameters.ts';
import { AGE_ORDERS, AGE_SORTS, type AgeSort } from '../../store/queries/lists/age-order.ts';
import type { List, ListOrder } from '../../store/queries/lists/define-list.ts';
import type { QueryRunner, SnapshotRows } from '../../store/read/query.ts';
import { Attributes, type Html, type HtmlValue, html, type SafeUrl } from '../html.ts';
import { badInput } from '../page-error.ts';
import type { Site } from '../site-urls.ts';
import { englishOf, say, textOf, type Words } from '../words/catalogue.ts';
import { slug, type TableOrder } from './table.ts';

/** The default number of rows per page. */
const DEFAULT_ITEMS = '25';

/** Returns the page that a request asks for with `cursor` and `items`. */
export function parseListPage<Selection, Key extends object>(
  query: UrlQuery,
  list: Pick<List<Selection, Key, never>, 'name' | 'fields'>,
  selection: NoInfer<Selection>,
  items = DEFAULT_ITEMS,
): ListPage<Key> {
  const { offset: _, ...own } = query;
  return CURSOR_ONLY.parse({ ...own, items: own.items ?? items }, list, selection);
}

/** Returns the parameter `sort`, `usual` unless given. Throws the error 400 with the message. */
export function parseSort<Sort extends string>(query: UrlQuery, sorts: readonly Sort[], usual: Sort, message: Words) {
  const sort = sorts.find((known) => known === (lastQueryValue(query, 'sort') ?? usual));
  if (sort === undefined) throw badInput(message);
  return sort;
}

/** The order of a list by the height at which its entries were created. Throws the error 400. */
export const parseAgeSort = (query: UrlQuery): AgeSort =>
  parseSort(query, AGE_SORTS, 'by_height', say('The list is sorted {sorts}.', { sorts: AGE_SORTS.join(', ') }));

/** The query of a link to a list in such an order. */
export const ageQuery = (sort: AgeSort) => ({ sort: sort === 'by_height' ? undefined : sort });

/** The order of a table by age: the label of its column leads to the other one. */
export function ageSortColumn(
  sort: AgeSort,
  link: (query: ReturnType<typeof ageQuery>) => SafeUrl,
): TableOrder<AgeSort> {
  const other = sort === 'by_height' ? 'by_age' : 'by_height';
  const direction = AGE_ORDERS[sort].direction === 'desc' ? 'descending' : 'ascending';
  return { sort, direction, link: () => link(ageQuery(other)) };
}

/** A page of a list, read from the store. */
export interface ShownPage<Entry> extends ShownEntries<Entry> {
  readonly isFirst: boolean;
  /** The cursor of this page, which links keep; undefined for the first page. */
  readonly cursor: string | undefined;
}

/** Reads a page of a list. If there is a next page, `rows` has one row more than `entries`. */
export async function readListPage<Selection, Key extends object, Row, Entry extends Row>(
  store: QueryRunner,
  list: Omit<List<Selection, Key, Row, Entry>, 'anchors'>,
  page: ListPage<Key>,
  selection: NoInfer<Selection>,
): Promise<SnapshotRows<Row> & ShownPage<Entry>> {
  const read = await list.read(store, { ...selection, ...rowRange(page) });
  return { ...read, ...shownPage(list, page, read.rows) };
}

/** Makes a page from rows that were read. */
export function shownPage<Key extends object, Row, Entry extends Row>(
  list: ListOrder<Key, Row, Entry>,
  page: ListPage<Key>,
  rows: readonly Row[],
): ShownPage<Entry> {
  const { after } = page;
  const cursor = after === null ? undefined : encodeCursor(page.list, list.fields, after);
  return { ...shownEntries(list, page, rows), isFirst: after === null, cursor };
}

interface PagingOptions {
  /** The other parameters that select the list. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Parameters of the link to the next page alone. */
  readonly next?: Readonly<Record<string, string | undefined>>;
  /** The id of the list in the page. */
  readonly anchor?: string;
  readonly label?: Words;
  /** The name of the cursor's parameter, for a page with several lists. */
  readonly parameter?: string;
}

/** Renders links to the first and to the next page. */
export function pagingLinks(
  site: Site,
  path: string,
  { isFirst, nextCursor }: Pick<ShownPage<unknown>, 'isFirst' | 'nextCursor'>,
  { query = {}, next = {}, anchor, label = 'Pages of the list', parameter = 'cursor' }: PagingOptions = {},
): Html | null {
  if (isFirst && nextCursor === null) return null;
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const link = (cursor: string | null) =>
    site.href(path, { ...query, ...(cursor !== null && next), [parameter]: cursor }, hash);
  return html`<nav class="paging" aria-label="${textOf(label)}">${
    isFirst ? html`<span class="muted">First page</span>` : html`<a href="${link(null)}" rel="first">First page</a>`
  }${
    nextCursor === null
      ? html`<span class="muted">Last page</span>`
      : html`<a href="${link(nextCursor)}" rel="next">Next page</a>`
  }</nav>`;
}

/** A list that stands in the place of others. */
interface ListChoice {
  readonly text: Words;
  readonly url: SafeUrl;
  readonly isShown: boolean;
}

/** Renders links to such lists; the one that is shown has none. */
export function listChoices(label: Words, choices: readonly ListChoice[]): Html {
  const links = choices.map(({ text, url, isShown }) =>
    isShown ? html`<strong aria-current="true">${textOf(text)}</strong>` : html`<a href="${url}">${textOf(text)}</a>`,
  );
  return html`<nav class="paging" aria-label="${textOf(label)}">${links}</nav>`;
}

/** Returns how many entries a list has: if there are more than are shown, at least so many. */
export const countText = (shown: number, hasMore: boolean): string => `${shown}${hasMore ? '+' : ''}`;

const sectionId = (title: Words): string => `${slug(englishOf(title))}-list`;

interface FoldOptions {
  readonly count?: HtmlValue;
  readonly isOpen?: boolean | undefined;
  /** Does a phone show only the first rows? The page of the list has the others. */
  readonly isPart?: boolean;
}

/** Renders a part of a page that its heading opens and closes. */
export function fold(title: Words, content: Html, { count, isOpen = false, isPart = false }: FoldOptions = {}): Html {
  const number = count !== undefined && html` <span class="number">${count}</span>`;
  const attributes = Attributes.of({ class: isPart ? 'fold part' : 'fold', open: isOpen && '' });
  return html`<details${attributes} aria-labelledby="${sectionId(title)}"><summary>${sectionHeading(title)}${number}</summary>${content}</details>`;
}

function sectionHeading(title: Words): Html {
  return html`<h2 id="${sectionId(title)}">${textOf(title)}</h2>`;
}

interface FoldedList {
  readonly title: Words;
  /** The path of the page with the whole list. */
  readonly path: string;
  /** The number of its entries, as far as they were read. */
  readonly length: number;
  /** The number that stands beside the title; that of the entries by default. */
  readonly count?: HtmlValue;
  readonly table: Html;
  /** What stands beside the link to the whole list. */
  readonly more?: Html;
  readonly isOpen?: boolean;
}

/** The rows of a part of a list that a phone shows. */
const PHONE_ROWS = 3;

/** Renders the first entries of a list, which its heading opens and closes, with a link to the whole list. */
export function foldedList(site: Site, list: FoldedList): Html {
  const { title, path, length, count = length, table, more, isOpen } = list;
  const all =
    length > PHONE_ROWS && html`<a href="${site.href(path)}">All<span class="sr">: ${textOf(title)}</span></a>`;
  const links = (all || more) && html`<p class="paging">${all}${more}</p>`;
  return fold(title, html`${table}${links}`, { count, isOpen, isPart: true });
}
