/** `/order`: the order book. */
import type { FastifyInstance } from 'fastify';
import { destinationAddress, orderAddress, tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { LARGEST_HEIGHT, type Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { amountJson } from '../../render/text.ts';
import { OPEN_ORDER_ANCHORS, PAIR_ORDER_ANCHORS } from '../../store/queries/offset-anchors.ts';
import { OPEN_ORDERS, OPEN_ORDERS_OF_PAIR, ORDER, type OrderRow } from '../../store/queries/orders.ts';
import { type ListOf, type ListPage, listPage, listResult, rowLimit } from '../pagination/page.ts';
import { parseOrderId, parseTradingPair } from '../parse/parameters.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute } from '../route/context.ts';
import { Bech32, Count, schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { listQuery, listResponses, ORDER_ID_PARAMETER, PAIR_PARAMETER, responses } from '../schemas/route.ts';

export function currency(network: Network, id: Currency): string {
  return id === COIN ? '{"type":"Coin"}' : `{"type":"Token","token_id":"${tokenAddress(network, id)}"}`;
}

function presentOrder(network: Network, row: OrderRow): string {
  return `{"order_id":"${orderAddress(network, row.order_id)}","conclude_destination":"${destinationAddress(network, row.conclude_destination)}","give_currency":${currency(network, row.give_currency)},"initially_given":${amountJson(row.initially_given, row.give_decimals)},"give_balance":${amountJson(row.give_balance, row.give_decimals)},"ask_currency":${currency(network, row.ask_currency)},"initially_asked":${amountJson(row.initially_asked, row.ask_decimals)},"ask_balance":${amountJson(row.ask_balance, row.ask_decimals)},"nonce":${row.next_nonce}}`;
}

const ORDER_SCHEMA = strictObject({
  order_id: Bech32,
  conclude_destination: Bech32,
  give_currency: schemaRef('Currency'),
  initially_given: schemaRef('Amount'),
  give_balance: { ...schemaRef('Amount'), description: 'Still offered' },
  ask_currency: schemaRef('Currency'),
  initially_asked: schemaRef('Amount'),
  ask_balance: { ...schemaRef('Amount'), description: 'Still asked' },
  nonce: Count,
});

function placeBefore({ after }: ListPage): readonly [height: number, orderId: Id | ''] {
  return after ? [Number(after[0]), after[1]!] : [LARGEST_HEIGHT, ''];
}

export function orderRoutes(app: FastifyInstance, context: ApiContext): void {
  const { offsetAnchors, network, store } = context;
  const tags = ['Orders'];
  const Order = component(app, 'Order', ORDER_SCHEMA);

  const ORDER_LIST: ListOf<OrderRow> = {
    key: (row) => [row.creation_height, row.order_id],
    text: (row) => presentOrder(network, row),
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
    parse: ({ query }) => listPage(query, 'order', ['height', 'id']),
    answer: (asked) =>
      offsetAnchors.read(OPEN_ORDER_ANCHORS, [], asked, async (page) => {
        const [height, id] = placeBefore(page);
        return listResult(page, await store.query(OPEN_ORDERS, height, id, page.skipped, rowLimit(page)!), ORDER_LIST);
      }),
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
    answer: async (id) => {
      const { tip, rows } = await store.query(ORDER, id);
      if (!rows[0]) throw notFound('Order not found');
      return { text: presentOrder(network, rows[0]), tip };
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
      const [low, high] = [...parseTradingPair(network, params.pair!)].sort() as [Currency, Currency];
      return { low, high, page: listPage(query, `order ${low}_${high}`, ['height', 'id']) };
    },
    answer: ({ low, high, page: asked }) =>
      offsetAnchors.read(PAIR_ORDER_ANCHORS, [low, high], asked, async (page) => {
        const [height, id] = placeBefore(page);
        const items = rowLimit(page)!;
        const answer = await store.query(OPEN_ORDERS_OF_PAIR, low, high, height, id, page.skipped, items);
        return listResult(page, answer, ORDER_LIST);
      }),
  });
}
