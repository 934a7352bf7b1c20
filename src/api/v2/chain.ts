/** `/chain`: the genesis, the tip, and the main chain by height. */
import type { FastifyInstance } from 'fastify';
import { Genesis } from '../../render/schemas/block.ts';
import { HexId, nullable } from '../../render/schemas/common.ts';
import { getBlockIdAtHeight } from '../../store/queries/blocks.ts';
import { getMeta } from '../../store/queries/meta.ts';
import { notFound } from '../errors/api-error.ts';
import { unavailable } from '../errors/unavailable.ts';
import { parseBlockHeight } from '../parse/parameters.ts';
import { presentBlockId, presentTip, TIP_SCHEMA } from '../present/chain.ts';
import { requireTip } from '../route/admission.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import { HEIGHT_PARAMETER, responses } from '../schemas/route.ts';

/** A height that no block has. */
const NO_HEIGHT = -1;

export function chainRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile } = context;
  const isNullMissing = profile.missingHeight === 'null';
  const isServed = (height: number | null): height is number =>
    height !== null && (height > 0 || profile.servesGenesisByHeight);

  getRoute(app, context, {
    path: '/chain/genesis',
    schema: {
      tags: ['Chain'],
      summary: 'The genesis block',
      response: responses(component(app, 'Genesis', Genesis)),
    },
    parse: () => null,
    read: (store) => getMeta(store, 'genesis'),
    present: ({ rows: [genesis] }) => {
      if (!genesis) throw unavailable('no chain');
      return genesis.value;
    },
  });

  getRoute(app, context, {
    path: '/chain/tip',
    schema: {
      tags: ['Chain'],
      summary: 'The newest block of the main chain',
      response: responses(component(app, 'Tip', TIP_SCHEMA)),
    },
    isAlwaysReady: true,
    parse: () => null,
    read: () => ({ tip: requireTip(context) }),
    present: ({ tip }) => presentTip(tip),
  });

  getRoute(app, context, {
    path: '/chain/:height',
    schema: {
      tags: ['Chain'],
      summary: 'The id of the main-chain block at a height',
      description: isNullMissing ? '`null` when there is no block at that height.' : 'The genesis is not among them.',
      params: HEIGHT_PARAMETER,
      response: responses(isNullMissing ? nullable(HexId) : HexId, isNullMissing ? [400] : [400, 404]),
    },
    parse: ({ params }) => parseBlockHeight(params.height!),
    read: (store, height) => getBlockIdAtHeight(store, isServed(height) ? height : NO_HEIGHT),
    present: ({ rows: [block] }) => {
      if (block) return presentBlockId(block.block_id);
      if (isNullMissing) return 'null';
      throw notFound('No block found at supplied height');
    },
  });
}
