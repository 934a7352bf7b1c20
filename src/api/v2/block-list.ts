/** `/block` and `/chain/at`: the blocks of the main chain as a list, and by time. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { BLOCK_LIST, getBlockAtTime } from '../../store/queries/block-lists.ts';
import { notFound } from '../errors/api-error.ts';
import { CURSOR_ONLY } from '../pagination/paging.ts';
import { parseRequiredSeconds } from '../parse/parameters.ts';
import { BLOCK_POINT_SCHEMA, LISTED_BLOCK_SCHEMA, presentBlockPoint, presentListedBlock } from '../present/block.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { listRoute } from '../route/list-route.ts';
import { component } from '../schemas/components.ts';
import { EXTENSION_TAG, responses, unsignedInteger } from '../schemas/route.ts';

export function blockListRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;

  listRoute(app, context, {
    path: '/block',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The blocks of the main chain, newest first',
      description: 'The genesis is not among them.',
    },
    entry: component(app, 'ListedBlock', LISTED_BLOCK_SCHEMA),
    paging: CURSOR_ONLY,
    list: BLOCK_LIST,
    parse: ({ query }, paged) => paged(query, {}),
    writer: () => (row) => presentListedBlock(network, row),
  });

  getRoute(app, context, {
    path: '/chain/at',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The last block of a time',
      description:
        'The highest main-chain block with a `timestamp` of at most `time`; timestamps may go up and down a little.',
      querystring: Type.Object({ time: unsignedInteger({ description: 'Seconds since the epoch' }) }),
      response: responses(component(app, 'BlockPoint', BLOCK_POINT_SCHEMA), [400, 404]),
    },
    parse: ({ query }) => parseRequiredSeconds(query, 'time'),
    read: (store, time) => getBlockAtTime(store, time),
    present: ({ rows: [block] }) => {
      if (!block) throw notFound('No block found at supplied time');
      return presentBlockPoint(block);
    },
  });
}
