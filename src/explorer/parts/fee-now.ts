/** Compares the fee of a transaction with what it would cost now. */
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { decimalIn } from '../words/formats.ts';
import { coinAmount } from './amount.ts';
import { roundedQuotient } from './number.ts';

/** Says what a transaction of the same size costs now, and how much more or less that is than what was paid. */
export function feeNow(site: Site, paid: Atoms, now: Atoms): Html {
  const amount = coinAmount(site, now, { isRounded: true });
  return html`<div class="muted">at today's rate for the next block: ${amount}${comparedFee(paid, now)}</div>`;
}

/** Nothing is said of a difference below 5 %. */
function comparedFee(paid: Atoms, now: Atoms): Html | null {
  if (paid === 0n) return null;
  const [change, tenths] = [roundedQuotient((now - paid) * 100n, paid), roundedQuotient(now * 10n, paid)];
  if (change <= -5n) return html` (${change === -100n ? '>99' : String(-change)}% less)`;
  if (change < 5n) return null;
  if (now < 2n * paid) return html` (${String(change)}% more)`;
  return html` (${decimalIn(decimalText(tenths >= 100n ? tenths - (tenths % 10n) : tenths, 1))} times as much)`;
}
