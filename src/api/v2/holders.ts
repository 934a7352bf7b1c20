/** `/statistics/coin/holders` and `/statistics/token/{id}/holders`: the largest holders of a currency. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { COIN, type Currency } from '../../chain/currency.ts';
import { type HolderKey, type HolderRow, listHolders } from '../../store/queries/holders.ts';
import type { QueryRunner, SnapshotRows } from '../../store/read/batched-query.ts';
import { listResult } from '../pagination/list-result.ts';
import { type ListPage, parseEnvelopePage, rowRange } from '../pagination/page.ts';
import { lastValue, parseTokenId, type Query } from '../parse/parameters.ts';
import { holderSchema, presentHolder } from '../present/holders.ts';
import type { HolderSort } from '../response-profile/profile.ts';
import { ApiError, badRequest, notFound } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute, type JsonBody } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import { envelopeQuery, envelopeResponses, MOVING_ORDER, TOKEN_ID_PARAMETER } from '../schemas/route.ts';

interface HolderList {
  readonly currency: Currency;
  readonly sort: HolderSort;
  /** Or the message of the error 400 about the query: for a token that does not exist, the error 404 goes before it. */
  readonly page: ListPage<HolderKey, number> | { readonly refusal: string };
}

const SORT_FIELDS = { amount: 'amount', owner: 'owner' } as const;
/** No rows: the one row that there always is says whether the currency exists. */
const NO_ROWS = { after: null, limit: 0 } as const;

export function holderRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, profile } = context;
  const [defaultSort] = profile.holderSorts as [HolderSort];
  const Holder = component(app, 'Holder', holderSchema(profile));
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

  function parseSort(query: Query): HolderSort {
    if (profile.holderSorts.length === 1) return defaultSort;
    const text = lastValue(query, 'sort') ?? defaultSort;
    const sort = profile.holderSorts.find((known) => known === text);
    if (sort === undefined) throw badRequest('Invalid holders sort order');
    return sort;
  }

  function parseList(query: Query, currency: Currency): HolderList {
    try {
      const sort = parseSort(query);
      return { currency, sort, page: parseEnvelopePage(query, `holders ${sort} ${currency}`, SORT_FIELDS) };
    } catch (error) {
      if (error instanceof ApiError) return { currency, sort: defaultSort, page: { refusal: error.message } };
      throw error;
    }
  }

  const readHolders = (store: QueryRunner, { currency, sort, page }: HolderList) =>
    listHolders(store, { currency, sort, ...('refusal' in page ? NO_ROWS : rowRange(page)) });

  function holderJson(row: HolderRow, currency: Currency): string {
    return presentHolder(network, profile, row.owner!, {
      amount: row.amount!,
      locked: row.locked!,
      decimals: currency === COIN ? network.coinDecimals : (row.decimals ?? 0),
      circulatingSupply: row.circulating_supply,
    });
  }

  function presentHolders({ rows }: SnapshotRows<HolderRow>, { currency, sort, page }: HolderList): JsonBody {
    if (!rows[0]!.exists) throw notFound('Token not found');
    if ('refusal' in page) throw badRequest(page.refusal);
    const holders = rows.filter(({ owner }) => owner !== null);
    return listResult(page, holders, {
      sortKey: (row) => ({ amount: row[sort]!, owner: row.owner! }),
      json: (row) => holderJson(row, currency),
    });
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
    parse: ({ query }) => parseList(query, COIN),
    read: readHolders,
    present: presentHolders,
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
    parse: ({ params, query }) => parseList(query, parseTokenId(network, params.id!)),
    read: readHolders,
    present: presentHolders,
  });
}
