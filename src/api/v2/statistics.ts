/** `/statistics`: supply and largest holders of the coin and of each token. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { COIN, type Currency } from '../../chain/currency.ts';
import { getStatisticsAt } from '../../store/queries/balances-at-height.ts';
import { type ChainPoint, type PointBlockRow, pointParameters } from '../../store/queries/chain-points.ts';
import {
  HOLDER_LISTS,
  type HolderListSort,
  type HolderRow,
  type HolderSortKey,
  type ListedHolderRow,
} from '../../store/queries/holders.ts';
import { getStatistics, type StatisticsRow } from '../../store/queries/statistics.ts';
import type { QueryRunner, SnapshotRows } from '../../store/read/batched-query.ts';
import { ApiError, badRequest, notFound } from '../errors/api-error.ts';
import { CURSOR_IGNORING_OFFSET, type ListPage } from '../pagination/paging.ts';
import { POINT_PARAMETERS, parsePoint, requirePointBlock } from '../parse/chain-points.ts';
import { choiceParameter, parseTokenIdParameter, type UrlQuery } from '../parse/parameters.ts';
import {
  COIN_STATISTICS_SCHEMA,
  holderSchema,
  presentCoinStatistics,
  presentHolder,
  presentTokenStatistics,
  tokenStatisticsSchema,
} from '../present/statistics.ts';
import type { ApiContext } from '../route/context.ts';
import { addGetRoute, addListRoute, cacheControlOfPast } from '../route/get-route.ts';
import {
  CHANGING_SORT_WARNING,
  registerComponent,
  responseSchemas,
  TOKEN_ID_PARAMETER,
} from '../schemas/parameters-and-responses.ts';

export function statisticsRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, profile } = context;
  const tags = ['Statistics'];

  addGetRoute(app, context, {
    path: '/statistics/coin',
    schema: {
      tags,
      summary: 'How much there is of the coin',
      description: 'With `height` or `time`: how much there was after that block.',
      querystring: Type.Object(POINT_PARAMETERS),
      response: responseSchemas(registerComponent(app, 'CoinStatistics', COIN_STATISTICS_SCHEMA), [400, 404]),
    },
    parse: ({ query }) => ({ currency: COIN, point: parsePoint(query) }),
    read: readStatistics,
    present: (read, { point }) => ({
      text: presentCoinStatistics(network, requireStatistics(read, point)),
      cacheControl: cacheControlOfStatistics(read),
    }),
  });

  addGetRoute(app, context, {
    path: '/statistics/token/:id',
    schema: {
      tags,
      summary: 'How much there is of a token or NFT',
      description: 'With `height` or `time`: how much there was after that block.',
      querystring: Type.Object(POINT_PARAMETERS),
      params: TOKEN_ID_PARAMETER,
      response: responseSchemas(registerComponent(app, 'TokenStatistics', tokenStatisticsSchema(profile)), [400, 404]),
    },
    parse: ({ params, query }) => ({
      currency: parseTokenIdParameter(network, params.id!),
      point: parsePoint(query),
    }),
    read: readStatistics,
    present: (read, { point }) => ({
      text: presentTokenStatistics(profile, requireStatistics(read, point)),
      cacheControl: cacheControlOfStatistics(read),
    }),
  });
}

interface StatisticsParams {
  readonly currency: Currency;
  /** Null: now. */
  readonly point: ChainPoint | null;
}

type StatisticsRead = SnapshotRows<StatisticsRow & Partial<PointBlockRow>>;

function readStatistics(store: QueryRunner, { currency, point }: StatisticsParams): Promise<StatisticsRead> {
  return point === null ? getStatistics(store, currency) : getStatisticsAt(store, currency, ...pointParameters(point));
}

/** Throws the errors 404. */
function requireStatistics({ rows: [row] }: StatisticsRead, point: ChainPoint | null): StatisticsRow {
  const statistics = point === null ? row! : requirePointBlock(point, row);
  if (!statistics.exists) throw notFound('Token not found');
  return statistics;
}

function cacheControlOfStatistics({ tip, rows: [row] }: StatisticsRead): string | undefined {
  return row?.height === undefined ? undefined : cacheControlOfPast(tip, row.height);
}

interface HolderParams {
  readonly currency: Currency;
  readonly sort: HolderListSort;
  readonly page: ListPage<HolderSortKey>;
  /** The error 400 about the query. For a token that does not exist, the error 404 has precedence. */
  readonly refusal: string | null;
}

export function holderRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, profile } = context;
  const [defaultSort] = profile.holderSorts as [HolderListSort];
  const sortParameter = choiceParameter('sort', profile.holderSorts, {
    description: '`amount`: by spendable balance, without holders that have none. `total`: by total balance.',
    message: 'Invalid holders sort order',
  });

  function parseHolders(query: UrlQuery, currency: Currency): HolderParams {
    const paged = (of: UrlQuery, sort: HolderListSort) => ({
      currency,
      sort,
      page: CURSOR_IGNORING_OFFSET.parse(of, HOLDER_LISTS[sort], { currency }),
    });
    try {
      return { ...paged(query, sortParameter.parse(query)), refusal: null };
    } catch (error) {
      if (error instanceof ApiError) return { ...paged({}, defaultSort), refusal: error.message };
      throw error;
    }
  }

  const holders = {
    query: sortParameter.query,
    entry: registerComponent(app, 'Holder', holderSchema(profile)),
    paging: CURSOR_IGNORING_OFFSET,
    list: ({ sort }: { readonly currency: Currency; readonly sort: HolderListSort }) => HOLDER_LISTS[sort],
    check: ([row]: readonly HolderRow[], { refusal }: HolderParams) => {
      if (!row!.exists) throw notFound('Token not found');
      if (refusal !== null) throw badRequest(refusal);
    },
    writer:
      (_: unknown, { currency }: HolderParams) =>
      (row: ListedHolderRow) =>
        presentHolder(network, profile, row.owner, {
          amount: row.amount,
          locked: row.locked,
          decimals: currency === COIN ? network.coinDecimals : (row.decimals ?? 0),
          circulatingSupply: row.circulating_supply,
        }),
  };

  addListRoute(app, context, {
    ...holders,
    path: '/statistics/coin/holders',
    schema: {
      tags: ['Statistics'],
      summary: 'Who holds the coin, the largest holder first',
      description: CHANGING_SORT_WARNING,
    },
    parse: ({ query }) => parseHolders(query, COIN),
  });

  addListRoute(app, context, {
    ...holders,
    path: '/statistics/token/:id/holders',
    schema: {
      tags: ['Statistics'],
      summary: 'Who holds a token or NFT, the largest holder first',
      description: CHANGING_SORT_WARNING,
      params: TOKEN_ID_PARAMETER,
    },
    errors: [404],
    parse: ({ params, query }) => parseHolders(query, parseTokenIdParameter(network, params.id!)),
  });
}
