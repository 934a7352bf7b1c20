/** Markets and their prices, as JSON. Each is stored in the direction of its market, and shown in the one that was asked for. */
import Type from 'typebox';
import { decimalsOfCurrency, tickerOfCurrency } from '../../answers/currency-labels.ts';
import {
  currencyName,
  freezingOfMarket,
  isMarketCrossed,
  type PairDecimals,
  priceInDirection,
} from '../../answers/markets.ts';
import type { PriceRatio } from '../../answers/price-ratio.ts';
import { pairName } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { patternString, SIGNED_DECIMAL_PATTERN, schemaRef } from '../../render/schemas/common.ts';
import { labelOfSide } from '../../store/queries/orders/market-labels.ts';
import { CHANGE_DECIMALS, type MarketRow } from '../../store/queries/orders/markets.ts';
import type { TokenLabelRow } from '../../store/queries/tokens/tokens.ts';
import { defineEntry, kind } from '../entry/define-entry.ts';
import { amountsIn, count, decimal, flag, nested, text, unescapedText } from '../entry/kinds.ts';
import { currencyFields } from './currency.ts';

/** A price in a pair: the atoms of a whole unit of base, and the decimals of quote. */
interface PairPrice {
  readonly ratio: PriceRatio;
  readonly whole: bigint;
  readonly quoteDecimals: number;
}

/** Returns what makes prices of a pair, given the decimals of its currencies. */
export function priceWithDecimals({ base, quote: quoteDecimals }: PairDecimals) {
  const whole = 10n ** BigInt(base);
  return <Ratio extends PriceRatio | null>(ratio: Ratio) =>
    (ratio === null ? null : { ratio, whole, quoteDecimals }) as PairPrice | (Ratio & null);
}

const ratioText = ({ numerator, denominator }: PriceRatio): string => `${numerator}/${denominator}`;

const wholePrice = ({ ratio, whole }: PairPrice): Atoms => (ratio.numerator * whole) / ratio.denominator;

export const PRICE_ATOMS = kind<PriceRatio>({
  schema: patternString({
    pattern: '^[1-9][0-9]*/[1-9][0-9]*$',
    description: 'The exact price: atoms of quote for one atom of base, in lowest terms',
    examples: ['3/2'],
  }),
  json: ratioText,
  isQuoted: true,
});

export const PRICE = defineEntry<PairPrice>({
  decimal: decimal(
    (price) => decimalText(wholePrice(price), price.quoteDecimals),
    "For one whole unit of base, in whole units of quote, rounded down to quote's decimals",
  ),
  atoms: PRICE_ATOMS(({ ratio }) => ratio),
});

export const price = kind<PairPrice>({
  schema: schemaRef('Price'),
  json: (of, network) => PRICE.json(network, of),
  csv: {
    price: (of) => ({ atoms: wholePrice(of), decimals: of.quoteDecimals }),
    price_atoms: ({ ratio }) => ratioText(ratio),
  },
});

export const pairFrozenSince = <Row>(of: (row: Row) => number | null) =>
  count.orNull(
    of,
    'The height of the block since which a token of the pair is frozen: its orders can be neither filled nor concluded; null if none is',
  );

interface Side {
  readonly currency: Currency;
  readonly label: TokenLabelRow;
}

/** A market with what is made of its row once. */
interface ShownMarket {
  readonly row: MarketRow;
  readonly base: Side;
  readonly quote: Side;
  readonly decimals: PairDecimals;
  /** A price of two amounts of the market. */
  readonly priced: (ofBase: Atoms | null, ofQuote: Atoms | null) => PairPrice | null;
  /** A price that is stored in lowest terms. */
  readonly stored: (ofBase: Atoms | null, ofQuote: Atoms | null) => PairPrice | null;
}

function shownMarket(network: Network, row: MarketRow): ShownMarket {
  const pair = { base: row.base, quote: row.quote, market: row };
  const base = { currency: row.base, label: labelOfSide('base', row) };
  const quote = { currency: row.quote, label: labelOfSide('quote', row) };
  const decimals = {
    base: decimalsOfCurrency(network, base.currency, base.label),
    quote: decimalsOfCurrency(network, quote.currency, quote.label),
  };
  const priceOf = priceWithDecimals(decimals);
  return {
    row,
    base,
    quote,
    decimals,
    priced: (ofBase, ofQuote) => priceOf(priceInDirection(pair, ofBase, ofQuote)),
    stored: (ofBase, ofQuote) =>
      priceOf(ofBase === null || ofQuote === null ? null : { numerator: ofQuote, denominator: ofBase }),
  };
}

const SIDE = defineEntry<Side>(
  currencyFields<Side>(
    ({ currency }) => currency,
    ({ label }) => label,
  ),
  { title: 'MarketSide' },
);

/** Ids and tickers of the coin. */
const name = unescapedText(Type.String());

const base = amountsIn<ShownMarket>(({ decimals }) => decimals.base);
const quote = amountsIn<ShownMarket>(({ decimals }) => decimals.quote);

const DAY = defineEntry<ShownMarket>(
  {
    change: kind<bigint>({
      schema: patternString({ pattern: SIGNED_DECIMAL_PATTERN }),
      json: (change) => decimalText(change, CHANGE_DECIMALS),
      isQuoted: true,
    }).orNull(
      ({ row }) => row.day_change,
      'The last price against the last one before the day: 0.05 is 5% more; ' +
        `${CHANGE_DECIMALS} decimals, rounded towards 0; null without a trade in the day, or before it`,
    ),
    high: price.orNull(({ row, stored }) => stored(row.day_high_base, row.day_high_quote)),
    low: price.orNull(({ row, stored }) => stored(row.day_low_base, row.day_low_quote)),
    base_volume: base(({ row }) => row.day_base_volume),
    quote_volume: quote(({ row }) => row.day_quote_volume),
    trades: count(({ row }) => row.day_trades),
  },
  { description: 'The 24 hours up to the timestamp of the tip' },
);

export const MARKET = defineEntry<ShownMarket>({
  pair: name(
    ({ row }, network) => pairName(network, row.base, row.quote),
    '`BASE_QUOTE`, as in the paths of `/order/pair`',
  ),
  base: nested(SIDE)((market) => market.base),
  quote: nested(SIDE)((market) => market.quote),
  last_price: price.orNull(({ row, priced }) => priced(row.last_base, row.last_quote), 'Of the newest trade'),
  bid: price.orNull(
    ({ row, priced }) => priced(row.bid_base, row.bid_quote),
    'The best price of the open orders that buy base: `side=ask` of the book',
  ),
  ask: price.orNull(
    ({ row, priced }) => priced(row.ask_base, row.ask_quote),
    'The best price of the open orders that sell base: `side=bid` of the book',
  ),
  is_crossed: flag(({ row }) => isMarketCrossed(row), '`bid` is not below `ask`'),
  frozen_since: pairFrozenSince(({ row }) => freezingOfMarket(row)?.since ?? null),
  open_orders: count(({ row }) => row.open_orders),
  trades: count(({ row }) => row.trades, 'All trades'),
  day: nested(DAY)((market) => market),
});

export const presentMarket = (network: Network, row: MarketRow): string =>
  MARKET.json(network, shownMarket(network, row));

const decimalOf = (of: PairPrice | null) => of && decimalText(wholePrice(of), of.quoteDecimals);

/** A market with a trade, as listing sites read it. Both currencies are issued: they moved. */
export const TICKER = defineEntry<ShownMarket>({
  ticker_id: name(
    ({ row }, network) => pairName(network, row.base, row.quote),
    '`BASE_TARGET`, as in the paths of `/order/pair`',
  ),
  base_currency: name((market, network) => currencyName(network, market.base.currency), 'The id of the token'),
  base_ticker: text((market, network) => tickerOfCurrency(network, market.base.currency, market.base.label)!),
  target_currency: name(
    (market, network) => currencyName(network, market.quote.currency),
    'The ticker of the coin, or the id of the token',
  ),
  target_ticker: text((market, network) => tickerOfCurrency(network, market.quote.currency, market.quote.label)!),
  last_price: decimal(({ row, priced }) => decimalOf(priced(row.last_base, row.last_quote))!),
  base_volume: decimal(
    ({ row, decimals }) => decimalText(row.day_base_volume, decimals.base),
    'Of the 24 hours up to the tip, as are the next three',
  ),
  target_volume: decimal(({ row, decimals }) => decimalText(row.day_quote_volume, decimals.quote)),
  high: decimal.orNull(({ row, priced }) => decimalOf(priced(row.day_high_base, row.day_high_quote))),
  low: decimal.orNull(({ row, priced }) => decimalOf(priced(row.day_low_base, row.day_low_quote))),
  bid: decimal.orNull(({ row, priced }) => decimalOf(priced(row.bid_base, row.bid_quote))),
  ask: decimal.orNull(({ row, priced }) => decimalOf(priced(row.ask_base, row.ask_quote))),
});

export const presentTicker = (network: Network, row: MarketRow): string =>
  TICKER.json(network, shownMarket(network, row));
