/** `/nft`: one NFT. */
import type { FastifyInstance } from 'fastify';
import { getNft } from '../../store/queries/tokens.ts';
import { parseNftId } from '../parse/parameters.ts';
import { nftSchema, presentNft } from '../present/nft.ts';
import { notFound } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import { NFT_ID_PARAMETER, responses } from '../schemas/route.ts';

export function nftRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network } = context;

  getRoute(app, context, {
    path: '/nft/:id',
    schema: {
      tags: ['Tokens and NFTs'],
      summary: 'An NFT: what was issued, and who owns it',
      params: NFT_ID_PARAMETER,
      response: responses(component(app, 'Nft', nftSchema(profile)), [400, 404]),
    },
    parse: ({ params }) => parseNftId(network, params.id!),
    read: (store, id) => getNft(store, id),
    present: ({ rows: [nft] }) => {
      if (!nft) throw notFound('NFT not found');
      return presentNft(network, profile, nft);
    },
  });
}
