/** `/nft`: one NFT. */
import type { FastifyInstance } from 'fastify';
import { destinationAddress, publicKeyAddress } from '../../chain/address.ts';
import { metadataFromHex } from '../../chain/codec/nft.ts';
import { NFT } from '../../store/queries/tokens.ts';
import { parseNftId } from '../parse/parameters.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute } from '../route/context.ts';
import { Bech32, nullable, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { NFT_ID_PARAMETER, responses } from '../schemas/route.ts';

export function nftRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, network, store } = context;
  const { nftText, nftOptionalText, nftMediaHash } = profile;

  getRoute(app, context, {
    path: '/nft/:id',
    schema: {
      tags: ['Tokens and NFTs'],
      summary: 'An NFT: what was issued, and who owns it',
      params: NFT_ID_PARAMETER,
      response: responses(
        component(
          app,
          'Nft',
          strictObject({
            creator: nullable(Bech32),
            name: nftText.schema,
            description: nftText.schema,
            ticker: nftText.schema,
            icon_uri: nftOptionalText.schema,
            additional_metadata_uri: nftOptionalText.schema,
            media_uri: nftOptionalText.schema,
            media_hash: nftMediaHash.schema,
            owner: { ...nullable(Bech32), description: 'null when burned, or held by an order or an HTLC' },
          }),
        ),
        [400, 404],
      ),
    },
    parse: ({ params }) => parseNftId(network, params.id!),
    answer: async (id) => {
      const { tip, rows } = await store.query(NFT, id);
      if (!rows[0]) throw notFound('NFT not found', tip);
      const { metadata, owner } = rows[0];
      const nft = metadataFromHex(metadata);
      const creatorText = nft.creator === null ? null : `"${publicKeyAddress(network, nft.creator)}"`;
      const ownerText = owner === null ? null : `"${destinationAddress(network, owner)}"`;
      const text = `{"creator":${creatorText},"name":${nftText.text(nft.name)},"description":${nftText.text(nft.description)},"ticker":${nftText.text(nft.ticker)},"icon_uri":${nftOptionalText.text(nft.iconUri)},"additional_metadata_uri":${nftOptionalText.text(nft.additionalMetadataUri)},"media_uri":${nftOptionalText.text(nft.mediaUri)},"media_hash":${nftMediaHash.text(nft.mediaHash)},"owner":${ownerText}}`;
      return { text, tip };
    },
  });
}
