/** Renders trading pairs: their names in paths, as in the API, links to their markets, and prices. */
import { type PriceRatio, wholeUnitPrice } from '../../api/present/order.ts';
import { tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { type Html, html } from '../html.ts';
import { pagePath, type Site } from '../site-urls.ts';
import { type ExactAmount, exactAmount } from './amount.ts';

/** Returns the ticker of the coin, or the id of a token. */
export function currencyInPath(network: Network, currency: Currency): string {
  return currency === COIN ? network.coinTicker : tokenAddress(network, currency);
}

/** Returns the name of a pair, `BASE_QUOTE`. */
export function pairName(network: Network, base: Currency, quote: Currency): string {
  return `${currencyInPath(network, base)}_${currencyInPath(network, quote)}`;
}

/** Returns a pair in its usual direction: the coin is the quote. */
export function pairWithCoinAsQuote(one: Currency, other: Currency): readonly [base: Currency, quote: Currency] {
  return one === COIN ? [other, one] : [one, other];
}

export function marketPath(network: Network, base: Currency, quote: Currency): string {
  return pagePath('market', pairName(network, base, quote));
}

export function marketLink(site: Site, base: Currency, quote: Currency, text: Html | string): Html {
  return html`<a href="${site.href(marketPath(site.network, base, quote))}">${text}</a>`;
}

/** Returns the price of a whole unit of `base` in whole units of `quote`, rounded down to its decimals. */
export function unitPrice(price: PriceRatio, baseDecimals: number, quoteDecimals: number): ExactAmount {
  return exactAmount(wholeUnitPrice(price, baseDecimals), quoteDecimals);
}

/** Renders the exact price, as in the API: atoms of quote per atoms of base, in lowest terms. */
export function exactPriceHtml({ numerator, denominator }: PriceRatio): Html {
  return html`<code class="ratio">${numerator}/${denominator}</code>`;
}
