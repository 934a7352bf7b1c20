/** NFTs as JSON. */
import { destinationAddress, publicKeyAddress } from '../../chain/address.ts';
import { metadataFromHex } from '../../chain/codec/nft.ts';
import type { Network } from '../../chain/networks/network.ts';
import { nullableJson, objectJson, plainJson } from '../../render/typed-json.ts';
import type { NftRow } from '../../store/queries/tokens.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { Bech32, nullable, strictObject } from '../schemas/common.ts';
import type { JsonTextOf } from '../schemas/schema-types.ts';

export function nftSchema({ nftText, nftOptionalText, nftMediaHash }: ResponseProfile) {
  return strictObject({
    creator: nullable(Bech32),
    name: nftText.schema,
    description: nftText.schema,
    ticker: nftText.schema,
    icon_uri: nftOptionalText.schema,
    additional_metadata_uri: nftOptionalText.schema,
    media_uri: nftOptionalText.schema,
    media_hash: nftMediaHash.schema,
    owner: { ...nullable(Bech32), description: 'null when burned, or held by an order or an HTLC' },
  });
}

export function presentNft(
  network: Network,
  { nftText, nftOptionalText, nftMediaHash }: ResponseProfile,
  { metadata, owner }: NftRow,
): JsonTextOf<ReturnType<typeof nftSchema>> {
  const nft = metadataFromHex(metadata);
  return objectJson({
    creator: nullableJson(nft.creator, (key) => plainJson(publicKeyAddress(network, key))),
    name: nftText.text(nft.name),
    description: nftText.text(nft.description),
    ticker: nftText.text(nft.ticker),
    icon_uri: nftOptionalText.text(nft.iconUri),
    additional_metadata_uri: nftOptionalText.text(nft.additionalMetadataUri),
    media_uri: nftOptionalText.text(nft.mediaUri),
    media_hash: nftMediaHash.text(nft.mediaHash),
    owner: nullableJson(owner, (destination) => plainJson(destinationAddress(network, destination))),
  });
}
