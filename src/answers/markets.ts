/** Markets and their prices. Each is stored in the direction of its market, and seen in the one that was asked for. */

import { tokenAddress } from '../chain/address.ts';
import { COIN, type Currency } from '../chain/currency.ts';
import { type Market, marketOf } from '../chain/market.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms } from '../chain/types.ts';
import { exchangedLabels, labelOfSide, type PairLabelsRow } from '../store/queries/orders/market-labels.ts';
import { CHANGE_DECIMALS, type MarketRow } from '../store/queries/orders/markets.ts';
import type { ExpandedTokenRow } from '../store/queries/tokens/expanded-token-lists.ts';
import { decimalsOfCurrency } from './currency-labels.ts';
import { leastDepth } from './market-depth.ts';
import { isBookCrossed, type PriceRatio, reducedPriceRatio } from './price-ratio.ts';
import { type Freezing, freezingOf } from './token-label.ts';

/** A pair as it was asked for, and the market that it is. */
export interface RequestedPair {
  readonly base: Currency;
  readonly quote: Currency;
  readonly market: Market;
}

export function requestedPair([base, quote]: readonly [Currency, Currency]): RequestedPair {
  return { base, quote, market: marketOf(base, quote) };
}

/** Is a pair asked for from the other side than its market is stored? */
export const isMirrored = ({ base, market }: RequestedPair): boolean => base !== market.base;

/** Names and decimals of the currencies of an asked pair. */
export interface PairDecimals {
  readonly base: number;
  readonly quote: number;
}

export function decimalsOfPair(
  network: Network,
  { base, quote, market }: RequestedPair,
  row: PairLabelsRow,
): PairDecimals {
  const of = (currency: Currency) =>
    decimalsOfCurrency(network, currency, labelOfSide(currency === market.base ? 'base' : 'quote', row));
  return { base: of(base), quote: of(quote) };
}

/** The price of the newest trade of a token for coins; null if there was none. */
export function lastPriceOf({ token_id, last_base, last_quote }: ExpandedTokenRow): PriceRatio | null {
  return priceInDirection(requestedPair([token_id, COIN]), last_base, last_quote);
}

/** Returns the price of two amounts in a market, in the direction of a pair; null unless both moved. */
export function priceInDirection(pair: RequestedPair, ofBase: Atoms | null, ofQuote: Atoms | null): PriceRatio | null {
  if (ofBase === null || ofQuote === null || ofBase === 0n || ofQuote === 0n) return null;
  return isMirrored(pair) ? reducedPriceRatio(ofBase, ofQuote) : reducedPriceRatio(ofQuote, ofBase);
}

/** Is the order book of a market crossed? */
export function isMarketCrossed(row: MarketRow): boolean {
  const pair = { base: row.base, quote: row.quote, market: row };
  return isBookCrossed(
    priceInDirection(pair, row.bid_base, row.bid_quote),
    priceInDirection(pair, row.ask_base, row.ask_quote),
  );
}

/** Do orders offer too little for the last price of a market to say something? The tokens of an address have no value then either. */
export const isMarketThin = (network: Network, { coin_depth: depth }: Pick<MarketRow, 'coin_depth'>): boolean =>
  depth !== null && depth < leastDepth(network);

/** Returns since when the orders of a market cannot be filled, because one of its tokens is frozen; null if none is. */
export const freezingOfMarket = (row: PairLabelsRow): Freezing | null =>
  freezingOf([labelOfSide('base', row), labelOfSide('quote', row)]);

/** Returns a market in the direction of a pair. The mirrored change is computed from the rounded one. */
export function marketInDirection(pair: RequestedPair, row: MarketRow): MarketRow {
  if (!isMirrored(pair)) return row;
  const one = 10n ** BigInt(CHANGE_DECIMALS);
  const change = row.day_change;
  return {
    ...mirrored(row),
    day_change: change === null || change === -one ? null : (one * one) / (one + change) - one,
  };
}

/** Sees a row from the other side: base and quote change places, and so do bid and ask, the highest and the lowest price. */
function mirrored(row: MarketRow): MarketRow {
  return {
    ...exchangedLabels(row),
    base: row.quote,
    quote: row.base,
    open_orders: row.open_orders,
    trades: row.trades,
    last_height: row.last_height,
    last_base: row.last_quote,
    last_quote: row.last_base,
    bid_base: row.ask_quote,
    bid_quote: row.ask_base,
    ask_base: row.bid_quote,
    ask_quote: row.bid_base,
    coin_depth: row.coin_depth,
    day_trades: row.day_trades,
    day_base_volume: row.day_quote_volume,
    day_quote_volume: row.day_base_volume,
    day_high_base: row.day_low_quote,
    day_high_quote: row.day_low_base,
    day_low_base: row.day_high_quote,
    day_low_quote: row.day_high_base,
    day_change: row.day_change,
  };
}

/** The address of a token; the ticker of the coin. */
export const currencyName = (network: Network, currency: Currency): string =>
  currency === COIN ? network.coinTicker : tokenAddress(network, currency);
