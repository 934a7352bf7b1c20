/** Markets: pairs of currencies, each written one way. */
import { COIN, type Currency } from './currency.ts';

export interface Market {
  readonly base: Currency;
  readonly quote: Currency;
}

/**
 * Returns the market of two currencies, given in any order. The quote, in which prices are told, is the coin if it is one of them,
 * otherwise the token whose id (as bytes) sorts higher. The same rule is in SQL: `market_base` and `market_quote`.
 */
export function marketOf(one: Currency, other: Currency): Market {
  const [low, high] = one < other ? [one, other] : [other, one];
  return low === COIN ? { base: high, quote: low } : { base: low, quote: high };
}
