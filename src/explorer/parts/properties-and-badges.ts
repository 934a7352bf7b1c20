/** Renders the properties of a thing as names and values, large numbers (tiles), badges for its state, and banners. */
import { Attributes, type Html, type HtmlValue, html, wordsHtml } from '../html.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

/** A property; false, null and undefined leave it out. */
export type Property = readonly [name: Words | Html, value: HtmlValue] | false | null | undefined;

export function propertyList(entries: readonly Property[]): Html {
  const shown = entries.filter((entry) => entry !== false && entry !== null && entry !== undefined);
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${wordsHtml(name)}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Renders a property as a line of a list. */
export function namedDetail(name: Words, value: Html | string): Html {
  return html`${say('{name}: {value}', { name: textOf(name), value })}`;
}

/** Renders a large number with its name, for the top of a page. `chart`: a small one below it, such as a sparkline. */
export function tile(
  name: Words | Html,
  value: HtmlValue,
  more?: Words | Html | false | null,
  chart?: Html | null,
): Html {
  const detail = more && html`<span class="more">${wordsHtml(more)}</span>`;
  return html`<div class="tile"><dt>${wordsHtml(name)}</dt><dd>${value}${detail}${chart}</dd></div>`;
}

export function tiles(entries: readonly HtmlValue[]): Html {
  return html`<dl class="tiles">${entries}</dl>`;
}

type BadgeKind = 'good' | 'bad' | 'warning' | 'plain';

/** Renders a state in one or two words. `title`: what it means. */
export function badge(text: Words, kind: BadgeKind = 'plain', title?: string): Html {
  return html`<span class="badge ${kind}"${Attributes.of({ title })}>${textOf(text)}</span>`;
}

/** Renders a notice at the top of a page. */
export function banner(content: Html, kind: Exclude<BadgeKind, 'good'> = 'plain'): Html {
  return html`<p class="banner ${kind}" role="status">${content}</p>`;
}
