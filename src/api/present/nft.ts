/** NFTs as JSON. */
import Type from 'typebox';
import { destinationAddress, publicKeyAddress, tokenAddress } from '../../chain/address.ts';
import { metadataFromHex } from '../../chain/codec/nft.ts';
import type { Network } from '../../chain/networks/network.ts';

import type { Hex } from '../../chain/types.ts';
import { Bech32, Count, HexId, HexText, nullable, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/schema-types.ts';
import {
  type Json,
  NULL_JSON,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
  textJson,
} from '../../render/typed-json.ts';
import type { ListedNftOwnerRow, ListedNftRow } from '../../store/queries/nft-lists.ts';
import type { NftRow } from '../../store/queries/tokens.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';

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

const OWNER = { ...nullable(Bech32), description: 'null when burned, or held by an order or an HTLC' };
const OPTIONAL_TEXT = nullable(Type.String());

/** The same in both profiles. */
export const LISTED_NFT_SCHEMA = strictObject({
  token_id: Bech32,
  ticker: Type.String(),
  decimals: Type.Literal(0),
  name: Type.String(),
  description: OPTIONAL_TEXT,
  creator: nullable(Bech32),
  icon_uri: OPTIONAL_TEXT,
  additional_metadata_uri: OPTIONAL_TEXT,
  media_uri: OPTIONAL_TEXT,
  media_hash: nullable(HexText),
  owner: OWNER,
  created: schemaRef('Created'),
});

/** An entry of a list of NFTs. */
export function presentListedNft(network: Network, row: ListedNftRow): JsonTextOf<typeof LISTED_NFT_SCHEMA> {
  const nft = metadataFromHex(row.metadata);
  return objectJson({
    token_id: plainJson(tokenAddress(network, row.token_id)),
    ticker: utf8Json(nft.ticker),
    decimals: '0' as Json<0>,
    name: utf8Json(nft.name),
    description: optionalJson(nft.description),
    creator: nullableJson(nft.creator, (key) => plainJson(publicKeyAddress(network, key))),
    icon_uri: optionalJson(nft.iconUri),
    additional_metadata_uri: optionalJson(nft.additionalMetadataUri),
    media_uri: optionalJson(nft.mediaUri),
    media_hash: nft.mediaHash === '' ? NULL_JSON : plainJson(nft.mediaHash),
    owner: nullableJson(row.owner, (destination) => plainJson(destinationAddress(network, destination))),
    created: objectJson({
      height: numberJson(row.creation_height),
      timestamp: numberJson(row.creation_timestamp),
    }),
  });
}

/** Bytes as text; what is not UTF-8 shows as replacement characters. */
export function utf8Json(hex: Hex): Json<string> {
  return textJson(Buffer.from(hex, 'hex').toString('utf8'));
}

function optionalJson(hex: Hex): Json<string | null> {
  return hex === '' ? NULL_JSON : utf8Json(hex);
}

export const NFT_OWNER_SCHEMA = strictObject({
  owner: OWNER,
  tx_id: { ...HexId, description: 'The transaction after which the owner was this one' },
  tx_global_index: Count,
  height: Count,
  block_id: HexId,
  timestamp: { ...Count, description: 'Seconds since the epoch' },
});

/** Who had an NFT from when on. */
export function presentNftOwner(network: Network, row: ListedNftOwnerRow): JsonTextOf<typeof NFT_OWNER_SCHEMA> {
  return objectJson({
    owner: nullableJson(row.owner, (destination) => plainJson(destinationAddress(network, destination))),
    tx_id: plainJson(row.tx_id),
    tx_global_index: numberJson(row.tx_index),
    height: numberJson(row.height),
    block_id: plainJson(row.block_id),
    timestamp: numberJson(row.timestamp),
  });
}
