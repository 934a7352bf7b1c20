/** `/order/pair/{pair}/book`: the open orders of a pair by price. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Atoms } from '../../chain/types.ts';
import { listPriceLevels, type PriceLevelRow } from '../../store/queries/price-levels.ts';
import { listResult } from '../pagination/list-result.ts';
import { type ListPage, parseEnvelopePage, rowRange } from '../pagination/page.ts';
import { lastValue, parseTradingPair, type Query } from '../parse/parameters.ts';
import { type BookLevel, presentPriceLevel, priceLevelSchema } from '../present/price-level.ts';
import { reducedRatio } from '../present/price-ratio.ts';
import type { BookOrder } from '../response-profile/profile.ts';
import { badRequest, notFound } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import { envelopeQuery, envelopeResponses, PAIR_PARAMETER } from '../schemas/route.ts';

/** What the orders of the side do with base: `ask` asks for it, `bid` gives it. */
type Side = 'ask' | 'bid';

interface BookPage {
  readonly base: Currency;
  readonly quote: Currency;
  readonly side: Side;
  readonly order: BookOrder;
  readonly page: ListPage<{ readonly price: Atoms }, number>;
}

export function bookRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, profile } = context;
  const [defaultOrder] = profile.bookOrders as [BookOrder];
  const Level = component(app, 'PriceLevel', priceLevelSchema(profile));

  function parseSide(query: Query): Side {
    const side = lastValue(query, 'side');
    if (side !== 'ask' && side !== 'bid') throw badRequest('Bad request');
    return side;
  }

  function parseOrder(query: Query): BookOrder {
    if (profile.bookOrders.length === 1) return defaultOrder;
    const text = lastValue(query, 'order') ?? defaultOrder;
    const order = profile.bookOrders.find((known) => known === text);
    if (order === undefined) throw badRequest('Bad request');
    return order;
  }

  const decimalsOf = (currency: Currency, ofToken: number | null) =>
    currency === COIN ? network.coinDecimals : (ofToken ?? 0);

  function levelOf({ base, quote, side }: BookPage, row: PriceLevelRow): BookLevel {
    const [baseAmount, quoteAmount] =
      side === 'ask' ? [row.ask_balance!, row.give_balance!] : [row.give_balance!, row.ask_balance!];
    const [ofBase, ofQuote] =
      side === 'ask' ? [row.ask_decimals, row.give_decimals] : [row.give_decimals, row.ask_decimals];
    return {
      price: reducedRatio(quoteAmount, baseAmount),
      orderCount: row.order_count!,
      baseAmount,
      baseDecimals: decimalsOf(base, ofBase),
      quoteDecimals: decimalsOf(quote, ofQuote),
    };
  }

  getRoute(app, context, {
    path: '/order/pair/:pair/book',
    schema: {
      tags: ['Orders'],
      summary: 'The open orders of a pair by price',
      description:
        'For the pair `BASE_QUOTE`. The sides are named by what the orders do: `ask` are those that ask for base and ' +
        'give quote, the lowest price first; `bid` are those that ask for quote and give base, the highest price ' +
        'first. Orders of exactly the same price share a level. In this order the first level is the worst one for ' +
        'somebody who trades against the book. An order with nothing left to give has no price and is not in the book.',
      params: PAIR_PARAMETER,
      querystring: envelopeQuery({
        side: Type.Enum(['ask', 'bid'], { type: 'string', description: 'Which orders' }),
        ...(profile.bookOrders.length > 1 && {
          order: Type.Optional(
            Type.Enum([...profile.bookOrders], {
              type: 'string',
              default: defaultOrder,
              description: 'Which level comes first: the worst or the best one for somebody who takes the offer',
            }),
          ),
        }),
      }),
      response: envelopeResponses(Level, [400, 404]),
    },
    parse: ({ params, query }): BookPage => {
      const [base, quote] = parseTradingPair(network, params.pair!);
      const side = parseSide(query);
      const order = parseOrder(query);
      const page = parseEnvelopePage(query, `book ${base}_${quote} ${side} ${order}`, { price: 'price' });
      return { base, quote, side, order, page };
    },
    read: (store, { base, quote, side, order, page }) => {
      const [askCurrency, giveCurrency] = side === 'ask' ? [base, quote] : [quote, base];
      // Seen from the other side of the pair, prices are inverted and so is their order: both sides are read alike.
      const direction = order === 'worst' ? 'up' : 'down';
      return listPriceLevels(store, { askCurrency, giveCurrency, direction, ...rowRange(page) });
    },
    present: ({ rows }, book) => {
      if (!rows[0]!.exists) throw notFound('Token not found');
      const levels = rows.filter(({ price }) => price !== null);
      return listResult(book.page, levels, {
        sortKey: ({ price }) => ({ price: price! }),
        json: (row) => presentPriceLevel(profile, levelOf(book, row)),
      });
    },
  });
}
