/** `/market`, `/order/pair/{pair}/trades` and `…/candles`, `/order/{id}/fills`: what was traded, and at which prices. */

import Type from 'typebox';
import { estimateFill, MAX_LEVELS, TAKER_SIDES } from '../../answers/fill-estimate.ts';
import { LEAST_DEPTH_COINS, leastDepth } from '../../answers/market-depth.ts';
import { marketInDirection, requestedPair } from '../../answers/markets.ts';
import { bookLevelOf, decimalsOfBook, takenBook } from '../../answers/order-book.ts';
import { pairName } from '../../chain/address.ts';
import { marketOf } from '../../chain/market.ts';
import type { Network } from '../../chain/networks/network.ts';
import { oneOf, unsignedInteger } from '../../render/schemas/common.ts';
import { notFound, requireFound } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { listResult } from '../../serving/pagination/list-result.ts';
import { CURSOR_ONLY, cursorOnly, NEXT_PAGE_HEADERS, rowRange } from '../../serving/pagination/paging.ts';
import { parseRange, parseTimeBound, RANGE_QUERY_SCHEMAS } from '../../serving/parse/chain-points.ts';
import {
  choiceParameter,
  lastQueryValue,
  parseOrderIdParameter,
  parsePositiveAmount,
  parseTradingPair,
} from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { addExportedListRoute, addListRoute } from '../../serving/route/list-route.ts';
import {
  CHANGING_SORT_WARNING,
  ORDER_ID_PARAMETER,
  PAIR_PARAMETER,
  responsesWithEtag,
} from '../../serving/schemas/parameters-and-responses.ts';
import { CANDLE_INTERVALS, CANDLE_LIST } from '../../store/queries/orders/candles.ts';
import { ORDER_FILL_LIST, TRADE_LIST } from '../../store/queries/orders/fills.ts';
import { getMarket, MARKET_SORTS, marketList } from '../../store/queries/orders/markets.ts';
import { PRICE_LEVEL_LIST } from '../../store/queries/orders/price-levels.ts';
import type { ApiContext } from '../api-context.ts';
import { CANDLE, candleWriter } from '../present/candle.ts';
import { FILL, fillCsv, presentFill } from '../present/fill.ts';
import { FILL_ESTIMATE } from '../present/fill-estimate.ts';
import { MARKET, PRICE, presentMarket, presentTicker, TICKER } from '../present/market.ts';

/** The candles of a page: three weeks of hours. */
const MAX_CANDLES = 500n;
/** Listing sites read one page. */
const MAX_TICKERS = 500;

const DIRECTION =
  'For the pair `BASE_QUOTE`, in either direction: the other way round sides, prices and amounts are mirrored. ' +
  '`buy` and `sell` are what the taker did with base.';

const pairOf = (network: Network, params: Readonly<Record<string, string>>) =>
  requestedPair(parseTradingPair(network, params.pair!));

export function marketRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const selection = { leastDepth: leastDepth(network) };
  routes.addComponent('Price', PRICE.schema);

  const format = choiceParameter('format', ['json', 'tickers'], {
    description: `\`tickers\`: an array of all markets with trades, the ${MAX_TICKERS} with the newest ones at most, as listing sites read it`,
    message: 'Invalid format: `json` or `tickers` is expected',
  });
  const sort = choiceParameter('sort', MARKET_SORTS, {
    description: 'The sort order',
    message: 'Invalid markets sort order',
  });
  const { parameters, schema, parse } = CURSOR_ONLY;
  const Market = routes.addComponent('Market', MARKET.schema);
  const Ticker = routes.addComponent('Ticker', TICKER.schema);
  addGetRoute(routes, context, {
    path: '/market',
    summary: 'The markets: pairs with trades or open orders',
    description:
      'Each pair once: quote is the coin if it is one of the two, otherwise the token whose id (as bytes) sorts higher. ' +
      '`by_trade`: the one with the newest trade first, those without a trade last. `by_volume`: the highest volume of the day in coins ' +
      'first; markets of two tokens count as without. `by_change`: the highest change of the day first; thin markets, which bid less than ' +
      `${LEAST_DEPTH_COINS} coins at half of their last price or more, count as without. ` +
      CHANGING_SORT_WARNING,
    querystring: Type.Object({ ...parameters, ...sort.query, ...format.query }),
    response: responsesWithEtag(oneOf([schema(Market), Type.Array(Ticker)]), [400], NEXT_PAGE_HEADERS),
    parse: ({ query }) => {
      const by = sort.parse(query);
      const page = parse(query, marketList(by), selection);
      return format.parse(query) === 'json'
        ? { by, page, isTickers: false }
        : { by, page: { ...page, after: null, limit: MAX_TICKERS }, isTickers: true };
    },
    read: (store, { by, page }) => marketList(by).read(store, { ...selection, ...rowRange(page) }),
    present: ({ rows }, { by, page, isTickers }) => {
      if (!isTickers) return listResult(marketList(by), page, rows, (row) => presentMarket(network, row));
      const traded = rows.slice(0, MAX_TICKERS).filter((row) => row.trades > 0);
      return `[${traded.map((row) => presentTicker(network, row)).join(',')}]`;
    },
  });

  addGetRoute(routes, context, {
    path: '/market/:pair',
    summary: 'A market',
    description:
      'For the pair `BASE_QUOTE`, in either direction: the other way round, prices and amounts are mirrored.',
    params: PAIR_PARAMETER,
    response: responsesWithEtag(Market, [400, 404]),
    parse: ({ params }) => pairOf(network, params),
    read: (store, { market }) => getMarket(store, market.base, market.quote),
    present: ({ rows: [row] }, pair) =>
      presentMarket(network, marketInDirection(pair, requireFound(row, 'Market not found'))),
  });
}

export function estimateRoute(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const side = choiceParameter('side', TAKER_SIDES, {
    description: 'What is done with base',
    message: 'Invalid side: `buy` or `sell` is expected',
  });
  addGetRoute(routes, context, {
    path: '/market/:pair/estimate',
    summary: 'The estimated cost or proceeds of a trade',
    description:
      'For the pair `BASE_QUOTE`, in either direction. Nothing is reserved: others may fill the same orders first.',
    params: PAIR_PARAMETER,
    querystring: Type.Object({
      ...side.query,
      amount: Type.Optional(Type.String({ description: 'Of base, in whole units', default: '1' })),
    }),
    response: responsesWithEtag(routes.addComponent('FillEstimate', FILL_ESTIMATE.schema), [400, 404]),
    parse: ({ params, query }) => {
      const [base, quote] = parseTradingPair(network, params.pair!);
      const taker = side.parse(query);
      return { book: takenBook(base, quote, taker), side: taker, text: lastQueryValue(query, 'amount') ?? '1' };
    },
    read: (store, { book }) => PRICE_LEVEL_LIST.read(store, { ...book, after: null, limit: MAX_LEVELS }),
    present: ({ rows }, { book, side, text }) => {
      if (!rows[0]!.exists) throw notFound('Token not found');
      const decimals = decimalsOfBook(network, book, rows[0]!);
      const amount = parsePositiveAmount(text, decimals.base);
      const levels = rows.filter((row) => PRICE_LEVEL_LIST.isEntry(row)).map((row) => bookLevelOf(network, book, row));
      return FILL_ESTIMATE.json(network, {
        ...estimateFill(levels, side, amount),
        side,
        amount,
        decimals,
        frozenSince: rows[0]!.frozen_since,
      });
    },
  });
}

export function tradeRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const Fill = routes.addComponent('Fill', FILL.schema);

  addExportedListRoute(routes, context, {
    path: '/order/pair/:pair/trades',
    summary: 'The trades of a pair, newest first',
    description: `${DIRECTION} Each fill of an order is a trade.`,
    params: PAIR_PARAMETER,
    query: RANGE_QUERY_SCHEMAS,
    entry: Fill,
    paging: CURSOR_ONLY,
    list: TRADE_LIST,
    parse: ({ params, query }, paged) => {
      const pair = pairOf(network, params);
      return { ...paged(query, { market: pair.market, range: parseRange(query) }), pair };
    },
    unknown: 'Token not found',
    format: ({ pair }) => ({ json: (_, row) => presentFill(network, pair, row), csv: () => fillCsv(network, pair) }),
    fileName: ({ pair }) => `trades-${pairName(network, pair.base, pair.quote)}`,
  });

  addListRoute(routes, context, {
    path: '/order/:id/fills',
    summary: 'The fills of an order, newest first',
    description:
      'Base and quote are those of its market: quote is the coin if it is one of the two, otherwise the token whose id ' +
      '(as bytes) sorts higher.',
    params: ORDER_ID_PARAMETER,
    entry: Fill,
    paging: CURSOR_ONLY,
    list: ORDER_FILL_LIST,
    parse: ({ params, query }, paged) => paged(query, { orderId: parseOrderIdParameter(network, params.id!) }),
    unknown: 'Order not found',
    writer: () => (row) => presentFill(network, { ...row, market: marketOf(row.base, row.quote) }, row),
  });

  const interval = choiceParameter('interval', CANDLE_INTERVALS, {
    description: 'A UTC hour, a UTC day, or a week from Monday on',
    message: 'Invalid interval: `hour`, `day` or `week` is expected',
  });
  addListRoute(routes, context, {
    path: '/order/pair/:pair/candles',
    summary: 'The prices and volumes of a pair by hour, day or week, newest first',
    description:
      `${DIRECTION} Open and close are the first and the last price by their place in the chain. There is no candle where no trade ` +
      'was. A fill of which one amount is 0 has no price, and is in no candle.',
    params: PAIR_PARAMETER,
    query: { ...interval.query, ...TIME_RANGE_PARAMETERS },
    entry: routes.addComponent('Candle', CANDLE.schema),
    paging: cursorOnly(MAX_CANDLES),
    list: CANDLE_LIST,
    parse: ({ params, query }, paged) => {
      const pair = pairOf(network, params);
      const range = { from: parseTimeBound(query, 'from'), to: parseTimeBound(query, 'to') };
      return { ...paged(query, { market: pair.market, interval: interval.parse(query), ...range }), pair };
    },
    unknown: 'Token not found',
    writer: ({ rows }, { pair }) => candleWriter(network, pair, rows[0]!),
  });
}

const timeParameter = (description: string) =>
  Type.Optional(unsignedInteger({ description: `${description}, in seconds since the epoch` }));

const TIME_RANGE_PARAMETERS = {
  from: timeParameter('Only candles that begin at this time or later'),
  to: timeParameter('Only candles that begin before this time'),
};
