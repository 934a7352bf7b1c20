/** `/nft`: NFTs and who had them. */
import type { FastifyInstance } from 'fastify';
import { NFT_LIST, NFT_OWNER_LIST } from '../../store/queries/nft-lists.ts';
import { getNft } from '../../store/queries/tokens.ts';
import { notFound } from '../errors/api-error.ts';
import { CURSOR_ONLY } from '../pagination/paging.ts';
import { parseNftId } from '../parse/parameters.ts';
import {
  LISTED_NFT_SCHEMA,
  NFT_OWNER_SCHEMA,
  nftSchema,
  presentListedNft,
  presentNft,
  presentNftOwner,
} from '../present/nft.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { listRoute } from '../route/list-route.ts';
import { component, EXTENSION_TAG, NFT_ID_PARAMETER, responses } from '../schemas/route.ts';

export function nftRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network } = context;

  listRoute(app, context, {
    path: '/nft',
    schema: { tags: [EXTENSION_TAG], summary: 'The NFTs, the youngest first' },
    entry: component(app, 'ListedNft', LISTED_NFT_SCHEMA),
    paging: CURSOR_ONLY,
    list: NFT_LIST,
    parse: ({ query }, paged) => paged(query, {}),
    writer: () => (row) => presentListedNft(network, row),
  });

  listRoute(app, context, {
    path: '/nft/:id/owners',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'Who had an NFT from when on, newest first',
      params: NFT_ID_PARAMETER,
    },
    entry: component(app, 'NftOwner', NFT_OWNER_SCHEMA),
    errors: [404],
    paging: CURSOR_ONLY,
    list: NFT_OWNER_LIST,
    parse: ({ params, query }, paged) => paged(query, { tokenId: parseNftId(network, params.id!) }),
    check: (rows) => {
      if (rows.length === 0) throw notFound('NFT not found');
    },
    writer: () => (row) => presentNftOwner(network, row),
  });

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
