/** `/order`: the order book. */
import type { FastifyInstance } from 'fastify';
import { destinationAddress, orderAddress, tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { LARGEST_HEIGHT, type Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { amount } from '../../render/text.ts';
import { OPEN_ORDER_MILESTONES, PAIR_ORDER_MILESTONES } from '../../store/queries/offset-anchors.ts';
import { OPEN_ORDERS, OPEN_ORDERS_OF_PAIR, ORDER, type OrderRow } from '../../store/queries/orders.ts';
import { type ApiContext, serve } from '../route/context.ts';
import { notFound } from '../route/api-error.ts';
import { type ListOf, type ListPage, listPage, listReply, rowsToRead } from '../pagination/page.ts';
import { orderId, tradingPair } from '../parse/parameters.ts';
import { Bech32, Count, named, object } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { answers, listAnswers, listQuery, ORDER_ID_PARAMETER, PAIR_PARAMETER } from '../schemas/route.ts';

export function currency(network: Network, id: Currency): string {
  return id === COIN ? '{"type":"Coin"}' : `{"type":"Token","token_id":"${tokenAddress(network, id)}"}`;
}

function presentOrder(network: Network, row: OrderRow): string {
  return `{"order_id":"${orderAddress(network, row.order_id)}","conclude_destination":"${destinationAddress(network, row.conclude_destination)}","give_currency":${currency(network, row.give_currency)},"initially_given":${amount(row.initially_given, row.give_decimals)},"give_balance":${amount(row.give_balance, row.give_decimals)},"ask_currency":${currency(network, row.ask_currency)},"initially_asked":${amount(row.initially_asked, row.ask_decimals)},"ask_balance":${amount(row.ask_balance, row.ask_decimals)},"nonce":${row.next_nonce}}`;
}

const ORDER_SCHEMA = object({
  order_id: Bech32,
  conclude_destination: Bech32,
  give_currency: named('Currency'),
  initially_given: named('Amount'),
  give_balance: { ...named('Amount'), description: 'Still offered' },
  ask_currency: named('Currency'),
  initially_asked: named('Amount'),
  ask_balance: { ...named('Amount'), description: 'Still asked' },
  nonce: Count,
});

function placeBefore({ after }: ListPage): readonly [height: number, orderId: Id | ''] {
  return after ? [Number(after[0]), after[1]!] : [LARGEST_HEIGHT, ''];
}

export function orderRoutes(app: FastifyInstance, context: ApiContext): void {
  const { milestones, network, reader } = context;
  const tags = ['Orders'];
  const Order = component(app, 'Order', ORDER_SCHEMA);

  const ORDER_LIST: ListOf<OrderRow> = {
    key: (row) => [row.creation_height, row.order_id],
    text: (row) => presentOrder(network, row),
  };

  serve(app, context, {
    path: '/order',
    schema: {
      tags,
      summary: 'The open orders, the youngest first',
      description: 'Open: not concluded, not frozen, and something is still asked.',
      querystring: listQuery(),
      response: listAnswers(Order, [400]),
    },
    parse: ({ query }) => listPage(query, 'order', ['height', 'id']),
    answer: (asked) =>
      milestones.read(OPEN_ORDER_MILESTONES, [], asked, async (page) => {
        const [height, id] = placeBefore(page);
        return listReply(page, await reader.ask(OPEN_ORDERS, height, id, page.skipped, rowsToRead(page)!), ORDER_LIST);
      }),
  });

  serve(app, context, {
    path: '/order/:id',
    schema: {
      tags,
      summary: 'An order, open or not',
      params: ORDER_ID_PARAMETER,
      response: answers(Order, [400, 404]),
    },
    parse: ({ params }) => orderId(network, params.id!),
    answer: async (id) => {
      const { tip, rows } = await reader.ask(ORDER, id);
      if (!rows[0]) throw notFound('Order not found');
      return { text: presentOrder(network, rows[0]), tip };
    },
  });

  serve(app, context, {
    path: '/order/pair/:pair',
    schema: {
      tags,
      summary: 'The open orders between two currencies, the youngest first',
      description: 'Whichever of the two they give.',
      params: PAIR_PARAMETER,
      querystring: listQuery(),
      response: listAnswers(Order, [400]),
    },
    parse: ({ params, query }) => {
      const [low, high] = [...tradingPair(network, params.pair!)].sort() as [Currency, Currency];
      return { low, high, page: listPage(query, `order ${low}_${high}`, ['height', 'id']) };
    },
    answer: ({ low, high, page: asked }) =>
      milestones.read(PAIR_ORDER_MILESTONES, [low, high], asked, async (page) => {
        const [height, id] = placeBefore(page);
        const items = rowsToRead(page)!;
        const answer = await reader.ask(OPEN_ORDERS_OF_PAIR, low, high, height, id, page.skipped, items);
        return listReply(page, answer, ORDER_LIST);
      }),
  });
}
