/** `/pool`: staking pools, their blocks and their delegations. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { type ListedBlockRow, listPoolBlocks } from '../../store/queries/block-lists.ts';
import { listDelegationsOfPool, POOL_DELEGATION_LIST } from '../../store/queries/delegations.ts';
import {
  type ExpandedPoolRow,
  listExpandedPools,
  listSortedPools,
  type PoolSort,
  SORTED_POOL_LISTS,
  type SortedPoolKey,
  type SortedPoolRow,
  sortedPoolKey,
} from '../../store/queries/pool-lists.ts';
import { countPoolBlocks, getPool } from '../../store/queries/pools.ts';
import type { SnapshotRows } from '../../store/read/batched-query.ts';
import type { SortFields } from '../pagination/cursor.ts';
import { listResult } from '../pagination/list-result.ts';
import {
  type ListPage,
  parseArrayOrEnvelopePage,
  parseCursorPage,
  parseUnpaged,
  rowRange,
} from '../pagination/page.ts';
import { lastValue, parseExpand, parsePoolId, parseRequiredSeconds, type Query } from '../parse/parameters.ts';
import { presentListedBlock } from '../present/block.ts';
import {
  BLOCK_COUNT_SCHEMA,
  EXPANDED_POOL_SCHEMA,
  POOL_DELEGATION_SCHEMA,
  POOL_SCHEMA,
  presentBlockCount,
  presentExpandedPool,
  presentPool,
  presentPoolDelegation,
} from '../present/pool.ts';
import { badRequest, notFound } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { schemaRef } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import {
  cursorQuery,
  EXPAND,
  EXTENSION_TAG,
  envelopeResponses,
  listQuery,
  listResponses,
  MOVING_ORDER,
  POOL_ID_PARAMETER,
  responses,
  unpagedListQuery,
  unsignedInteger,
} from '../schemas/route.ts';

/** The sort keys of the lists, as cursors hold them. */
export const SORT_FIELDS = {
  by_height: { sortKey: 'height', poolId: 'id' },
  by_pledge: { sortKey: 'amount', poolId: 'id' },
  by_stake: { sortKey: 'amount', poolId: 'id' },
  by_blocks: { sortKey: 'height', poolId: 'id' },
  by_margin: { sortKey: 'height', poolId: 'id' },
  by_apy: { sortKey: 'rank', poolId: 'id' },
} as const satisfies Record<PoolSort, SortFields>;
const SORTS = Object.keys(SORT_FIELDS) as PoolSort[];
export const DELEGATION_FIELDS = { delegationId: 'id' } as const;

interface PoolList {
  readonly sort: PoolSort;
  readonly page: ListPage<SortedPoolKey, number>;
  readonly isExpanded: boolean;
}

function parseSort(query: Query): PoolSort {
  const sort = SORTS.find((known) => known === (lastValue(query, 'sort') ?? 'by_height'));
  if (sort === undefined) throw badRequest('Invalid pools sort order');
  return sort;
}

export function poolRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, profile, unpagedLists } = context;
  const tags = ['Pools and delegations'];
  const Pool = component(app, 'Pool', POOL_SCHEMA);
  const ExpandedPool = component(app, 'ExpandedPool', EXPANDED_POOL_SCHEMA);

  getRoute(app, context, {
    path: '/pool',
    schema: {
      tags,
      summary: 'The living pools',
      description:
        '`by_height`: the youngest first. `by_pledge`: the largest staker balance first; `by_stake`: that and what is ' +
        'delegated. `by_blocks`: the most blocks of the last 720 hours first. `by_margin`: the lowest margin first. `by_apy`: ' +
        `the best \`apy_month\` first, pools without one last. ${MOVING_ORDER}`,
      querystring: listQuery({
        sort: Type.Optional(
          Type.Enum(SORTS, {
            type: 'string',
            default: 'by_height',
            description: 'What comes first',
          }),
        ),
        expand: EXPAND,
      }),
      response: listResponses(Type.Union([Pool, ExpandedPool]), [400]),
    },
    parse: ({ query }): PoolList => {
      const sort = parseSort(query);
      const page: ListPage<SortedPoolKey, number> = parseArrayOrEnvelopePage(query, `pool ${sort}`, SORT_FIELDS[sort]);
      return { sort, page, isExpanded: parseExpand(query) };
    },
    anchors: ({ sort }) => SORTED_POOL_LISTS[sort].anchors,
    read: (store, { sort, page, isExpanded }): Promise<SnapshotRows<SortedPoolRow | ExpandedPoolRow>> =>
      (isExpanded ? listExpandedPools : listSortedPools)(store, { sort, ...rowRange(page) }),
    present: ({ rows }, { sort, page }) =>
      listResult(page, rows, {
        sortKey: (row) => sortedPoolKey(sort, row),
        json: (row) => ('effective_stake' in row ? presentExpandedPool(network, row) : presentPool(network, row)),
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
    path: '/pool/:id/blocks',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The blocks that a pool made, newest first',
      params: POOL_ID_PARAMETER,
      querystring: cursorQuery(),
      response: envelopeResponses(schemaRef('ListedBlock'), [400, 404]),
    },
    parse: ({ params, query }) => {
      const poolId = parsePoolId(network, params.id!);
      return { poolId, page: parseCursorPage(query, `pool-blocks ${poolId}`, { height: 'height' }) };
    },
    read: (store, { poolId, page }) => listPoolBlocks(store, { poolId, ...rowRange(page) }),
    present: ({ rows }, { page }) => {
      if (rows.length === 0) throw notFound('Stake pool not found');
      return listResult(
        page,
        rows.filter((row): row is ListedBlockRow & typeof row => row.height !== null),
        {
          sortKey: (row) => ({ height: row.height }),
          json: (row) => presentListedBlock(network, row),
        },
      );
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
      const parse = profile.pagesPoolDelegations ? parseArrayOrEnvelopePage : parseUnpaged;
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
