/** `/pool`: staking pools, their blocks and their delegations. */

import Type from 'typebox';
import { oneOf, schemaRef, unsignedInteger } from '../../render/schemas/common.ts';
import { requireFound } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { CURSOR_ONLY, OFFSET_OR_CURSOR, WHOLE_OR_CURSOR } from '../../serving/pagination/paging.ts';
import {
  choiceParameter,
  EXPAND,
  EXPAND_POOL,
  parsePoolIdParameter,
  parseRequiredSeconds,
} from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { addListRoute } from '../../serving/route/list-route.ts';
import {
  CHANGING_SORT_WARNING,
  POOL_ID_PARAMETER,
  responsesWithEtag,
} from '../../serving/schemas/parameters-and-responses.ts';
import { POOL_BLOCK_LIST } from '../../store/queries/blocks/block-lists.ts';
import type { List } from '../../store/queries/lists/define-list.ts';
import { POOL_DELEGATION_LIST } from '../../store/queries/pools/delegations.ts';
import {
  EXPANDED_POOL_LISTS,
  type ExpandedPoolRow,
  getExpandedPool,
  POOL_SORTS,
  type PoolSort,
  type PoolSortKey,
  type SinglePoolRow,
  SORTED_POOL_LISTS,
  type SortedPoolRow,
} from '../../store/queries/pools/pool-lists.ts';
import { countPoolBlocks, getPool, type PoolRow } from '../../store/queries/pools/pools.ts';
import type { SnapshotRows } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { presentListedBlock } from '../present/block.ts';
import { BLOCK_COUNT, EXPANDED_POOL, POOL, POOL_DELEGATION, SINGLE_POOL } from '../present/pool.ts';

interface PoolSelection {
  readonly sort: PoolSort;
  readonly isExpanded?: boolean;
}

const SORT = choiceParameter('sort', POOL_SORTS, {
  description: 'The sort order',
  message: 'Invalid pools sort order',
});

export function poolRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const tags = ['Pools and delegations'];
  const Pool = routes.addComponent('Pool', POOL.schema);
  const ExpandedPool = routes.addComponent('ExpandedPool', EXPANDED_POOL.schema);

  addListRoute(routes, context, {
    path: '/pool',
    tags,
    summary: 'The active pools',
    description:
      '`by_height`: newest first. `by_pledge`: largest staker balance first. `by_stake`: largest total stake first. ' +
      '`by_blocks`: most blocks in the 720 hours up to the tip first. `by_margin`: lowest margin first. `by_apy`: ' +
      `highest \`apr_month\` first, pools without one last. \`by_apr_expected\`: highest \`apr_expected\` first. ${CHANGING_SORT_WARNING} ` +
      'The values of `by_height` and `by_margin` do not change.',
    query: {
      ...SORT.query,
      ...EXPAND.query,
    },
    entry: oneOf([Pool, ExpandedPool], { title: 'ListedPool' }),
    paging: OFFSET_OR_CURSOR,
    list: ({ sort, isExpanded }: PoolSelection): List<PoolSelection, PoolSortKey, SortedPoolRow | ExpandedPoolRow> =>
      isExpanded ? EXPANDED_POOL_LISTS[sort] : SORTED_POOL_LISTS[sort],
    parse: ({ query }, paged) => ({ ...paged(query, { sort: SORT.parse(query) }), isExpanded: EXPAND.parse(query) }),
    writer: () => (row) => ('effective_stake' in row ? EXPANDED_POOL.json(network, row) : POOL.json(network, row)),
  });

  addGetRoute(routes, context, {
    path: '/pool/:id',
    tags,
    summary: 'A pool',
    params: POOL_ID_PARAMETER,
    querystring: Type.Object(EXPAND_POOL.query),
    response: responsesWithEtag(oneOf([Pool, routes.addComponent('SinglePool', SINGLE_POOL.schema)]), [400, 404]),
    parse: ({ params, query }) => ({
      id: parsePoolIdParameter(network, params.id!),
      isExpanded: EXPAND_POOL.parse(query),
    }),
    read: (store, { id, isExpanded }): Promise<SnapshotRows<PoolRow | SinglePoolRow>> =>
      isExpanded ? getExpandedPool(store, id) : getPool(store, id),
    present({ rows: [row] }) {
      const pool = requireFound(row, 'Stake pool not found');
      return 'decommission_height' in pool ? SINGLE_POOL.json(network, pool) : POOL.json(network, pool);
    },
  });

  addGetRoute(routes, context, {
    path: '/pool/:id/block-stats',
    tags,
    summary: 'The number of blocks that a pool made in a period',
    params: POOL_ID_PARAMETER,
    querystring: Type.Object({
      from: unsignedInteger({ description: 'Unix seconds, included' }),
      to: unsignedInteger({ description: 'Unix seconds, included' }),
    }),
    response: responsesWithEtag(BLOCK_COUNT.schema, [400, 404]),
    // The query is validated before the id, as mintlayer-core's framework does.
    parse: ({ params, query }) => {
      const from = parseRequiredSeconds(query, 'from');
      const to = parseRequiredSeconds(query, 'to');
      return { poolId: parsePoolIdParameter(network, params.id!), from, to };
    },
    read: (store, { poolId, from, to }) => countPoolBlocks(store, poolId, from, to),
    present: ({ rows: [pool] }) => BLOCK_COUNT.json(network, requireFound(pool, 'Stake pool not found')),
  });
}

export function listsOfPoolRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;

  addListRoute(routes, context, {
    path: '/pool/:id/blocks',
    summary: 'The blocks that a pool made, newest first',
    params: POOL_ID_PARAMETER,
    entry: schemaRef('ListedBlock'),
    paging: CURSOR_ONLY,
    list: POOL_BLOCK_LIST,
    parse: ({ params, query }, paged) => paged(query, { poolId: parsePoolIdParameter(network, params.id!) }),
    unknown: 'Stake pool not found',
    writer: () => (row) => presentListedBlock(network, row),
  });

  addListRoute(routes, context, {
    path: '/pool/:id/delegations',
    tags: ['Pools and delegations'],
    summary: 'The delegations of a pool, by id',
    params: POOL_ID_PARAMETER,
    entry: routes.addComponent('PoolDelegation', POOL_DELEGATION.schema),
    paging: profile.pagesPoolDelegations ? OFFSET_OR_CURSOR : WHOLE_OR_CURSOR,
    list: POOL_DELEGATION_LIST,
    parse: ({ params, query }, paged) => paged(query, { poolId: parsePoolIdParameter(network, params.id!) }),
    writer: () => (row) => POOL_DELEGATION.json(network, row),
  });
}
