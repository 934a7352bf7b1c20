/** `/statistics/coin/holders` and `/statistics/token/{id}/holders`: who has most of a currency. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { destinationAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { amountJson } from '../../render/text.ts';
import { HOLDERS_BY_AMOUNT, HOLDERS_BY_TOTAL } from '../../store/queries/holders.ts';
import { envelopePage, type ListPage, listResult, rowLimit } from '../pagination/page.ts';
import { lastValue, parseTokenId, type Query } from '../parse/parameters.ts';
import type { HolderSort } from '../response-profile/profile.ts';
import { ApiError, badRequest, notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute, type RouteResult } from '../route/context.ts';
import { Bech32, schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { envelopeQuery, envelopeResponses, MOVING_ORDER, TOKEN_ID_PARAMETER } from '../schemas/route.ts';

interface Asked {
  readonly currency: Currency;
  /** Or what is wrong with the query: of a token that does not exist, that is said first. */
  readonly list: { readonly sort: HolderSort; readonly page: ListPage } | { readonly refusal: string };
}

const QUESTIONS = { amount: HOLDERS_BY_AMOUNT, total: HOLDERS_BY_TOTAL };

export function holderRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network, store } = context;
  const [defaultSort] = profile.holderSorts as [HolderSort];
  const Holder = component(
    app,
    'Holder',
    strictObject({
      address: Bech32,
      amount: { ...schemaRef('Amount'), description: 'What can be spent, as `/address` shows it' },
      ...profile.holder.properties,
    }),
  );
  const querystring = envelopeQuery(
    profile.holderSorts.length === 1
      ? {}
      : {
          sort: Type.Optional(
            Type.Enum([...profile.holderSorts], {
              type: 'string',
              default: defaultSort,
              description: '`amount`: by what can be spent, who has nothing of it left out. `total`: by all they have.',
            }),
          ),
        },
  );

  function sortOf(query: Query): HolderSort {
    if (profile.holderSorts.length === 1) return defaultSort;
    const text = lastValue(query, 'sort') ?? defaultSort;
    return profile.holderSorts.find((sort) => sort === text) ?? refuse('Invalid holders sort order');
  }

  function parseList(query: Query, currency: Currency): Asked['list'] {
    try {
      const sort = sortOf(query);
      return { sort, page: envelopePage(query, `holders ${sort} ${currency}`, ['amount', 'owner']) };
    } catch (error) {
      if (error instanceof ApiError) return { refusal: error.message };
      throw error;
    }
  }

  async function holders({ currency, list }: Asked): Promise<RouteResult> {
    const { sort, page } = 'refusal' in list ? { sort: defaultSort, page: null } : list;
    const [after, owner] = page?.after ?? [];
    const place = after === undefined ? 'Infinity' : BigInt(after);
    const { tip, rows } = await store.query(QUESTIONS[sort], currency, place, owner ?? '', rowLimit(page) ?? 0);
    const { exists, decimals: tokenDecimals, circulating_supply: circulatingSupply } = rows[0]!;
    if (!exists) throw notFound('Token not found', tip);
    if ('refusal' in list) throw badRequest(list.refusal);
    const decimals = currency === COIN ? network.coinDecimals : (tokenDecimals ?? 0);
    return listResult(
      page,
      { tip, rows: rows.filter((row) => row.owner !== null) },
      {
        key: (row) => [row[sort]!, row.owner!],
        text: (row) => {
          const holding = { amount: row.amount!, locked: row.locked!, decimals, circulatingSupply };
          return `{"address":"${destinationAddress(network, row.owner!)}","amount":${amountJson(row.amount!, decimals)}${profile.holder.text(holding)}}`;
        },
      },
    );
  }

  getRoute(app, context, {
    path: '/statistics/coin/holders',
    schema: {
      tags: ['Statistics'],
      summary: 'Who holds the coin, the largest holder first',
      description: MOVING_ORDER,
      querystring,
      response: envelopeResponses(Holder, [400]),
    },
    parse: ({ query }) => ({ currency: COIN, list: parseList(query, COIN) }),
    answer: holders,
  });

  getRoute(app, context, {
    path: '/statistics/token/:id/holders',
    schema: {
      tags: ['Statistics'],
      summary: 'Who holds a token or NFT, the largest holder first',
      description: MOVING_ORDER,
      params: TOKEN_ID_PARAMETER,
      querystring,
      response: envelopeResponses(Holder, [400, 404]),
    },
    parse: ({ params, query }) => {
      const currency = parseTokenId(network, params.id!);
      return { currency, list: parseList(query, currency) };
    },
    answer: holders,
  });
}

function refuse(message: string): never {
  throw badRequest(message);
}
