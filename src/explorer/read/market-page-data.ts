/** What the page of a market is asked for, and its data, all at one tip. */

import { MAX_LEVELS } from '../../answers/fill-estimate.ts';
import { marketInDirection, requestedPair } from '../../answers/markets.ts';
import { takenBook } from '../../answers/order-book.ts';
import { readTokenLabels } from '../../answers/token-label.ts';
import { WHOLE_CHAIN } from '../../store/queries/blocks/chain-points.ts';
import { CANDLE_INTERVALS, CANDLE_LIST, type CandleInterval } from '../../store/queries/orders/candles.ts';
import { TRADE_LIST } from '../../store/queries/orders/fills.ts';
import { getMarket } from '../../store/queries/orders/markets.ts';
import { PAIR_ORDER_LIST } from '../../store/queries/orders/orders.ts';
import { type BookSide, PRICE_LEVEL_LIST } from '../../store/queries/orders/price-levels.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import type { PageRequest } from '../define-page.ts';
import { badInput, pageNotFound } from '../page-error.ts';
import { askedSize } from '../parts/fill-calculator.ts';
import { readBookSide } from '../parts/order-book.ts';
import { parseListPage, readListPage } from '../parts/paging.ts';
import type { Site } from '../site.ts';
import { parseVisitorPair } from '../visitor-input.ts';
import { tokensOfCurrencies, tokensOfOrders } from './order-values.ts';

export const LEVELS = '10';
const NEWEST_ORDERS = 10;
const TRADES = '10';
const CANDLES = 90;
/** A market of fewer days with trades is shown by hour. */
const FEW_DAYS = 3;

type MarketRequest = ReturnType<typeof parseMarketRequest>;
export type MarketPageData = Awaited<ReturnType<typeof readMarketPage>>;

/** Throws the error 400. */
export function parseMarketRequest({ network }: Site, { params, query }: PageRequest) {
  const [base, quote] = parseVisitorPair(network, params.pair!);
  const sideOf = (side: BookSide, cursor: PageRequest['query'][string]) =>
    parseListPage({ cursor, items: query.items }, PRICE_LEVEL_LIST, { base, quote, side, order: 'best' }, LEVELS);
  const { market } = requestedPair([base, quote]);
  return {
    base,
    quote,
    interval: parseInterval(query.interval),
    trades: parseListPage({ cursor: query.trades }, TRADE_LIST, { market, range: WHOLE_CHAIN }, TRADES),
    asked: askedSize(query),
    buys: sideOf('buys', query.buys),
    sells: sideOf('sells', query.sells),
  };
}

/** Returns the interval of a request, if it has one. */
function parseInterval(text: PageRequest['query'][string]): CandleInterval | undefined {
  if (text === undefined) return undefined;
  const interval = CANDLE_INTERVALS.find((known) => known === text);
  if (interval === undefined) throw badInput('Prices are shown by hour, day or week.');
  return interval;
}

/** Throws the error 404, and SnapshotChanged if the tip changes between queries. */
export async function readMarketPage(
  site: Site,
  store: QueryRunner,
  { base, quote, buys, sells, trades, interval, asked }: MarketRequest,
) {
  const pair = { base, quote, order: 'best' } as const;
  const { market } = requestedPair([base, quote]);
  const candlesBy = (each: CandleInterval) =>
    CANDLE_LIST.read(store, { market, interval: each, from: null, to: null, after: null, limit: CANDLES });
  const [bought, sold, orders, traded, first, found, taken] = await Promise.all([
    readBookSide(site, store, buys, { ...pair, side: 'buys' }),
    readBookSide(site, store, sells, { ...pair, side: 'sells' }),
    PAIR_ORDER_LIST.read(store, { pair: [base, quote], after: null, limit: NEWEST_ORDERS }),
    readListPage(store, TRADE_LIST, trades, { market, range: WHOLE_CHAIN }),
    candlesBy(interval ?? 'day'),
    getMarket(store, market.base, market.quote),
    PRICE_LEVEL_LIST.read(store, {
      ...takenBook(base, quote, asked.side),
      after: null,
      limit: asked.amount === '' ? 1 : MAX_LEVELS,
    }),
  ]);
  const [row] = found.rows;
  const isByHour = interval === undefined && first.rows.length < FEW_DAYS;
  const candles = isByHour ? await candlesBy('hour') : first;
  const tip = requireSameTip(bought, sold, orders, traded, candles, found, taken);
  if (!traded.rows[0]!.exists) {
    throw pageNotFound('There is no such market: one of its currencies is a token that was never issued.', tip);
  }
  return {
    tip,
    buys: bought,
    sells: sold,
    orders: orders.rows,
    labels: await readTokenLabels(store, tip, [...tokensOfCurrencies([base, quote]), ...tokensOfOrders(orders.rows)]),
    trades: traded,
    candles: candles.rows.filter((each) => CANDLE_LIST.isEntry(each)),
    interval: interval ?? (isByHour ? ('hour' as const) : ('day' as const)),
    /** Null without trades and open orders. */
    market: row === undefined ? null : marketInDirection(requestedPair([base, quote]), row),
    /** The book that a trade of the asked size takes from. */
    taken: taken.rows,
  };
}
