/** Levels of an order book, in the direction of a pair. */

import { COIN, type Currency } from '../chain/currency.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms } from '../chain/types.ts';
import type { BookSelection, PriceLevelEntryRow } from '../store/queries/orders/price-levels.ts';
import { type PriceRatio, reducedPriceRatio } from './price-ratio.ts';

/** The open orders at one price, in the pair's base and quote currencies. */
export interface BookLevel {
  /** Quote atoms per base atom. */
  readonly price: PriceRatio;
  /** The remaining amount of the base currency. */
  readonly baseAmount: Atoms;
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
  readonly orderCount: number;
}

/** Returns the decimals of the currencies of a pair by any row of its book. */
export function decimalsOfBook(
  network: Network,
  { base, quote, side }: BookSelection,
  row: Pick<PriceLevelEntryRow, 'ask_decimals' | 'give_decimals'>,
): { readonly base: number; readonly quote: number } {
  const decimalsOf = (currency: Currency, ofToken: number | null) =>
    currency === COIN ? network.coinDecimals : (ofToken ?? 0);
  const [ofBase, ofQuote] =
    side === 'buys' ? [row.ask_decimals, row.give_decimals] : [row.give_decimals, row.ask_decimals];
  return { base: decimalsOf(base, ofBase), quote: decimalsOf(quote, ofQuote) };
}

/** The orders that a taker fills who buys or sells base, the best first. */
export const takenBook = (base: Currency, quote: Currency, taker: 'buy' | 'sell'): BookSelection => ({
  base,
  quote,
  side: taker === 'buy' ? 'sells' : 'buys',
  order: 'best',
});

/** Returns a level of the book in the currencies of the pair. */
export function bookLevelOf(network: Network, book: BookSelection, row: PriceLevelEntryRow): BookLevel {
  const decimals = decimalsOfBook(network, book, row);
  const [ofBase, ofQuote] =
    book.side === 'buys' ? [row.ask_balance, row.give_balance] : [row.give_balance, row.ask_balance];
  return {
    price: reducedPriceRatio(ofQuote, ofBase),
    baseAmount: ofBase,
    baseDecimals: decimals.base,
    quoteDecimals: decimals.quote,
    orderCount: row.order_count,
  };
}
