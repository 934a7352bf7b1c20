/** Markets, their trades and candles, as JSON. Each is stored in the direction of its market, and shown in the one that was asked for. */
import Type from 'typebox';
import { destinationAddress, orderAddress, pairName, tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import { type Market, marketOf } from '../../chain/market.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { amountJson } from '../../render/common-values.ts';
import { nullableJson, numberJson, plainJson, textJson } from '../../render/compose-json.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  DECIMAL_TEXT_SCHEMA,
  describedRef,
  HEX_ID_SCHEMA,
  nullable,
  patternString,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import type { CandleEntryRow, CandleRow } from '../../store/queries/orders/candles.ts';
import type { FillEntryRow } from '../../store/queries/orders/fills.ts';
import { labelOf, type PairLabelsRow } from '../../store/queries/orders/market-labels.ts';
import { CHANGE_DECIMALS, type MarketRow } from '../../store/queries/orders/markets.ts';
import type { ExpandedTokenRow } from '../../store/queries/tokens/expanded-token-lists.ts';
import { type CsvTable, csvTime } from './csv.ts';
import { CURRENCY_FIELDS, currencyFieldsJson, decimalsOfCurrency, tickerOfCurrency } from './currency.ts';
import { objectWriter } from './object-writer.ts';
import { isCrossed, type PriceRatio, reducedPriceRatio, wholeUnitPrice } from './order.ts';
import { type Freezing, freezingOf } from './token-label.ts';

/** A pair as it was asked for, and the market that it is. */
export interface AskedPair {
  readonly base: Currency;
  readonly quote: Currency;
  readonly market: Market;
}

export function requestedPair([base, quote]: readonly [Currency, Currency]): AskedPair {
  return { base, quote, market: marketOf(base, quote) };
}

const isMirrored = ({ base, market }: AskedPair): boolean => base !== market.base;

/** Names and decimals of the currencies of an asked pair. */
interface PairDecimals {
  readonly base: number;
  readonly quote: number;
}

function decimalsOf(network: Network, { base, quote, market }: AskedPair, row: PairLabelsRow): PairDecimals {
  const of = (currency: Currency) =>
    decimalsOfCurrency(network, currency, labelOf(currency === market.base ? 'base' : 'quote', row));
  return { base: of(base), quote: of(quote) };
}

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

const PRICE = schemaRef('Price');

/** Returns the writer of prices of a pair, given the decimals of its currencies. */
export function priceWriter({ base, quote }: PairDecimals): (price: PriceRatio) => JsonTextOf<typeof PRICE_SCHEMA> {
  const whole = 10n ** BigInt(base);
  return ({ numerator, denominator }) =>
    priceJson({
      decimal: decimalText((numerator * whole) / denominator, quote),
      atoms: `${numerator}/${denominator}`,
    });
}

/** The price of the newest trade of a token for coins; null if there was none. */
export function lastPriceOf({ token_id, last_base, last_quote }: ExpandedTokenRow): PriceRatio | null {
  return pricedIn(requestedPair([token_id, COIN]), last_base, last_quote);
}

/** Returns the writer of prices of a token in coins. */
export const coinPriceWriter = ({ coinDecimals }: Network, decimals: number) =>
  priceWriter({ base: decimals, quote: coinDecimals });

/** Returns the price of two amounts in a market, in the direction of a pair; null unless both moved. */
export function pricedIn(pair: AskedPair, ofBase: Atoms | null, ofQuote: Atoms | null): PriceRatio | null {
  if (ofBase === null || ofQuote === null || ofBase === 0n || ofQuote === 0n) return null;
  return isMirrored(pair) ? reducedPriceRatio(ofBase, ofQuote) : reducedPriceRatio(ofQuote, ofBase);
}

const TRADED_SCHEMA = strictObject({ ...CURRENCY_FIELDS, amount: schemaRef('Amount') });

const SIDES = ['buy', 'sell'] as const;
const SIDE_SCHEMA = Type.Enum([...SIDES], { type: 'string', description: 'What the taker did with base' });

export const FILL_SCHEMA = strictObject({
  height: COUNT_SCHEMA,
  timestamp: COUNT_SCHEMA,
  tx_id: HEX_ID_SCHEMA,
  order_id: BECH32_SCHEMA,
  side: SIDE_SCHEMA,
  price: { ...nullable(PRICE), description: 'null where one of the amounts is 0' },
  base: TRADED_SCHEMA,
  quote: TRADED_SCHEMA,
  taker: {
    ...nullable(BECH32_SCHEMA),
    description: 'The owner of the first input that has one: commands have none. null if none has',
  },
});

const fillJson = objectWriter(FILL_SCHEMA);

/** A fill in the direction of a pair. */
interface ShownFill {
  readonly side: (typeof SIDES)[number];
  readonly price: PriceRatio | null;
  readonly baseAmount: Atoms;
  readonly quoteAmount: Atoms;
}

export function shownFill(pair: AskedPair, row: FillEntryRow): ShownFill {
  const mirrored = isMirrored(pair);
  return {
    side: row.is_buy !== mirrored ? 'buy' : 'sell',
    price: pricedIn(pair, row.base_amount, row.quote_amount),
    baseAmount: mirrored ? row.quote_amount : row.base_amount,
    quoteAmount: mirrored ? row.base_amount : row.quote_amount,
  };
}

/** A trade of a pair, or a fill of an order. */
export function presentFill(network: Network, pair: AskedPair, row: FillEntryRow): JsonTextOf<typeof FILL_SCHEMA> {
  const { side, price, baseAmount, quoteAmount } = shownFill(pair, row);
  const decimals = decimalsOf(network, pair, row);
  const traded = (currency: Currency, amount: Atoms) => {
    const label = labelOf(currency === row.base ? 'base' : 'quote', row);
    const fields = currencyFieldsJson(network, currency, label);
    return tradedJson({ ...fields, amount: amountJson(amount, decimalsOfCurrency(network, currency, label)) });
  };
  return fillJson({
    height: row.height,
    timestamp: row.timestamp,
    tx_id: row.tx_id,
    order_id: orderAddress(network, row.order_id),
    side: plainJson(side),
    price: nullableJson(price, priceWriter(decimals)),
    base: traded(pair.base, baseAmount),
    quote: traded(pair.quote, quoteAmount),
    taker: nullableJson(row.taker, (destination) => plainJson(destinationAddress(network, destination))),
  });
}

const tradedJson = objectWriter(TRADED_SCHEMA);

/** The columns of exported trades. */
export function fillCsv(network: Network, pair: AskedPair): CsvTable<FillEntryRow> {
  return {
    columns: [
      ...['height', 'time_utc', 'tx_id', 'order_id', 'side', 'price', 'price_atoms'],
      ...['base', 'base_currency', 'base_ticker', 'quote', 'quote_currency', 'quote_ticker', 'taker'],
    ],
    fields: (row) => {
      const { side, price, baseAmount, quoteAmount } = shownFill(pair, row);
      const decimals = decimalsOf(network, pair, row);
      const namesOf = (currency: Currency) => [
        currencyText(network, currency),
        tickerOfCurrency(network, currency, labelOf(currency === row.base ? 'base' : 'quote', row)),
      ];
      return [
        row.height,
        csvTime(row.timestamp),
        row.tx_id,
        orderAddress(network, row.order_id),
        side,
        price === null ? null : { atoms: wholeUnitPrice(price, decimals.base), decimals: decimals.quote },
        price === null ? null : `${price.numerator}/${price.denominator}`,
        { atoms: baseAmount, decimals: decimals.base },
        ...namesOf(pair.base),
        { atoms: quoteAmount, decimals: decimals.quote },
        ...namesOf(pair.quote),
        row.taker === null ? null : destinationAddress(network, row.taker),
      ];
    },
  };
}

const currencyText = (network: Network, currency: Currency): string =>
  currency === COIN ? network.coinTicker : tokenAddress(network, currency);

export const CANDLE_SCHEMA = strictObject({
  time: { ...COUNT_SCHEMA, description: 'Its first second' },
  complete: Type.Boolean({ description: 'false while its hour, day or week is not over at the tip' }),
  open: describedRef('Price', 'The price of its first trade'),
  high: PRICE,
  low: PRICE,
  close: describedRef('Price', 'The price of its last trade'),
  base_volume: schemaRef('Amount'),
  quote_volume: schemaRef('Amount'),
  trades: COUNT_SCHEMA,
});

const candleJson = objectWriter(CANDLE_SCHEMA);

/** The prices of a candle in the direction of a pair. */
export interface CandleInDirection {
  readonly open: PriceRatio;
  readonly high: PriceRatio;
  readonly low: PriceRatio;
  readonly close: PriceRatio;
  readonly baseVolume: Atoms;
  readonly quoteVolume: Atoms;
}

/** Seen from the other side, the highest price is the lowest. Prices are stored in lowest terms. */
export function candleInDirection(pair: AskedPair, row: CandleEntryRow): CandleInDirection {
  const { open_base, open_quote, high_base, high_quote, low_base, low_quote, close_base, close_quote } = row;
  if (isMirrored(pair)) {
    return {
      open: { numerator: open_base, denominator: open_quote },
      high: { numerator: low_base, denominator: low_quote },
      low: { numerator: high_base, denominator: high_quote },
      close: { numerator: close_base, denominator: close_quote },
      baseVolume: row.quote_volume,
      quoteVolume: row.base_volume,
    };
  }
  return {
    open: { numerator: open_quote, denominator: open_base },
    high: { numerator: high_quote, denominator: high_base },
    low: { numerator: low_quote, denominator: low_base },
    close: { numerator: close_quote, denominator: close_base },
    baseVolume: row.base_volume,
    quoteVolume: row.quote_volume,
  };
}

/** Returns the writer of a page of candles, of which there may be hundreds; `first`: any of its rows. */
export function candleWriter(
  network: Network,
  pair: AskedPair,
  first: CandleRow,
): (row: CandleEntryRow) => JsonTextOf<typeof CANDLE_SCHEMA> {
  const decimals = decimalsOf(network, pair, first);
  const price = priceWriter(decimals);
  return (row) => {
    const { open, high, low, close, baseVolume, quoteVolume } = candleInDirection(pair, row);
    return candleJson({
      time: row.start,
      complete: row.is_complete,
      open: price(open),
      high: price(high),
      low: price(low),
      close: price(close),
      base_volume: amountJson(baseVolume, decimals.base),
      quote_volume: amountJson(quoteVolume, decimals.quote),
      trades: row.trades,
    });
  };
}

const NULLABLE_PRICE = nullable(PRICE);

export const PAIR_FROZEN_SINCE_SCHEMA = {
  ...nullable(COUNT_SCHEMA),
  description:
    'The height of the block since which a token of the pair is frozen: its orders can be neither filled nor concluded; null if none is',
};

export const MARKET_SCHEMA = strictObject({
  pair: Type.String({ description: '`BASE_QUOTE`, as in the paths of `/order/pair`' }),
  base: strictObject(CURRENCY_FIELDS),
  quote: strictObject(CURRENCY_FIELDS),
  last_price: { ...NULLABLE_PRICE, description: 'Of the newest trade' },
  bid: { ...NULLABLE_PRICE, description: 'The best price of the open orders that buy base' },
  ask: { ...NULLABLE_PRICE, description: 'The best price of the open orders that sell base' },
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

/** Is the order book of a market crossed? */
export function isMarketCrossed(row: MarketRow): boolean {
  const pair = { base: row.base, quote: row.quote, market: row };
  return isCrossed(pricedIn(pair, row.bid_base, row.bid_quote), pricedIn(pair, row.ask_base, row.ask_quote));
}

/** Returns since when the orders of a market cannot be filled, because one of its tokens is frozen; null if none is. */
export const freezingOfMarket = (row: PairLabelsRow): Freezing | null =>
  freezingOf([labelOf('base', row), labelOf('quote', row)]);

/** Returns a market in the direction of a pair. The change of a price the other way round follows from the rounded one. */
export function marketInDirection(pair: AskedPair, row: MarketRow): MarketRow {
  if (!isMirrored(pair)) return row;
  const one = 10n ** BigInt(CHANGE_DECIMALS);
  const change = row.day_change;
  return {
    ...mirrored(row),
    day_change: change === null || change === -one ? null : (one * one) / (one + change) - one,
  };
}

const OTHER_SIDES: Readonly<Record<string, string>> = {
  base: 'quote',
  quote: 'base',
  bid: 'ask',
  ask: 'bid',
  high: 'low',
  low: 'high',
};

/** Sees a row from the other side: the parts of the names of its columns say which of them change places. */
function mirrored(row: MarketRow): MarketRow {
  const nameOf = (name: string) =>
    name
      .split('_')
      .map((part) => OTHER_SIDES[part] ?? part)
      .join('_');
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [nameOf(name), value])) as unknown as MarketRow;
}

export function presentMarket(network: Network, row: MarketRow): JsonTextOf<typeof MARKET_SCHEMA> {
  const pair = { base: row.base, quote: row.quote, market: row };
  const base = currencyFieldsJson(network, row.base, labelOf('base', row));
  const quote = currencyFieldsJson(network, row.quote, labelOf('quote', row));
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

export const TICKER_SCHEMA = strictObject(
  {
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
  },
  { title: 'Ticker' },
);

const tickerJson = objectWriter(TICKER_SCHEMA);

/** A market with a trade, as listing sites read it. Both currencies are issued: they moved. */
export function presentTicker(network: Network, row: MarketRow): JsonTextOf<typeof TICKER_SCHEMA> {
  const pair = requestedPair([row.base, row.quote]);
  const decimals = decimalsOf(network, pair, row);
  const priceText = (price: PriceRatio) => decimalText(wholeUnitPrice(price, decimals.base), decimals.quote);
  const price = (ofBase: Atoms | null, ofQuote: Atoms | null) =>
    nullableJson(pricedIn(pair, ofBase, ofQuote), (ratio) => plainJson(priceText(ratio)));
  return tickerJson({
    ticker_id: plainJson(pairName(network, row.base, row.quote)),
    base_currency: plainJson(currencyText(network, row.base)),
    base_ticker: textJson(tickerOfCurrency(network, row.base, labelOf('base', row))!),
    target_currency: plainJson(currencyText(network, row.quote)),
    target_ticker: textJson(tickerOfCurrency(network, row.quote, labelOf('quote', row))!),
    last_price: priceText(pricedIn(pair, row.last_base, row.last_quote)!),
    base_volume: decimalText(row.day_base_volume, decimals.base),
    target_volume: decimalText(row.day_quote_volume, decimals.quote),
    high: price(row.day_high_base, row.day_high_quote),
    low: price(row.day_low_base, row.day_low_quote),
    bid: price(row.bid_base, row.bid_quote),
    ask: price(row.ask_base, row.ask_quote),
  });
}
