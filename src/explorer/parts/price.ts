/** Prices: exact ratios of atoms, and what a whole unit costs in whole units, rounded down. */
import { type Ratio, wholeUnitPrice } from '../../api/present/order.ts';
import { type Html, html } from '../html.ts';
import { type ExactAmount, exactAmount } from './amount.ts';

/** What a whole unit of `base` costs in whole units of `quote`, rounded down to its decimals. */
export function unitPrice(price: Ratio, baseDecimals: number, quoteDecimals: number): ExactAmount {
  return exactAmount(wholeUnitPrice(price, baseDecimals), quoteDecimals);
}

/** The exact price: atoms of quote for atoms of base, in lowest terms, as the API gives it. */
function ratioText({ numerator, denominator }: Ratio): string {
  return `${numerator}/${denominator}`;
}

export function exactRatio(price: Ratio): Html {
  return html`<code class="ratio">${ratioText(price)}</code>`;
}
