/** Renders the list of a transaction's inputs or outputs. */
import { Attributes, Html, html, type SafeUrl } from '../html.ts';
import { textOf, type Words } from '../words/catalogue.ts';
import { countHtml } from './amount.ts';
import { pagesLabel } from './paging.ts';
import { slug } from './table.ts';

/** An input or output to be shown: its description, its value, and details. */
export interface EntryDescription {
  readonly what: Html;
  readonly worth: Html | null;
  readonly details: readonly Html[];
}

type Detail = Html | null | undefined | false;

/** Makes the description of an input or output. Details that are missing are left out. */
export function entryDescription(what: Html, worth: Html | null, ...details: readonly Detail[]): EntryDescription {
  return { what, worth, details: details.filter((each) => each instanceof Html) };
}

/** The lists by what they show. The anchor of an entry has its index: `output-3`. */
const LISTS = {
  inputs: { title: 'Inputs', anchor: 'input', empty: 'The transaction has no inputs.' },
  outputs: { title: 'Outputs', anchor: 'output', empty: 'The transaction has no outputs.' },
  reward: { title: 'Reward outputs', anchor: 'reward', empty: 'The block has no reward outputs.' },
  genesis: { title: 'Outputs', anchor: 'reward', empty: 'The genesis has no outputs.' },
} as const satisfies Readonly<Record<string, { title: Words; anchor: string; empty: Words }>>;

interface ShownEntries {
  /** The number of all entries. */
  readonly length: number;
  /** The index of the first entry shown. */
  readonly from?: number;
  readonly entries: readonly EntryDescription[];
  /** Links to the entries before and after, if there are more. */
  readonly pages?: Html | null;
}

/** The number of entries per page of the list. */
export const ENTRIES_PER_PAGE = 100;

/** Returns the first entry of the page that contains the entry named in a parameter; 0 for an invalid parameter. */
export function firstEntryOfPage(
  parameter: string | readonly string[] | undefined,
  pageSize = ENTRIES_PER_PAGE,
): number {
  if (typeof parameter !== 'string' || !/^\d{1,6}$/.test(parameter)) return 0;
  return Number(parameter) - (Number(parameter) % pageSize);
}

/** Returns the first entry of the last page of a list. */
export function lastPageStart(length: number): number {
  return length === 0 ? 0 : length - 1 - ((length - 1) % ENTRIES_PER_PAGE);
}

export function inputOutputList(list: keyof typeof LISTS, { length, from = 0, entries, pages }: ShownEntries): Html {
  const { title, anchor, empty } = LISTS[list];
  const name = slug(title);
  const heading = html`<h2 id="${name}">${textOf(title)} <span class="muted">${countHtml(length)}</span></h2>`;
  if (entries.length === 0) {
    return html`<section aria-labelledby="${name}">${heading}<p class="empty">${textOf(empty)}</p></section>`;
  }
  const items = entries.map(({ what, worth, details }, i) => {
    const place = from + i;
    const more = details.map((each) => html`<div class="more">${each}</div>`);
    return html`<li id="${`${anchor}-${place}`}"><span class="place">${place}</span><div class="what">${what}${more}</div><div class="sum">${worth}</div></li>`;
  });
  return html`<section aria-labelledby="${name}">${heading}<ol class="flow" start="${from}">${items}</ol>${pages}</section>`;
}

export interface PositionPaging {
  /** What the list is of, on a page with several lists. */
  readonly of?: Words;
  /** The index of the first entry shown, the number of all, and the entries per page. */
  readonly from: number;
  readonly length: number;
  readonly pageSize?: number;
  /** The number that the list shows for its first entry. */
  readonly firstPosition?: 0 | 1;
  readonly href: (place: number) => SafeUrl;
  readonly rel?: string;
}

/** Renders links to the entries before and after; null if one page has all. */
export function positionPagingLinks({
  of,
  from,
  length,
  pageSize = ENTRIES_PER_PAGE,
  firstPosition = 0,
  href,
  rel,
}: PositionPaging): Html | null {
  if (length <= pageSize) return null;
  const link = (place: number, text: Words) =>
    html`<a href="${href(place)}"${Attributes.of({ rel })}>${textOf(text)}</a>`;
  const to = Math.min(from + pageSize, length);
  return html`<nav class="paging" aria-label="${pagesLabel(of)}">${from > 0 && link(from - pageSize, 'Previous')}<span class="muted">${from + firstPosition} to ${to - 1 + firstPosition} of ${length}</span>${to < length && link(to, 'Next')}</nav>`;
}
