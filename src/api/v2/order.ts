/** `/order`: orders, and lists of the open ones. */
import type { FastifyInstance } from 'fastify';
import { getOrder, OPEN_ORDER_LIST, type OrderRow, PAIR_ORDER_LIST } from '../../store/queries/orders.ts';
import { notFound } from '../errors/api-error.ts';
import { OFFSET_OR_CURSOR } from '../pagination/paging.ts';
import { parseOrderId, parseTradingPair } from '../parse/parameters.ts';
import { ORDER_SCHEMA, presentOrder } from '../present/order.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { listRoute } from '../route/list-route.ts';
import { component } from '../schemas/components.ts';
import { ORDER_ID_PARAMETER, PAIR_PARAMETER, responses } from '../schemas/route.ts';

export function orderRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;
  const tags = ['Orders'];
  const Order = component(app, 'Order', ORDER_SCHEMA);

  const orders = {
    entry: Order,
    paging: OFFSET_OR_CURSOR,
    writer: () => (row: OrderRow) => presentOrder(network, row),
  };

  listRoute(app, context, {
    ...orders,
    path: '/order',
    schema: {
      tags,
      summary: 'The open orders, the youngest first',
      description: 'Open: not concluded, not frozen, and something is still asked.',
    },
    list: OPEN_ORDER_LIST,
    parse: ({ query }, paged) => paged(query, {}),
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

  listRoute(app, context, {
    ...orders,
    path: '/order/pair/:pair',
    schema: {
      tags,
      summary: 'The open orders between two currencies, the youngest first',
      description: 'Whichever of the two they give.',
      params: PAIR_PARAMETER,
    },
    list: PAIR_ORDER_LIST,
    parse: ({ params, query }, paged) => paged(query, { pair: parseTradingPair(network, params.pair!) }),
  });
}
