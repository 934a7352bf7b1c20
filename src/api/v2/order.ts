/** `/order`: orders, and lists of the open ones. */
import type { FastifyInstance } from 'fastify';
import {
  getOrder,
  listOpenOrders,
  listOpenOrdersOfPair,
  OPEN_ORDER_LIST,
  type OrderKey,
  type OrderRow,
  PAIR_ORDER_LIST,
} from '../../store/queries/orders.ts';
import { listResult, type RowPresenter } from '../pagination/list-result.ts';
import { parseArrayOrEnvelopePage, rowRange } from '../pagination/page.ts';
import { parseOrderId, parseTradingPair } from '../parse/parameters.ts';
import { ORDER_SCHEMA, presentOrder } from '../present/order.ts';
import { notFound } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import { listQuery, listResponses, ORDER_ID_PARAMETER, PAIR_PARAMETER, responses } from '../schemas/route.ts';

const SORT_FIELDS = { height: 'height', orderId: 'id' } as const;

export function orderRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;
  const tags = ['Orders'];
  const Order = component(app, 'Order', ORDER_SCHEMA);

  const orders: RowPresenter<OrderRow, OrderKey> = {
    sortKey: (row) => ({ height: row.creation_height, orderId: row.order_id }),
    json: (row) => presentOrder(network, row),
  };

  getRoute(app, context, {
    path: '/order',
    schema: {
      tags,
      summary: 'The open orders, the youngest first',
      description: 'Open: not concluded, not frozen, and something is still asked.',
      querystring: listQuery(),
      response: listResponses(Order, [400]),
    },
    parse: ({ query }) => ({ page: parseArrayOrEnvelopePage(query, 'order', SORT_FIELDS) }),
    anchors: () => OPEN_ORDER_LIST.anchors,
    read: (store, { page }) => listOpenOrders(store, rowRange(page)),
    present: ({ rows }, { page }) => listResult(page, rows, orders),
  });

  getRoute(app, context, {
    path: '/order/:id',
    schema: {
      tags,
      summary: 'An order, open or not',
      params: ORDER_ID_PARAMETER,
      response: responses(Order, [400, 404]),
    },
    parse: ({ params }) => parseOrderId(network, params.id!),
    read: (store, id) => getOrder(store, id),
    present: ({ rows: [order] }) => {
      if (!order) throw notFound('Order not found');
      return presentOrder(network, order);
    },
  });

  getRoute(app, context, {
    path: '/order/pair/:pair',
    schema: {
      tags,
      summary: 'The open orders between two currencies, the youngest first',
      description: 'Whichever of the two they give.',
      params: PAIR_PARAMETER,
      querystring: listQuery(),
      response: listResponses(Order, [400]),
    },
    parse: ({ params, query }) => {
      const pair = parseTradingPair(network, params.pair!);
      const [low, high] = [...pair].sort();
      return { pair, page: parseArrayOrEnvelopePage(query, `order ${low}_${high}`, SORT_FIELDS) };
    },
    anchors: () => PAIR_ORDER_LIST.anchors,
    read: (store, { pair, page }) => listOpenOrdersOfPair(store, { pair, ...rowRange(page) }),
    present: ({ rows }, { page }) => listResult(page, rows, orders),
  });
}
