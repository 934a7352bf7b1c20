/** `/nft`: one NFT. */
import type { FastifyInstance } from 'fastify';
import { NFT } from '../../store/queries/tokens.ts';
import { parseNftId } from '../parse/parameters.ts';
import { nftSchema, presentNft } from '../present/nft.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute } from '../route/context.ts';
import { component } from '../schemas/components.ts';
import { NFT_ID_PARAMETER, responses } from '../schemas/route.ts';

export function nftRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network, store } = context;

  getRoute(app, context, {
    path: '/nft/:id',
    schema: {
      tags: ['Tokens and NFTs'],
      summary: 'An NFT: what was issued, and who owns it',
      params: NFT_ID_PARAMETER,
      response: responses(component(app, 'Nft', nftSchema(profile)), [400, 404]),
    },
    parse: ({ params }) => parseNftId(network, params.id!),
    answer: async (id) => {
      const { tip, rows } = await store.query(NFT, id);
      if (!rows[0]) throw notFound('NFT not found', tip);
      return { text: presentNft(network, profile, rows[0]), tip };
    },
  });
}
