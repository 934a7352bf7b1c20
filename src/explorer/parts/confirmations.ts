/** How many blocks are on top of a block, and whether these are enough (docs/explorer.md#confirmations). */
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';
import { countHtml } from './amount.ts';
import { meter } from './chart.ts';
import { badge } from './properties-and-badges.ts';

/** A rule of thumb. */
const USUAL_CONFIRMATIONS = 10;

/** Can no reorganisation remove a block any more that has this many on top? */
const isFinal = (confirmations: number): boolean => confirmations >= MAX_REORGANISATION_DEPTH;

const recommended = (site: Site): number => Math.max(USUAL_CONFIRMATIONS, site.deepestReorganisation + 1);

/** What a transaction is by the blocks on top of its own, for its title. */
export function confirmationsBadge(site: Site, count: number): Html {
  const enough = recommended(site);
  if (count === 0) return badge('in the newest block');
  if (count < enough) return badge(say('{count} of {enough} confirmations', { count, enough }));
  return badge(isFinal(count) ? 'final' : 'confirmed', 'good');
}

/** Renders how many blocks are on top of a block, and whether these are enough. */
export function confirmationsHtml(site: Site, count: number): Html {
  if (isFinal(count)) return html`${count} <span class="muted">· final, cannot be undone</span>`;
  const enough = recommended(site);
  const verdict =
    count >= enough
      ? html`${countHtml(count)}, usually enough`
      : count === 0
        ? html`in the newest block, ${countHtml(enough)} recommended`
        : html`${countHtml(count)} of ${countHtml(enough)} recommended`;
  const reason =
    count < enough &&
    enough > USUAL_CONFIRMATIONS &&
    html` <a href="${site.href('/reorganisations')}">because of a reorganisation of ${countHtml(site.deepestReorganisation)} blocks</a>`;
  const progress = count < enough && meter(textOf('Confirmations'), BigInt(count), BigInt(enough));
  return html`${progress}<span>${verdict}${reason}</span> <span class="muted">· final after ${countHtml(MAX_REORGANISATION_DEPTH)}</span>`;
}
