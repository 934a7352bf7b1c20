/** The form above a list that says which of its entries are shown. */

import { lastQueryValue, type UrlQuery } from '../../serving/parse/parameters.ts';
import { Attributes, type Html, html, wordsHtml } from '../html.ts';
import { badInput } from '../page-error.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

export function filterForm(site: Site, path: string, fields: readonly Html[]): Html {
  return html`<form class="filter" method="get" action="${site.href(path)}">${fields}<button type="submit">Show</button></form>`;
}

/** A field of some choices; none of them: all. */
export function selectHtml(
  name: string,
  label: Words,
  options: readonly (readonly [value: string, text: Words | Html])[],
  chosen: string | undefined,
): Html {
  return html`<label>${textOf(label)} <select name="${name}"><option value="">all</option>${options.map(
    ([value, text]) => optionHtml(value, text, chosen),
  )}</select></label>`;
}

export function optionHtml(value: string, text: Words | Html, chosen: string | undefined): Html {
  return html`<option${Attributes.of({ value, selected: value === chosen })}>${wordsHtml(text)}</option>`;
}

/** Returns the choice in a query; null for none. Throws the error 400. */
export function parseChoice<Choice extends string>(
  query: UrlQuery,
  name: string,
  choices: readonly Choice[],
): Choice | null {
  const text = lastQueryValue(query, name) || null;
  const choice = choices.find((each) => each === text) ?? null;
  if (choice !== text)
    throw badInput(say('Invalid {name}: known are {choices}.', { name, choices: choices.join(', ') }));
  return choice;
}
