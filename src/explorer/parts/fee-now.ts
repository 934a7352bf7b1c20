/** Compares the fee of a transaction with what it would cost now. */
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { decimalIn } from '../words/formats.ts';
import { coinAmount } from './amount.ts';

/** Says what a transaction of the same size costs now, and how much more or less that is than what was paid. */
export function feeNow(site: Site, paid: Atoms, now: Atoms): Html {
  const amount = coinAmount(site, now, { isCut: true });
  const [low, high] = paid < now ? [paid, now] : [now, paid];
  const tenths = low === 0n ? 0n : (high * 10n + low / 2n) / low;
  const times = decimalIn(decimalText(tenths >= 100n ? tenths - (tenths % 10n) : tenths, 1));
  const compared = tenths <= 10n ? null : paid < now ? html` (${times} times more)` : html` (${times} times less)`;
  return html`<div class="muted">at today's rate for the next block: ${amount}${compared}</div>`;
}
