/** Markets and their prices, as JSON. Each is stored in the direction of its market, and shown in the one that was asked for. */
import Type from 'typebox';
import { tickerOfCurrency } from '../../answers/currency-labels.ts';
import {
  currencyName,
  decimalsOfPair,
  freezingOfMarket,
  isMarketCrossed,
  type PairDecimals,
  pricedIn,
  requestedPair,
} from '../../answers/markets.ts';
import { type PriceRatio, wholeUnitPrice } from '../../answers/price.ts';
import { pairName } from '../../chain/address.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { amountJson } from '../../render/common-values.ts';
import { nullableJson, numberJson, plainJson, textJson } from '../../render/compose-json.ts';
import {
  COUNT_SCHEMA,
  DECIMAL_TEXT_SCHEMA,
  nullable,
  patternString,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { labelOfSide } from '../../store/queries/orders/market-labels.ts';
import { CHANGE_DECIMALS, type MarketRow } from '../../store/queries/orders/markets.ts';
import { CURRENCY_FIELDS, currencyFieldsJson } from './currency.ts';
import { objectWriter } from './object-writer.ts';

export const PRICE_SCHEMA = strictObject({
  decimal: {
    ...DECIMAL_TEXT_SCHEMA,
    description: "For one whole unit of base, in whole units of quote, rounded down to quote's decimals",
  },
  atoms: patternString({
    pattern: '^[1-9][0-9]*/[1-9][0-9]*$',
    description: 'The exact price: atoms of quote for one atom of base, in lowest terms',
    examples: ['3/2'],
  }),
});

const priceJson = objectWriter(PRICE_SCHEMA);

export const PRICE = schemaRef('Price');

/** Returns the writer of prices of a pair, given the decimals of its currencies. */
export function priceWriter({ base, quote }: PairDecimals): (price: PriceRatio) => JsonTextOf<typeof PRICE_SCHEMA> {
  const whole = 10n ** BigInt(base);
  return ({ numerator, denominator }) =>
    priceJson({
      decimal: decimalText((numerator * whole) / denominator, quote),
      atoms: `${numerator}/${denominator}`,
    });
}

/** Returns the writer of prices of a token in coins. */
export const coinPriceWriter = ({ coinDecimals }: Network, decimals: number) =>
  priceWriter({ base: decimals, quote: coinDecimals });

const NULLABLE_PRICE = nullable(PRICE);

export const PAIR_FROZEN_SINCE_SCHEMA = {
  ...nullable(COUNT_SCHEMA),
  description:
    'The height of the block since which a token of the pair is frozen: its orders can be neither filled nor concluded; null if none is',
};

const SIDE_SCHEMA = strictObject(CURRENCY_FIELDS, { title: 'MarketSide' });

export const MARKET_SCHEMA = strictObject({
  pair: Type.String({ description: '`BASE_QUOTE`, as in the paths of `/order/pair`' }),
  base: SIDE_SCHEMA,
  quote: SIDE_SCHEMA,
  last_price: { ...NULLABLE_PRICE, description: 'Of the newest trade' },
  bid: { ...NULLABLE_PRICE, description: 'The best price of the open orders that buy base: `side=ask` of the book' },
  ask: { ...NULLABLE_PRICE, description: 'The best price of the open orders that sell base: `side=bid` of the book' },
  is_crossed: Type.Boolean({ description: '`bid` is not below `ask`' }),
  frozen_since: PAIR_FROZEN_SINCE_SCHEMA,
  open_orders: COUNT_SCHEMA,
  trades: { ...COUNT_SCHEMA, description: 'All trades' },
  day: strictObject(
    {
      change: {
        ...nullable(Type.String({ pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$' })),
        description:
          'The last price against the last one before the day: 0.05 is 5% more; ' +
          `${CHANGE_DECIMALS} decimals, rounded towards 0; null without a trade in the day, or before it`,
      },
      high: NULLABLE_PRICE,
      low: NULLABLE_PRICE,
      base_volume: schemaRef('Amount'),
      quote_volume: schemaRef('Amount'),
      trades: COUNT_SCHEMA,
    },
    { description: 'The 24 hours up to the timestamp of the tip' },
  ),
});

const marketJson = objectWriter(MARKET_SCHEMA);

const dayJson = objectWriter(MARKET_SCHEMA.properties.day);

const sideJson = objectWriter(MARKET_SCHEMA.properties.base);

/** `change`: as in {@link MarketRow}. */
const changeText = (change: bigint): string => decimalText(change, CHANGE_DECIMALS);

/** A price that is stored in lowest terms. */
const storedPrice = (ofBase: Atoms | null, ofQuote: Atoms | null): PriceRatio | null =>
  ofBase === null || ofQuote === null ? null : { numerator: ofQuote, denominator: ofBase };

export function presentMarket(network: Network, row: MarketRow): JsonTextOf<typeof MARKET_SCHEMA> {
  const pair = { base: row.base, quote: row.quote, market: row };
  const base = currencyFieldsJson(network, row.base, labelOfSide('base', row));
  const quote = currencyFieldsJson(network, row.quote, labelOfSide('quote', row));
  const write = priceWriter({ base: base.decimals, quote: quote.decimals });
  const price = (ofBase: Atoms | null, ofQuote: Atoms | null) => nullableJson(pricedIn(pair, ofBase, ofQuote), write);
  return marketJson({
    pair: plainJson(pairName(network, row.base, row.quote)),
    base: sideJson(base),
    quote: sideJson(quote),
    last_price: price(row.last_base, row.last_quote),
    bid: price(row.bid_base, row.bid_quote),
    ask: price(row.ask_base, row.ask_quote),
    is_crossed: isMarketCrossed(row),
    frozen_since: nullableJson(freezingOfMarket(row)?.since ?? null, numberJson),
    open_orders: row.open_orders,
    trades: row.trades,
    day: dayJson({
      change: nullableJson(row.day_change, (change) => plainJson(changeText(change))),
      high: nullableJson(storedPrice(row.day_high_base, row.day_high_quote), write),
      low: nullableJson(storedPrice(row.day_low_base, row.day_low_quote), write),
      base_volume: amountJson(row.day_base_volume, base.decimals),
      quote_volume: amountJson(row.day_quote_volume, quote.decimals),
      trades: row.day_trades,
    }),
  });
}

const DECIMAL = DECIMAL_TEXT_SCHEMA;

export const TICKER_SCHEMA = strictObject({
  ticker_id: Type.String({ description: '`BASE_TARGET`, as in the paths of `/order/pair`' }),
  base_currency: Type.String({ description: 'The id of the token' }),
  base_ticker: Type.String(),
  target_currency: Type.String({ description: 'The ticker of the coin, or the id of the token' }),
  target_ticker: Type.String(),
  last_price: DECIMAL,
  base_volume: { ...DECIMAL, description: 'Of the 24 hours up to the tip, as are the next three' },
  target_volume: DECIMAL,
  high: nullable(DECIMAL),
  low: nullable(DECIMAL),
  bid: nullable(DECIMAL),
  ask: nullable(DECIMAL),
});

const tickerJson = objectWriter(TICKER_SCHEMA);

/** A market with a trade, as listing sites read it. Both currencies are issued: they moved. */
export function presentTicker(network: Network, row: MarketRow): JsonTextOf<typeof TICKER_SCHEMA> {
  const pair = requestedPair([row.base, row.quote]);
  const decimals = decimalsOfPair(network, pair, row);
  const priceText = (price: PriceRatio) => decimalText(wholeUnitPrice(price, decimals.base), decimals.quote);
  const price = (ofBase: Atoms | null, ofQuote: Atoms | null) =>
    nullableJson(pricedIn(pair, ofBase, ofQuote), (ratio) => plainJson(priceText(ratio)));
  return tickerJson({
    ticker_id: plainJson(pairName(network, row.base, row.quote)),
    base_currency: plainJson(currencyName(network, row.base)),
    base_ticker: textJson(tickerOfCurrency(network, row.base, labelOfSide('base', row))!),
    target_currency: plainJson(currencyName(network, row.quote)),
    target_ticker: textJson(tickerOfCurrency(network, row.quote, labelOfSide('quote', row))!),
    last_price: priceText(pricedIn(pair, row.last_base, row.last_quote)!),
    base_volume: decimalText(row.day_base_volume, decimals.base),
    target_volume: decimalText(row.day_quote_volume, decimals.quote),
    high: price(row.day_high_base, row.day_high_quote),
    low: price(row.day_low_base, row.day_low_quote),
    bid: price(row.bid_base, row.bid_quote),
    ask: price(row.ask_base, row.ask_quote),
  });
}
