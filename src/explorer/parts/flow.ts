/** The list of a transaction's inputs, or outputs. */
import { type Html, html } from '../html.ts';
import { count } from './amount.ts';
import { slug } from './table.ts';

/** An output, or input, to be shown: what it is, what it is worth, what else it says. */
export interface Words {
  readonly what: Html;
  readonly worth: Html | null;
  readonly details: readonly Html[];
}

interface FlowOptions {
  /** "Inputs", "Outputs", "Reward". */
  readonly title: string;
  /** As in `output-3`, which links to one entry end with. */
  readonly anchor: string;
  /** All entries, from the first on. */
  readonly length: number;
  /** The place of the first shown entry. */
  readonly from: number;
  readonly entries: readonly Words[];
  /** Links to the entries before and after, where there are more. */
  readonly pages?: Html | null;
  readonly empty: string;
}

/** Entries of one page of the list. */
export const FLOW_PAGE = 100;

/** The first entry of the page that a parameter asks for by any of its entries; 0 for what is none. */
export function firstEntry(parameter: string | readonly string[] | undefined, pageSize = FLOW_PAGE): number {
  if (typeof parameter !== 'string' || !/^\d{1,6}$/.test(parameter)) return 0;
  return Number(parameter) - (Number(parameter) % pageSize);
}

/** The first entry of the last page of a list. */
export function lastPageStart(length: number): number {
  return length === 0 ? 0 : length - 1 - ((length - 1) % FLOW_PAGE);
}

export function flow({ title, anchor, length, from, entries, pages, empty }: FlowOptions): Html {
  const name = slug(title);
  const heading = html`<h2 id="${name}">${title} <span class="muted">${count(length)}</span></h2>`;
  if (entries.length === 0)
    return html`<section aria-labelledby="${name}">${heading}<p class="empty">${empty}</p></section>`;
  const items = entries.map(({ what, worth, details }, i) => {
    const place = from + i;
    const more = details.map((each) => html`<div class="more">${each}</div>`);
    return html`<li id="${`${anchor}-${place}`}"><span class="place">${place}</span><div class="what">${what}${more}</div><div class="sum">${worth}</div></li>`;
  });
  return html`<section aria-labelledby="${name}">${heading}<ol class="flow" start="${from}">${items}</ol>${pages}</section>`;
}
