/** `/chain`: the genesis, the tip, and the main chain by height. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { BLOCK_ID_AT_HEIGHT, META } from '../../store/queries/chain.ts';
import { noChainError } from '../../store/read/store-error.ts';
import { parseBlockHeight } from '../parse/parameters.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute, requireTip } from '../route/context.ts';
import { Count, HexId, nullable, schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { HEIGHT_PARAMETER, responses } from '../schemas/route.ts';

export function chainRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, store } = context;
  const isNullMissing = profile.missingHeight === 'null';

  getRoute(app, context, {
    path: '/chain/genesis',
    schema: {
      tags: ['Chain'],
      summary: 'The genesis block',
      response: responses(
        component(
          app,
          'Genesis',
          strictObject({
            block_id: HexId,
            genesis_message: Type.String(),
            timestamp: schemaRef('Timestamp'),
            utxos: Type.Array(schemaRef('Output')),
          }),
        ),
      ),
    },
    parse: () => null,
    answer: async () => {
      const { tip, rows } = await store.query(META, 'genesis');
      if (!rows[0]) throw noChainError();
      return { text: rows[0].value, tip };
    },
  });

  getRoute(app, context, {
    path: '/chain/tip',
    schema: {
      tags: ['Chain'],
      summary: 'The newest block of the main chain',
      response: responses(component(app, 'Tip', strictObject({ block_height: Count, block_id: HexId }))),
    },
    isAlwaysReady: true,
    parse: () => null,
    answer: () => {
      const tip = requireTip(context);
      return { text: `{"block_height":${tip.height},"block_id":"${tip.id}"}`, tip };
    },
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
    answer: async (height) => {
      const isServed = height !== null && (height > 0 || profile.servesGenesisByHeight);
      const { tip, rows } = await store.query(BLOCK_ID_AT_HEIGHT, isServed ? height : -1);
      if (rows[0]) return { text: `"${rows[0].block_id}"`, tip };
      if (isNullMissing) return { text: 'null', tip };
      throw notFound('No block found at supplied height');
    },
  });
}
