/** `/nft`: NFTs and who had them. */
import type { FastifyInstance } from 'fastify';
import { listNftOwners, listNfts } from '../../store/queries/nft-lists.ts';
import { getNft } from '../../store/queries/tokens.ts';
import { listResult } from '../pagination/list-result.ts';
import { parseCursorPage, rowRange } from '../pagination/page.ts';
import { parseNftId } from '../parse/parameters.ts';
import {
  LISTED_NFT_SCHEMA,
  NFT_OWNER_SCHEMA,
  type NftOwner,
  nftSchema,
  presentListedNft,
  presentNft,
  presentNftOwner,
} from '../present/nft.ts';
import { notFound } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { component } from '../schemas/components.ts';
import { cursorQuery, EXTENSION_TAG, envelopeResponses, NFT_ID_PARAMETER, responses } from '../schemas/route.ts';

export function nftRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network } = context;

  getRoute(app, context, {
    path: '/nft',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The NFTs, the youngest first',
      querystring: cursorQuery(),
      response: envelopeResponses(component(app, 'ListedNft', LISTED_NFT_SCHEMA), [400]),
    },
    parse: ({ query }) => ({ page: parseCursorPage(query, 'nft', { height: 'height', tokenId: 'id' }) }),
    read: (store, { page }) => listNfts(store, rowRange(page)),
    present: ({ rows }, { page }) =>
      listResult(page, rows, {
        sortKey: (row) => ({ height: row.creation_height, tokenId: row.token_id }),
        json: (row) => presentListedNft(network, row),
      }),
  });

  getRoute(app, context, {
    path: '/nft/:id/owners',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'Who had an NFT from when on, newest first',
      params: NFT_ID_PARAMETER,
      querystring: cursorQuery(),
      response: envelopeResponses(component(app, 'NftOwner', NFT_OWNER_SCHEMA), [400, 404]),
    },
    parse: ({ params, query }) => {
      const tokenId = parseNftId(network, params.id!);
      return { tokenId, page: parseCursorPage(query, `nft-owners ${tokenId}`, { txIndex: 'index' }) };
    },
    read: (store, { tokenId, page }) => listNftOwners(store, { tokenId, ...rowRange(page) }),
    present: ({ rows }, { page }) => {
      if (rows.length === 0) throw notFound('NFT not found');
      return listResult(
        page,
        rows.filter((row): row is NftOwner => row.tx_index !== null),
        {
          sortKey: (row) => ({ txIndex: row.tx_index }),
          json: (row) => presentNftOwner(network, row),
        },
      );
    },
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
