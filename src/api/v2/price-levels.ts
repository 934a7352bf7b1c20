/** `/order/pair/{pair}/price-levels`: the open orders of a pair, those of equal price taken together. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { amount } from '../../render/text.ts';
import { PRICE_LEVELS, type PriceLevelRow } from '../../store/read/orders.ts';
import { type ApiContext, serve } from '../context.ts';
import { last, type Query, tradingPair, unsigned } from '../parameter.ts';
import { priceText, ratio } from '../price.ts';
import { AtomsText, Count, named, object } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { answers, PAIR_PARAMETER } from '../schemas/route.ts';
import { currency } from './order.ts';

const DEFAULT_DEPTH = '20';
const MOST_DEPTH = 100n;

function parseDepth(query: Query): number {
  return Number(unsigned(last(query, 'depth') ?? DEFAULT_DEPTH, 'Invalid depth', MOST_DEPTH));
}

/** Asks give base for quote, bids give quote for base. */
function presentLevel(row: PriceLevelRow): string {
  const [quote, base] = row.is_bid
    ? [{ decimals: row.give_decimals, initially: row.initially_given, left: row.give_balance }, baseOf(row)]
    : [{ decimals: row.ask_decimals, initially: row.initially_asked, left: row.ask_balance }, baseOf(row)];
  const price = ratio(quote.initially, base.initially);
  return `{"price":"${priceText(price, quote.decimals, base.decimals)}","price_numerator":"${price.numerator}","price_denominator":"${price.denominator}","base_amount":${amount(base.left, base.decimals)},"quote_amount":${amount(quote.left, quote.decimals)},"order_count":${row.order_count}}`;
}

function baseOf(row: PriceLevelRow) {
  return row.is_bid
    ? { decimals: row.ask_decimals, initially: row.initially_asked, left: row.ask_balance }
    : { decimals: row.give_decimals, initially: row.initially_given, left: row.give_balance };
}

const LEVEL_SCHEMA = object({
  price: Type.String({ description: 'Whole units of the quote currency for one of the base currency' }),
  price_numerator: { ...AtomsText, description: 'Atoms of the quote currency …' },
  price_denominator: { ...AtomsText, description: '… for so many atoms of the base currency, in lowest terms' },
  base_amount: { ...named('Amount'), description: 'What is left in the orders of this price' },
  quote_amount: named('Amount'),
  order_count: Count,
});

export function priceLevelRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, reader } = context;
  const Level = component(app, 'PriceLevel', LEVEL_SCHEMA);

  serve(app, context, {
    path: '/order/pair/:pair/price-levels',
    schema: {
      tags: ['Orders'],
      summary: 'The order book of a pair by price',
      description:
        'Asks sell FIRST for SECOND, the cheapest first; bids buy FIRST with SECOND, the dearest first. Orders of ' +
        'exactly the same price share a level.',
      params: PAIR_PARAMETER,
      querystring: Type.Object({
        depth: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 100, default: 20, description: 'Levels of each side, at most' }),
        ),
      }),
      response: answers(
        object({
          base_currency: named('Currency'),
          quote_currency: named('Currency'),
          asks: Type.Array(Level),
          bids: Type.Array(Level),
        }),
        [400],
      ),
    },
    parse: ({ params, query }) => {
      const [base, quote] = tradingPair(network, params.pair!);
      return { base, quote, depth: parseDepth(query) };
    },
    answer: async ({ base, quote, depth }) => {
      const { tip, rows } = await reader.ask(PRICE_LEVELS, base, quote, depth);
      const levels = (isBid: boolean) =>
        rows
          .filter((row) => row.is_bid === isBid)
          .map(presentLevel)
          .join(',');
      const text = `{"base_currency":${currency(network, base)},"quote_currency":${currency(network, quote)},"asks":[${levels(false)}],"bids":[${levels(true)}]}`;
      return { text, tip };
    },
  });
}
