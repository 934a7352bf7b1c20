/** `/order/pair/{pair}/book`: the open orders of a pair by price. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Atoms } from '../../chain/types.ts';
import { amountJson } from '../../render/text.ts';
import { PRICE_LEVELS_DOWNWARDS, PRICE_LEVELS_UPWARDS, type PriceLevelRow } from '../../store/queries/price-levels.ts';
import { envelopePage, type ListPage, listResult, rowLimit } from '../pagination/page.ts';
import { lastValue, parseTradingPair, type Query } from '../parse/parameters.ts';
import { type Ratio, reducedRatio, wholeUnitPrice } from '../present/price.ts';
import type { BookOrder } from '../response-profile/profile.ts';
import { badRequest, notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute, type RouteResult } from '../route/context.ts';
import { schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { envelopeQuery, envelopeResponses, PAIR_PARAMETER } from '../schemas/route.ts';

/** What the orders of the side do with base: `ask` asks for it, `bid` gives it. */
type Side = 'ask' | 'bid';

interface Asked {
  readonly base: Currency;
  readonly quote: Currency;
  readonly side: Side;
  readonly order: BookOrder;
  readonly page: ListPage;
}

/** A level as somebody sees it who thinks in base and quote. */
interface Level {
  /** Quote atoms for one base atom. */
  readonly price: Ratio;
  /** What is left on the base side. */
  readonly baseAmount: Atoms;
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
}

export function bookRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network, store } = context;
  const [defaultOrder] = profile.bookOrders as [BookOrder];
  const PriceLevel = component(
    app,
    'PriceLevel',
    strictObject({
      price: strictObject({
        decimal: Type.String({
          pattern: profile.priceDecimal.pattern,
          description: "For one whole unit of base, in whole units of quote, rounded down to quote's decimals",
        }),
        atoms: Type.String({
          pattern: '^[1-9][0-9]*/[1-9][0-9]*$',
          description: 'Exactly: atoms of quote for one atom of base, in lowest terms',
          examples: ['3/2'],
        }),
      }),
      amount: { ...schemaRef('Amount'), description: 'What is left in these orders of the base currency' },
      ...profile.priceLevel.properties,
    }),
  );

  function sideOf(query: Query): Side {
    const side = lastValue(query, 'side');
    if (side !== 'ask' && side !== 'bid') throw badRequest('Bad request');
    return side;
  }

  function orderOf(query: Query): BookOrder {
    if (profile.bookOrders.length === 1) return defaultOrder;
    const text = lastValue(query, 'order') ?? defaultOrder;
    const order = profile.bookOrders.find((known) => known === text);
    if (order === undefined) throw badRequest('Bad request');
    return order;
  }

  const decimalsOf = (currency: Currency, ofToken: number | null) =>
    currency === COIN ? network.coinDecimals : (ofToken ?? 0);

  function levelOf({ base, quote, side }: Asked, row: PriceLevelRow): Level {
    const [baseAmount, quoteAmount] =
      side === 'ask' ? [row.ask_balance!, row.give_balance!] : [row.give_balance!, row.ask_balance!];
    const [ofBase, ofQuote] =
      side === 'ask' ? [row.ask_decimals, row.give_decimals] : [row.give_decimals, row.ask_decimals];
    return {
      price: reducedRatio(quoteAmount, baseAmount),
      baseAmount,
      baseDecimals: decimalsOf(base, ofBase),
      quoteDecimals: decimalsOf(quote, ofQuote),
    };
  }

  function presentLevel({ price, baseAmount, baseDecimals, quoteDecimals }: Level, orderCount: number): string {
    const decimal = profile.priceDecimal.text(wholeUnitPrice(price, baseDecimals), quoteDecimals);
    return `{"price":{"decimal":"${decimal}","atoms":"${price.numerator}/${price.denominator}"},"amount":${amountJson(baseAmount, baseDecimals)}${profile.priceLevel.text({ orderCount })}}`;
  }

  async function levels(asked: Asked): Promise<RouteResult> {
    const { base, quote, side, order, page } = asked;
    // Seen from the other side of the pair, the prices are turned over and so is their order: both read the same way.
    const question = order === 'worst' ? PRICE_LEVELS_UPWARDS : PRICE_LEVELS_DOWNWARDS;
    const [askCurrency, giveCurrency] = side === 'ask' ? [base, quote] : [quote, base];
    const after = page.after === null ? null : BigInt(page.after[0]!);
    const { tip, rows } = await store.query(question, askCurrency, giveCurrency, after, rowLimit(page)!);
    if (!rows[0]!.exists) throw notFound('Token not found', tip);
    return listResult(
      page,
      { tip, rows: rows.filter((row) => row.price !== null) },
      {
        key: (row) => [row.price!],
        text: (row) => presentLevel(levelOf(asked, row), row.order_count!),
      },
    );
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
      response: envelopeResponses(PriceLevel, [400, 404]),
    },
    parse: ({ params, query }): Asked => {
      const [base, quote] = parseTradingPair(network, params.pair!);
      const side = sideOf(query);
      const order = orderOf(query);
      const page = envelopePage(query, `book ${base}_${quote} ${side} ${order}`, ['price']);
      return { base, quote, side, order, page };
    },
    answer: levels,
  });
}
