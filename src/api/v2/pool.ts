/** `/pool`: staking pools, their blocks and their delegations. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { delegationAddress, destinationAddress, poolAddress, vrfKeyAddress } from '../../chain/address.ts';
import { LARGEST_HEIGHT, type Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { amountJson } from '../../render/text.ts';
import { POOL_BLOCK_COUNT } from '../../store/queries/blocks.ts';
import { DELEGATIONS_OF_POOL } from '../../store/queries/delegations.ts';
import {
  POOL_DELEGATION_ANCHORS,
  POOLS_BY_HEIGHT_ANCHORS,
  POOLS_BY_PLEDGE_ANCHORS,
} from '../../store/queries/offset-anchors.ts';
import { POOL, POOLS_BY_HEIGHT, POOLS_BY_PLEDGE, type PoolRow } from '../../store/queries/pools.ts';
import { type ListPage, listPage, listResult, rowLimit, wholeOrPage } from '../pagination/page.ts';
import { lastValue, parsePoolId, parseRequiredSeconds, type Query } from '../parse/parameters.ts';
import { badRequest, notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute, type RouteResult } from '../route/context.ts';
import { Bech32, Count, schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import {
  listQuery,
  listResponses,
  MOVING_ORDER,
  POOL_ID_PARAMETER,
  responses,
  unsignedInteger,
  wholeListQuery,
} from '../schemas/route.ts';

/** Thousandths as a percentage: 50 is "5%", 123 is "12.3%". */
function percentage(perThousand: number): string {
  return `${perThousand / 10}%`;
}

function presentPool(network: Network, row: PoolRow): string {
  const { coinDecimals } = network;
  return `{"pool_id":"${poolAddress(network, row.pool_id)}","decommission_destination":"${destinationAddress(network, row.decommission_destination)}","staker_balance":${amountJson(row.staker_balance, coinDecimals)},"margin_ratio_per_thousand":"${percentage(row.margin_ratio_per_thousand)}","cost_per_block":${amountJson(row.cost_per_block, coinDecimals)},"vrf_public_key":"${vrfKeyAddress(network, row.vrf_public_key)}","delegations_balance":${amountJson(row.delegations_balance, coinDecimals)}}`;
}

const POOL_SCHEMA = strictObject({
  pool_id: Bech32,
  decommission_destination: Bech32,
  staker_balance: { ...schemaRef('Amount'), description: "The staker's pledge and rewards; 0 when decommissioned" },
  margin_ratio_per_thousand: Type.String({ pattern: '^[0-9]+(\\.[0-9])?%$' }),
  cost_per_block: schemaRef('Amount'),
  vrf_public_key: Bech32,
  delegations_balance: { ...schemaRef('Amount'), description: 'Total delegated by others' },
});

function sortOrder(query: Query): 'by_height' | 'by_pledge' {
  const sort = lastValue(query, 'sort') ?? 'by_height';
  if (sort !== 'by_height' && sort !== 'by_pledge') throw badRequest('Invalid pools sort order');
  return sort;
}

export function poolRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, unpagedLists, offsetAnchors, network, store } = context;
  const tags = ['Pools and delegations'];
  const Pool = component(app, 'Pool', POOL_SCHEMA);

  async function delegationsOf(id: Id, page: ListPage | null): Promise<RouteResult> {
    const after = page?.after?.[0] ?? '';
    const skipped = page?.skipped ?? 0;
    const answer = await unpagedLists.readList({ name: `delegations of ${id}`, page }, (ask, items) =>
      ask(DELEGATIONS_OF_POOL, id, after, skipped, items),
    );
    return listResult(page, answer, {
      key: (row) => [row.delegation_id],
      text: (row) =>
        `{"delegation_id":"${delegationAddress(network, row.delegation_id)}","next_nonce":${row.next_nonce},"spend_destination":"${destinationAddress(network, row.spend_destination)}","balance":${amountJson(row.balance, network.coinDecimals)},"creation_block_height":${row.creation_height}}`,
    });
  }

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
    parse: ({ query }) => {
      const sort = sortOrder(query);
      return { sort, page: listPage(query, `pool ${sort}`, [sort === 'by_height' ? 'height' : 'amount', 'id']) };
    },
    answer: ({ sort, page: asked }) => {
      const question = sort === 'by_height' ? POOLS_BY_HEIGHT_ANCHORS : POOLS_BY_PLEDGE_ANCHORS;
      return offsetAnchors.read(question, [], asked, async (page) => {
        const [place, id] = page.after ?? [];
        const items = rowLimit(page)!;
        const answer =
          sort === 'by_height'
            ? await store.query(POOLS_BY_HEIGHT, Number(place ?? LARGEST_HEIGHT), id ?? '', page.skipped, items)
            : await store.query(POOLS_BY_PLEDGE, place ? BigInt(place) : 'Infinity', id ?? '', page.skipped, items);
        return listResult(page, answer, {
          key: (row) => [sort === 'by_height' ? row.creation_height : row.staker_balance, row.pool_id],
          text: (row) => presentPool(network, row),
        });
      });
    },
  });

  getRoute(app, context, {
    path: '/pool/:id',
    schema: { tags, summary: 'A pool', params: POOL_ID_PARAMETER, response: responses(Pool, [400, 404]) },
    parse: ({ params }) => parsePoolId(network, params.id!),
    answer: async (id) => {
      const { tip, rows } = await store.query(POOL, id);
      if (!rows[0]) throw notFound('Stake pool not found');
      return { text: presentPool(network, rows[0]), tip };
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
      response: responses(strictObject({ block_count: Count }), [400, 404]),
    },
    // The query comes first: the framework of mintlayer-core reads it before anybody looks at the id.
    parse: ({ params, query }) => {
      const from = parseRequiredSeconds(query, 'from');
      const to = parseRequiredSeconds(query, 'to');
      return { id: parsePoolId(network, params.id!), from, to };
    },
    answer: async ({ id, from, to }) => {
      const { tip, rows } = await store.query(POOL_BLOCK_COUNT, id, from, to);
      if (!rows[0]) throw notFound('Stake pool not found');
      return { text: `{"block_count":${rows[0].block_count}}`, tip };
    },
  });

  getRoute(app, context, {
    path: '/pool/:id/delegations',
    schema: {
      tags,
      summary: 'The delegations of a pool, by id',
      params: POOL_ID_PARAMETER,
      querystring: profile.pagesPoolDelegations ? listQuery() : wholeListQuery(),
      response: listResponses(
        component(
          app,
          'PoolDelegation',
          strictObject({
            delegation_id: Bech32,
            next_nonce: Count,
            spend_destination: Bech32,
            balance: schemaRef('Amount'),
            creation_block_height: Count,
          }),
        ),
        [400],
      ),
    },
    parse: ({ params, query }) => {
      const id = parsePoolId(network, params.id!);
      const list = `pool-delegations ${id}`;
      const page = profile.pagesPoolDelegations ? listPage(query, list, ['id']) : wholeOrPage(query, list, ['id']);
      return { id, page };
    },
    answer: ({ id, page }) =>
      page === null
        ? delegationsOf(id, null)
        : offsetAnchors.read(POOL_DELEGATION_ANCHORS, [id], page, (from) => delegationsOf(id, from)),
  });
}
