/** How far the index is while it is being built. */
import type { ServedTip } from '../../store/read/tip-watch.ts';
import { type Html, html } from '../html.ts';
import { count } from './amount.ts';
import { time } from './time.ts';

/** What is known of a sync without a node: the height and the time of the newest block that was indexed. */
export function syncProgress(tip: Pick<ServedTip, 'height' | 'timestamp' | 'transactionCount'>): Html {
  return html`<dl class="facts"><div><dt>Blocks indexed</dt><dd>${count(tip.height)}</dd></div><div><dt>Transactions indexed</dt><dd>${count(tip.transactionCount)}</dd></div><div><dt>Reached the blocks of</dt><dd>${time(tip.timestamp, { isAbsolute: true })}</dd></div></dl>`;
}
