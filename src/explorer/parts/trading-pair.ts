/** Markets: pairs of currencies by their names in paths, as the API takes them, links to them, and prices. */
import { type Ratio, wholeUnitPrice } from '../../api/present/order.ts';
import { tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { type Html, html } from '../html.ts';
import { pathOf, type Site } from '../site.ts';
import { type ExactAmount, exactAmount } from './amount.ts';

/** The coin's ticker, or a token's id. */
export function currencyName(network: Network, currency: Currency): string {
  return currency === COIN ? network.coinTicker : tokenAddress(network, currency);
}

/** `BASE_QUOTE`. */
export function pairName(network: Network, base: Currency, quote: Currency): string {
  return `${currencyName(network, base)}_${currencyName(network, quote)}`;
}

/** The pair as people look at it: what is not the coin is what has a price. */
export function naturalPair(one: Currency, other: Currency): readonly [base: Currency, quote: Currency] {
  return one === COIN ? [other, one] : [one, other];
}

export function marketPath(network: Network, base: Currency, quote: Currency): string {
  return pathOf('market', pairName(network, base, quote));
}

export function marketLink(site: Site, base: Currency, quote: Currency, text: Html | string): Html {
  return html`<a href="${site.href(marketPath(site.network, base, quote))}">${text}</a>`;
}

/** What a whole unit of `base` costs in whole units of `quote`, rounded down to its decimals. */
export function unitPrice(price: Ratio, baseDecimals: number, quoteDecimals: number): ExactAmount {
  return exactAmount(wholeUnitPrice(price, baseDecimals), quoteDecimals);
}

/** The exact price: atoms of quote for atoms of base, in lowest terms, as the API gives it. */
export function exactRatio({ numerator, denominator }: Ratio): Html {
  return html`<code class="ratio">${numerator}/${denominator}</code>`;
}
