/** Renders how many blocks are on top of a block, and how many are enough, with the way to the reorganisations so far. */
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { countHtml } from './amount.ts';

export function confirmationsHtml(site: Site, count: number): Html {
  const most = countHtml(MAX_REORGANISATION_DEPTH);
  const hint =
    count < MAX_REORGANISATION_DEPTH
      ? html`A reorganisation that takes it back is less likely with each block, and impossible from ${most} on. <a href="${site.href('/reorganisations')}">Reorganisations so far</a>`
      : html`It is final: nodes accept no reorganisation of more than ${most} blocks.`;
  const shown = count === 0 ? html`0: it is in the newest block` : countHtml(count);
  return html`<span>${shown}</span> <span class="muted">${hint}</span>`;
}
