/** `/` and `/chain`: the versions, the genesis, the tip, the main chain by height and time, and reorganisations. */

import Type from 'typebox';
import { GENESIS_SCHEMA } from '../../render/schemas/block-header-and-genesis.ts';
import { HEX_ID_SCHEMA, nullable, strictObject, unsignedInteger } from '../../render/schemas/common.ts';
import { notFound, requireFound } from '../../serving/errors/api-error.ts';
import { unavailable } from '../../serving/errors/causes-of-503.ts';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { CURSOR_ONLY } from '../../serving/pagination/paging.ts';
import { parseBlockHeight, parseRequiredSeconds } from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { addListRoute } from '../../serving/route/list-route.ts';
import { requireTip } from '../../serving/route/readiness.ts';
import {
  HEIGHT_PARAMETER,
  responsesWithEtag,
  responsesWithoutEtag,
} from '../../serving/schemas/parameters-and-responses.ts';
import { getBlockAtTime } from '../../store/queries/blocks/block-lists.ts';
import { getBlockIdAtHeight } from '../../store/queries/blocks/blocks.ts';
import {
  getDeepestReorganisation,
  REORGANISATION_LIST,
  readReorganisation,
} from '../../store/queries/blocks/reorganisations.ts';
import { getMeta } from '../../store/queries/chain/meta.ts';
import type { ApiContext } from '../api-context.ts';
import { BLOCK_POINT } from '../present/block.ts';
import { REORGANISATION, TIP } from '../present/chain.ts';

/** A height without a block. */
const NO_HEIGHT = -1;

export function chainRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const isNullMissing = profile.missingHeight === 'null';
  const isServed = (height: number | null): height is number =>
    height !== null && (height > 0 || profile.servesGenesisByHeight);

  addGetRoute(routes, context, {
    path: '/chain/genesis',
    tags: ['Chain'],
    summary: 'The genesis block',
    response: responsesWithEtag(routes.addComponent('Genesis', GENESIS_SCHEMA)),
    parse: () => null,
    read: (store) => getMeta(store, 'genesis'),
    present: ({ rows: [genesis] }) => {
      if (!genesis) throw unavailable('no chain');
      return genesis.value;
    },
  });

  addGetRoute(routes, context, {
    path: '/chain/tip',
    tags: ['Chain'],
    summary: 'The newest block of the main chain',
    response: responsesWithEtag(routes.addComponent('Tip', TIP.schema)),
    isAlwaysReady: true,
    parse: () => null,
    read: () => ({ tip: requireTip(context) }),
    present: ({ tip }) => TIP.json(network, tip),
  });

  addGetRoute(routes, context, {
    path: '/chain/:height',
    tags: ['Chain'],
    summary: 'The id of the main-chain block at a height',
    description: isNullMissing ? '`null` when there is no block at that height.' : 'The genesis is not among them.',
    params: HEIGHT_PARAMETER,
    response: responsesWithEtag(
      isNullMissing ? nullable(HEX_ID_SCHEMA) : HEX_ID_SCHEMA,
      isNullMissing ? [400] : [400, 404],
    ),
    parse: ({ params }) => parseBlockHeight(params.height!),
    read: (store, height) => getBlockIdAtHeight(store, isServed(height) ? height : NO_HEIGHT),
    present: ({ rows: [block] }) => {
      if (block) return `"${block.block_id}"`;
      if (isNullMissing) return 'null';
      throw notFound('No block found at supplied height');
    },
  });

  addGetRoute(routes, context, {
    path: '/chain/at',
    summary: 'The newest block at a time',
    description:
      'The highest main-chain block with a `timestamp` of at most `time`; timestamps may go up and down a little.',
    querystring: Type.Object({ time: unsignedInteger({ description: 'Seconds since the epoch' }) }),
    response: responsesWithEtag(routes.addComponent('BlockPoint', BLOCK_POINT.schema), [400, 404]),
    parse: ({ query }) => parseRequiredSeconds(query, 'time'),
    read: (store, time) => getBlockAtTime(store, time),
    present: ({ rows: [block] }) => BLOCK_POINT.json(network, requireFound(block, 'No block found at supplied time')),
  });
}

export function reorganisationRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const reorganisation = routes.addComponent('Reorganisation', REORGANISATION.schema);
  addListRoute(routes, context, {
    path: '/chain/reorganisations',
    summary: 'The reorganisations that this index followed, newest first',
    description: 'A log of what this index has seen. An index that was built later, or was stopped, has seen fewer.',
    entry: reorganisation,
    hasEtag: false,
    paging: CURSOR_ONLY,
    list: REORGANISATION_LIST,
    parse: ({ query }, paged) => paged(query, {}),
    writer: () => (row) => REORGANISATION.json(network, readReorganisation(row)),
  });

  addGetRoute(routes, context, {
    path: '/chain/reorganisations/deepest',
    summary: 'The deepest reorganisation that this index followed',
    description: 'The newest of those that removed most blocks; `null` if there was none.',
    response: responsesWithoutEtag(nullable(reorganisation)),
    parse: () => null,
    read: async (store) => ({ ...(await getDeepestReorganisation(store)), dependsOnHistory: true }),
    present: ({ rows: [row] }) => (row ? REORGANISATION.json(network, readReorganisation(row)) : 'null'),
  });
}

export function versionsRoute(routes: RouteGroup, context: ApiContext): void {
  addGetRoute(routes, context, {
    path: '/',
    tags: ['Service'],
    summary: 'The versions of the API that are served',
    response: responsesWithoutEtag(strictObject({ versions: Type.Array(Type.String()) })),
    isAlwaysReady: true,
    parse: () => null,
    read: () => ({ tip: null }),
    // A browser gets a page at this URL.
    present: () => new PreparedResponse('{"versions":["2.0.0"]}', { vary: 'accept' }),
  });
}
