/** How far the index is while it is being built. */
import type { ServedTip } from '../../store/read/tip-watch.ts';
import { Attributes, type Html, html } from '../html.ts';
import { count } from './amount.ts';
import { facts } from './facts.ts';
import { durationText, time } from './time.ts';

/** `nodeHeight` and `secondsLeft` are null while they are not known. */
export function syncProgress(
  tip: Pick<ServedTip, 'height' | 'timestamp' | 'transactionCount'>,
  { nodeHeight, secondsLeft }: { readonly nodeHeight: number | null; readonly secondsLeft: number | null },
): Html {
  const isKnown = nodeHeight !== null && nodeHeight > 0;
  const value = isKnown ? Math.min(tip.height, nodeHeight) : 0;
  const bar =
    isKnown &&
    html`<progress${Attributes.of({ max: nodeHeight, value, 'aria-label': 'Blocks indexed' })}>${value} of ${nodeHeight}</progress>`;
  return html`${bar}${facts([
    ['Blocks indexed', count(tip.height)],
    isKnown && ['Blocks of the node', count(nodeHeight)],
    secondsLeft !== null && ['Time left', html`about ${durationText(secondsLeft)}`],
    ['Transactions indexed', count(tip.transactionCount)],
    ['Reached the blocks of', time(tip.timestamp, { isAbsolute: true })],
  ])}`;
}
