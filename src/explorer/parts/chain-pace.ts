/** How fast the chain goes, in words. */

import { meanSeconds, recentBlocks } from '../../answers/block-time.ts';
import type { ListedBlockRow } from '../../store/queries/blocks/block-lists.ts';
import { type Html, html } from '../html.ts';
import { durationText } from '../words/formats.ts';

/** Says the mean time between blocks, newest first, and of which it is; null for fewer than two. */
export function paceText(all: readonly ListedBlockRow[]): Html | null {
  const blocks = recentBlocks(all);
  const pace = meanSeconds(blocks);
  if (pace === null) return null;
  const time = durationText(Math.round(pace));
  return blocks.length < all.length
    ? html`Average block time: ${time} <span class="muted">(last hour)</span>`
    : html`Average block time: ${time} <span class="muted">(last ${all.length} blocks)</span>`;
}
