/** Renders links to exports, and parses their period. */

import { DAY_SECONDS } from '../../chain/calendar.ts';
import { lastQueryValue, type UrlQuery } from '../../serving/parse/parameters.ts';
import { type Html, html } from '../html.ts';
import { badInput } from '../page-error.ts';
import type { Site } from '../site.ts';
import { firstSecondOfDay } from '../visitor-input.ts';
import { textOf, type Words } from '../words/catalogue.ts';

/** The first and the last day of a period as texts; empty for no bound. */
export interface PeriodTexts {
  readonly from: string;
  readonly to: string;
}

/** Parses the period of a page. Throws the error 400. */
export function parsePeriod(query: UrlQuery): PeriodTexts {
  const from = lastQueryValue(query, 'from') ?? '';
  const to = lastQueryValue(query, 'to') ?? '';
  for (const day of [from, to]) if (day !== '') firstSecondOfDay(day);
  if (from !== '' && to !== '' && from > to) throw badInput('The first day of a period cannot be after its last day.');
  return { from, to };
}

/** Returns the parameters `from` and `to` of the API for a period of days, both included. */
export function periodQuery({ from, to }: PeriodTexts): Record<string, string> {
  return {
    ...(from !== '' && { from: `${firstSecondOfDay(from)}` }),
    ...(to !== '' && { to: `${firstSecondOfDay(to) + DAY_SECONDS}` }),
  };
}

/** Renders a link to a file of a list. `path`: of the API; `query`: what selects the entries, and the format. */
export function fileLink(site: Site, path: string, query: Readonly<Record<string, string>>, text: Html | string): Html {
  return html`<a class="button" href="${site.api(`${path}?${new URLSearchParams(query)}`)}" download>${text}</a>`;
}

export interface DownloadOptions {
  /** What opens the other formats. */
  readonly title?: Words;
  readonly beside?: Html;
  readonly others?: Html;
}

/** Renders links to the files of a list: CSV, and the others where they are asked for. `query`: what selects the entries. */
export function downloadLinks(
  site: Site,
  path: string,
  query: Readonly<Record<string, string>> = {},
  { title = 'More formats', beside, others }: DownloadOptions = {},
): Html {
  const link = (text: Html | string, format: Readonly<Record<string, string>>) =>
    fileLink(site, path, { ...query, ...format }, text);
  return html`<div class="downloads">${link(html`Download CSV`, { format: 'csv' })}${beside}<details><summary>${textOf(title)}</summary>${others}<p class="buttons">${link(html`CSV with decimal commas`, { format: 'csv', decimal: ',' })}${link('NDJSON', { format: 'ndjson' })}</p></details></div>`;
}

/** Says which days a period has. */
export function periodText({ from, to }: PeriodTexts): Html {
  if (from === '' && to === '') return html`All time (UTC)`;
  if (from === '') return html`To ${to} (UTC)`;
  return to === '' ? html`From ${from} (UTC)` : html`${from} to ${to} (UTC)`;
}
