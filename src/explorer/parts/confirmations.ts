/** How many blocks are on top of a block, and whether these are enough (docs/explorer.md#confirmations). */
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { countHtml } from './amount.ts';

/** A rule of thumb. */
const USUAL_CONFIRMATIONS = 10;

/** Can no reorganisation remove a block any more that has this many on top? */
export const isFinal = (confirmations: number): boolean => confirmations >= MAX_REORGANISATION_DEPTH;

/** Renders how many blocks are on top of a block, and whether these are enough. */
export function confirmationsHtml(site: Site, count: number): Html {
  if (isFinal(count)) return html`${countHtml(count)} <span class="muted">Final: it cannot be undone.</span>`;
  const enough = Math.max(USUAL_CONFIRMATIONS, site.deepestReorganisation + 1);
  const verdict =
    count < enough
      ? html`${countHtml(count)} of ${countHtml(enough)} recommended`
      : html`${countHtml(count)} (enough for most payments)`;
  return html`<span>${verdict}</span> <span class="muted">· final after ${countHtml(MAX_REORGANISATION_DEPTH)}</span>`;
}
