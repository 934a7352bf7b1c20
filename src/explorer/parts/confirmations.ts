/** How many blocks are on top of a block, and whether these are enough (docs/explorer.md#confirmations). */
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { countHtml } from './amount.ts';

/** A rule of thumb. */
const USUAL_CONFIRMATIONS = 10;

/** Renders how many blocks are on top of a block, and whether these are enough, with the way to the reorganisations so far. */
export function confirmationsHtml(site: Site, count: number): Html {
  const shown = count === 0 ? html`0: in the newest block` : countHtml(count);
  return html`<span>${shown}</span> <span class="muted">${count < MAX_REORGANISATION_DEPTH ? yardstick(site, count) : html`Final: it cannot be undone.`}</span>`;
}

function yardstick(site: Site, count: number): Html {
  const enough = Math.max(USUAL_CONFIRMATIONS, site.deepestReorganisation + 1);
  const verdict = count < enough ? html`Wait for ${countHtml(enough)}.` : html`Enough for most payments.`;
  return html`<a href="${site.href('/reorganisations')}">${verdict}</a> Final after ${countHtml(MAX_REORGANISATION_DEPTH)}.`;
}
