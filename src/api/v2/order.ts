/** `/order`: orders, lists of the open ones, and the open ones of a pair by price. */

import Type from 'typebox';
import { bookLevelOf } from '../../answers/order-book.ts';
import { badRequest, requireFound } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { CURSOR_IGNORING_OFFSET, OFFSET_OR_CURSOR } from '../../serving/pagination/paging.ts';
import {
  AGE_SORT,
  choiceParameter,
  lastQueryValue,
  parseOrderIdParameter,
  parseTradingPair,
  type UrlQuery,
} from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { addListRoute } from '../../serving/route/list-route.ts';
import {
  ORDER_ID_PARAMETER,
  PAIR_PARAMETER,
  responsesWithEtag,
} from '../../serving/schemas/parameters-and-responses.ts';
import type { ByAge } from '../../store/queries/lists/age-order.ts';
import { getOrder, OPEN_ORDER_LISTS, type OrderRow, PAIR_ORDER_LIST } from '../../store/queries/orders/orders.ts';
import { type BookSelection, PRICE_LEVEL_LIST, SIDES_OF_BOOK } from '../../store/queries/orders/price-levels.ts';
import type { ApiContext } from '../api-context.ts';
import { ORDER, priceLevelEntry } from '../present/order.ts';

export function orderRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const tags = ['Orders'];
  const Order = routes.addComponent('Order', ORDER.schema);

  const orders = {
    entry: Order,
    paging: OFFSET_OR_CURSOR,
    writer: () => (row: OrderRow) => ORDER.json(network, row),
  };

  addListRoute(routes, context, {
    ...orders,
    path: '/order',
    tags,
    summary: 'The open orders, newest first',
    description: 'Open: not concluded, not frozen, and something is still asked.',
    query: AGE_SORT.query,
    list: ({ sort }: Required<ByAge>) => OPEN_ORDER_LISTS[sort],
    parse: ({ query }, paged) => paged(query, { sort: AGE_SORT.parse(query) }),
  });

  addGetRoute(routes, context, {
    path: '/order/:id',
    tags,
    summary: 'An order, open or not',
    params: ORDER_ID_PARAMETER,
    response: responsesWithEtag(Order, [400, 404]),
    parse: ({ params }) => parseOrderIdParameter(network, params.id!),
    read: (store, id) => getOrder(store, id),
    present: ({ rows: [order] }) => ORDER.json(network, requireFound(order, 'Order not found')),
  });

  addListRoute(routes, context, {
    ...orders,
    path: '/order/pair/:pair',
    tags,
    summary: 'The open orders between two currencies, newest first',
    description: 'In both directions.',
    params: PAIR_PARAMETER,
    list: PAIR_ORDER_LIST,
    parse: ({ params, query }, paged) => paged(query, { pair: parseTradingPair(network, params.pair!) }),
  });
}

export function bookRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const PRICE_LEVEL = priceLevelEntry(profile);
  const order = choiceParameter('order', profile.bookOrders, {
    description: 'Which level comes first: the worst or the best one for somebody who takes the offer',
    message: 'Bad request',
  });

  function parseSide(query: UrlQuery): BookSelection['side'] {
    const side = lastQueryValue(query, 'side');
    if (side !== 'ask' && side !== 'bid') throw badRequest('Bad request');
    return SIDES_OF_BOOK[side];
  }

  addListRoute(routes, context, {
    path: '/order/pair/:pair/book',
    tags: ['Orders'],
    summary: 'The open orders of a pair by price',
    description:
      'For the pair `BASE_QUOTE`. The sides are named by what the orders do: `ask` are those that ask for base and ' +
      'give quote, the lowest price first; `bid` are those that ask for quote and give base, the highest price ' +
      'first. Orders of exactly the same price share a level. In this order the first level is the worst one for ' +
      'somebody who trades against the book. An order with nothing left to give has no price and is not in the book.',
    params: PAIR_PARAMETER,
    query: {
      side: Type.Enum(Object.keys(SIDES_OF_BOOK), {
        type: 'string',
        description:
          'Which orders: `ask` those that buy base, `bid` those that sell it. `/market` has the names the other way round: its ' +
          '`bid` is the best price of the orders that buy base',
      }),
      ...order.query,
    },
    entry: routes.addComponent('PriceLevel', PRICE_LEVEL.schema),
    paging: CURSOR_IGNORING_OFFSET,
    list: PRICE_LEVEL_LIST,
    parse: ({ params, query }, paged) => {
      const [base, quote] = parseTradingPair(network, params.pair!);
      const side = parseSide(query);
      return paged(query, { base, quote, side, order: order.parse(query) });
    },
    unknown: 'Token not found',
    writer: (_, book) => (row) => PRICE_LEVEL.json(network, bookLevelOf(network, book, row)),
  });
}
