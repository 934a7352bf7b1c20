/**
 * Reads and renders pages of lists by the API's cursors: page 10,000 costs as much as page 1, and no entry is shown
 * twice.
 */

import { type ShownEntries, shownEntries } from '../../serving/pagination/list-result.ts';
import { CURSOR_ONLY, type ListPage, rowRange } from '../../serving/pagination/paging.ts';
import { lastQueryValue, type UrlQuery } from '../../serving/parse/parameters.ts';
import { AGE_ORDERS, AGE_SORTS, type AgeSort } from '../../store/queries/lists/age-order.ts';
import { MOST_COUNTED } from '../../store/queries/lists/bounded-count.ts';
import type { List, ListOrder } from '../../store/queries/lists/define-list.ts';
import type { QueryRunner, SnapshotRows } from '../../store/read/query.ts';
import { Attributes, type Html, html, type SafeUrl } from '../html.ts';
import { badInput } from '../page-error.ts';
import type { Site } from '../site.ts';
import { englishOf, say, textOf, type Words } from '../words/catalogue.ts';
import { countHtml } from './amount.ts';
import { slug, type TableOrder } from './table.ts';

/** The default number of rows per page. */
const DEFAULT_ITEMS = '25';

/** Between the cursors of the pages that a visitor came through. */
const STEP = '.';
/** The most of them; of longer ways the last ones are kept, after an empty one. */
const MAX_STEPS = 20;

/** A page of a list, and the way to it: the cursors of the pages from the second one to this one. */
export type PageOnWay<Key> = ListPage<Key> & { readonly way?: string };

/** Returns the way to the page after one. */
function wayOn(way: string | undefined, next: string): string {
  const steps = way === undefined ? [] : way.split(STEP);
  return [...(steps.length >= MAX_STEPS ? ['', ...steps.slice(2)] : steps), next].join(STEP);
}

/** Returns the way to the page before one: null is the first page, undefined means that it is not known. */
function wayBack(way: string): string | null | undefined {
  const steps = way.split(STEP).slice(0, -1);
  if (steps.length === 0) return null;
  return steps.at(-1) === '' ? undefined : steps.join(STEP);
}

/** Returns the page that a request asks for with `cursor`, which is the way to it, and `items`. */
export function parseListPage<Selection, Key extends object>(
  query: UrlQuery,
  list: Pick<List<Selection, Key, never>, 'name' | 'fields'>,
  selection: NoInfer<Selection>,
  items = DEFAULT_ITEMS,
): PageOnWay<Key> {
  const { offset: _, cursor: _way, ...own } = query;
  const way = lastQueryValue(query, 'cursor');
  const cursor = way?.split(STEP).at(-1);
  const page = CURSOR_ONLY.parse({ ...own, items: own.items ?? items, ...(cursor && { cursor }) }, list, selection);
  return page.after === null ? page : { ...page, way: way! };
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
  /** The way to this page, which links keep; undefined for the first page. */
  readonly cursor: string | undefined;
}

/** Reads a page of a list. If there is a next page, `rows` has one row more than `entries`. */
export async function readListPage<Selection, Key extends object, Row, Entry extends Row>(
  store: QueryRunner,
  list: Omit<List<Selection, Key, Row, Entry>, 'anchors'>,
  page: PageOnWay<Key>,
  selection: NoInfer<Selection>,
): Promise<SnapshotRows<Row> & ShownPage<Entry>> {
  const read = await list.read(store, { ...selection, ...rowRange<Key, never>(page) });
  return { ...read, ...pageOfRows(list, page, read.rows) };
}

/** Makes a page from rows that were read. */
export function pageOfRows<Key extends object, Row, Entry extends Row>(
  list: ListOrder<Key, Row, Entry>,
  page: PageOnWay<Key>,
  rows: readonly Row[],
): ShownPage<Entry> {
  return { ...shownEntries(list, page, rows), isFirst: page.after === null, cursor: page.way };
}

interface PagingOptions {
  /** The other parameters that select the list. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Parameters of the link to the next page alone. */
  readonly next?: Readonly<Record<string, string | undefined>>;
  /** The id of the list in the page. */
  readonly anchor?: string;
  /** What the list is of, on a page with several lists. */
  readonly of?: Words;
  /** The name of the cursor's parameter, for a page with several lists. */
  readonly parameter?: string;
}

/** Names the links to the pages of a list. */
export const pagesLabel = (list: Words | undefined): string =>
  textOf(list === undefined ? 'Pages' : say('Pages: {list}', { list: textOf(list) }));

/** Renders links to the first, the previous and the next page. */
export function pagingLinks(
  site: Site,
  path: string,
  { isFirst, cursor: way, nextCursor }: Pick<ShownPage<unknown>, 'isFirst' | 'cursor' | 'nextCursor'>,
  { query = {}, next = {}, anchor, of, parameter = 'cursor' }: PagingOptions = {},
): Html | null {
  if (isFirst && nextCursor === null) return null;
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const link = (cursor: string | null) =>
    site.href(path, { ...query, ...(cursor !== null && next), [parameter]: cursor }, hash);
  const previous = way === undefined ? undefined : wayBack(way);
  return html`<nav class="paging" aria-label="${pagesLabel(of)}">${
    !isFirst && html`<a href="${link(null)}" rel="first">First page</a>`
  }${previous !== undefined && html`<a href="${link(previous)}" rel="prev">Previous page</a>`}${
    nextCursor === null
      ? html`<span class="muted">Last page</span>`
      : html`<a href="${link(wayOn(way, nextCursor))}" rel="next">Next page</a>`
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

const sectionId = (title: Words): string => `${slug(englishOf(title))}-list`;

interface FoldOptions {
  readonly count?: Html | undefined;
  readonly isOpen?: boolean | undefined;
  /** Does a phone show only the first rows? The page of the list has the others. */
  readonly isPart?: boolean;
}

/** Says how many entries a list has that were counted up to {@link MOST_COUNTED}. */
export const entryCount = (count: number): Html =>
  count > MOST_COUNTED ? html`${countHtml(MOST_COUNTED)}+` : countHtml(count);

/** Renders a part of a page that its heading opens and closes. */
export function fold(title: Words, content: Html, { count, isOpen = false, isPart = false }: FoldOptions = {}): Html {
  const number = count !== undefined && html` <span class="count">${count}</span>`;
  const attributes = Attributes.of({ class: isPart ? 'fold part' : 'fold', open: isOpen && '' });
  return html`<details${attributes} aria-labelledby="${sectionId(title)}"><summary>${sectionHeading(title)}${number}</summary>${content}</details>`;
}

function sectionHeading(title: Words): Html {
  return html`<h2 id="${sectionId(title)}">${textOf(title)}</h2>`;
}

interface FoldedList {
  readonly title: Words;
  /** The name of its entries in "All transactions". */
  readonly plural: Words;
  /** The path of the page with the whole list. */
  readonly path: string;
  /** The number of entries shown. */
  readonly length: number;
  /** The number of all, which stands beside the title; undefined if it is not known. */
  readonly count: Html | undefined;
  readonly table: Html;
  /** What stands beside the link to the whole list. */
  readonly more?: Html;
  readonly isOpen?: boolean;
}

/** The rows of a part of a list that a phone shows. */
const PHONE_ROWS = 3;

/** Returns how many entries a list has; undefined if there are more than are shown. */
export const knownCount = ({ length }: readonly unknown[], most: number): Html | undefined =>
  length > most ? undefined : countHtml(length);

/** Renders the first entries of a list, which its heading opens and closes, with a link to the whole list. */
export function foldedList(site: Site, list: FoldedList): Html {
  const { title, plural, path, length, count, table, more, isOpen } = list;
  const all = length > PHONE_ROWS && html`<a href="${site.href(path)}">All ${textOf(plural)}</a>`;
  const links = (all || more) && html`<p class="paging">${all}${more}</p>`;
  return fold(title, html`${table}${links}`, { count, isOpen, isPart: true });
}
