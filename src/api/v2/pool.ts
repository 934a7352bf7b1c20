/** `/pool`: staking pools, their blocks and their delegations. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { listDelegationsOfPool, POOL_DELEGATION_LIST } from '../../store/queries/delegations.ts';
import {
  countPoolBlocks,
  getPool,
  listPools,
  POOL_LISTS,
  type PoolKeys,
  type PoolRow,
  type PoolSort,
} from '../../store/queries/pools.ts';
import { listResult } from '../pagination/list-result.ts';
import { type ListPage, parsePage, parseUnpaged, rowRange } from '../pagination/page.ts';
import { lastValue, parsePoolId, parseRequiredSeconds, type Query } from '../parse/parameters.ts';
import {
  BLOCK_COUNT_SCHEMA,
  POOL_DELEGATION_SCHEMA,
  POOL_SCHEMA,
  presentBlockCount,
  presentPool,
  presentPoolDelegation,
} from '../present/pool.ts';
import { badRequest, notFound } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import {
  listQuery,
  listResponses,
  MOVING_ORDER,
  POOL_ID_PARAMETER,
  responses,
  unpagedListQuery,
  unsignedInteger,
} from '../schemas/route.ts';

/** The sort keys of the two lists, as cursors hold them. */
const SORT_FIELDS = {
  by_height: { height: 'height', poolId: 'id' },
  by_pledge: { stakerBalance: 'amount', poolId: 'id' },
} as const;
const DELEGATION_FIELDS = { delegationId: 'id' } as const;

function sortKeyOf(sort: PoolSort, { creation_height, staker_balance, pool_id }: PoolRow) {
  return sort === 'by_height'
    ? { height: creation_height, poolId: pool_id }
    : { stakerBalance: staker_balance, poolId: pool_id };
}

function parseSort(query: Query): PoolSort {
  const sort = lastValue(query, 'sort') ?? 'by_height';
  if (sort !== 'by_height' && sort !== 'by_pledge') throw badRequest('Invalid pools sort order');
  return sort;
}

export function poolRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, profile, unpagedLists } = context;
  const tags = ['Pools and delegations'];
  const Pool = component(app, 'Pool', POOL_SCHEMA);

  getRoute(app, context, {
    path: '/pool',
    schema: {
      tags,
      summary: 'The living pools',
      description: `\`by_height\`: the youngest first. \`by_pledge\`: the largest staker balance first. ${MOVING_ORDER}`,
      querystring: listQuery({
        sort: Type.Optional(
          Type.Enum(['by_height', 'by_pledge'], {
            type: 'string',
            default: 'by_height',
            description: 'What comes first',
          }),
        ),
      }),
      response: listResponses(Pool, [400]),
    },
    parse: ({ query }): { sort: PoolSort; page: ListPage<PoolKeys[PoolSort], number> } => {
      const sort = parseSort(query);
      return { sort, page: parsePage(query, `pool ${sort}`, SORT_FIELDS[sort]) };
    },
    anchors: ({ sort }) => POOL_LISTS[sort].anchors,
    read: (store, { sort, page }) => listPools(store, { sort, ...rowRange(page) }),
    present: ({ rows }, { sort, page }) =>
      listResult(page, rows, {
        sortKey: (row) => sortKeyOf(sort, row),
        json: (row) => presentPool(network, row),
      }),
  });

  getRoute(app, context, {
    path: '/pool/:id',
    schema: { tags, summary: 'A pool', params: POOL_ID_PARAMETER, response: responses(Pool, [400, 404]) },
    parse: ({ params }) => parsePoolId(network, params.id!),
    read: (store, id) => getPool(store, id),
    present: ({ rows: [pool] }) => {
      if (!pool) throw notFound('Stake pool not found');
      return presentPool(network, pool);
    },
  });

  getRoute(app, context, {
    path: '/pool/:id/block-stats',
    schema: {
      tags,
      summary: 'How many blocks a pool made in a span of time',
      params: POOL_ID_PARAMETER,
      querystring: Type.Object({
        from: unsignedInteger({ description: 'Unix seconds, included' }),
        to: unsignedInteger({ description: 'Unix seconds, included' }),
      }),
      response: responses(BLOCK_COUNT_SCHEMA, [400, 404]),
    },
    // The query is validated before the id, as mintlayer-core's framework does.
    parse: ({ params, query }) => {
      const from = parseRequiredSeconds(query, 'from');
      const to = parseRequiredSeconds(query, 'to');
      return { poolId: parsePoolId(network, params.id!), from, to };
    },
    read: countPoolBlocks,
    present: ({ rows: [pool] }) => {
      if (!pool) throw notFound('Stake pool not found');
      return presentBlockCount(pool.block_count);
    },
  });

  getRoute(app, context, {
    path: '/pool/:id/delegations',
    schema: {
      tags,
      summary: 'The delegations of a pool, by id',
      params: POOL_ID_PARAMETER,
      querystring: profile.pagesPoolDelegations ? listQuery() : unpagedListQuery(),
      response: listResponses(component(app, 'PoolDelegation', POOL_DELEGATION_SCHEMA), [400]),
    },
    parse: ({ params, query }) => {
      const poolId = parsePoolId(network, params.id!);
      const list = `pool-delegations ${poolId}`;
      const parse = profile.pagesPoolDelegations ? parsePage : parseUnpaged;
      return { poolId, page: parse(query, list, DELEGATION_FIELDS) };
    },
    anchors: () => POOL_DELEGATION_LIST.anchors,
    read: (store, { poolId, page }) => unpagedLists.readPage(store, listDelegationsOfPool, { poolId }, page),
    present: ({ rows }, { page }) =>
      listResult(page, rows, {
        sortKey: (row) => ({ delegationId: row.delegation_id }),
        json: (row) => presentPoolDelegation(network, row),
      }),
  });
}
