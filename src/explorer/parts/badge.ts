/** A state in one or two words. */
import { type Html, html } from '../html.ts';

type BadgeKind = 'good' | 'bad' | 'warning' | 'plain';

export function badge(text: string, kind: BadgeKind = 'plain'): Html {
  return html`<span class="badge ${kind}">${text}</span>`;
}

/** Something that everyone on the page should know. */
export function banner(content: Html, kind: Exclude<BadgeKind, 'good'> = 'plain'): Html {
  return html`<p class="banner ${kind}" role="status">${content}</p>`;
}
