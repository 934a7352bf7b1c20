/** Pairs of currencies: their names in paths, as the API takes them, and links to their markets. */
import { tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { type Html, html } from '../html.ts';
import { pathOf, type Site } from '../site.ts';

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
