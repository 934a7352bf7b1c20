/** Fungible tokens, ids of tokens, and transactions of a token as JSON. */
import Type from 'typebox';
import { destinationAddress, tokenAddress } from '../../chain/address.ts';
import { metadataFromHex } from '../../chain/codec/nft.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { Bech32, Count, HexId, nullable, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/schema-types.ts';
import {
  booleanJson,
  type Json,
  NULL_JSON,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
} from '../../render/typed-json.ts';
import { amountJson } from '../../render/value-json.ts';
import type { ExpandedTokenRow } from '../../store/queries/token-lists.ts';
import type { TokenRow } from '../../store/queries/tokens.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { utf8Json } from './nft.ts';
import { createdJson, objectWriter } from './object-writer.ts';

export function tokenSchema(profile: ResponseProfile) {
  return strictObject({
    authority: Bech32,
    is_locked: Type.Boolean({ description: 'Is the supply locked?' }),
    circulating_supply: schemaRef('Amount'),
    token_ticker: profile.tokenTicker.schema,
    metadata_uri: profile.tokenMetadataUri.schema,
    number_of_decimals: Count,
    frozen: Type.Boolean(),
    is_token_freezable: profile.isTokenFreezable.schema,
    is_token_unfreezable: { ...nullable(Type.Boolean()), description: 'null unless frozen' },
    next_nonce: Count,
    ...profile.tokenTotalSupply.properties,
  });
}

export function presentToken(
  network: Network,
  profile: ResponseProfile,
  token: TokenRow,
): JsonTextOf<ReturnType<typeof tokenSchema>> {
  return objectJson(
    {
      authority: plainJson(destinationAddress(network, token.authority)),
      is_locked: booleanJson(token.is_locked),
      circulating_supply: amountJson(token.circulating_supply, token.decimals),
      token_ticker: profile.tokenTicker.text(token.ticker),
      metadata_uri: profile.tokenMetadataUri.text(token.metadata_uri),
      number_of_decimals: numberJson(token.decimals),
      frozen: booleanJson(token.is_frozen),
      is_token_freezable: profile.isTokenFreezable.text(token),
      is_token_unfreezable: token.is_frozen ? nullableJson(token.is_unfreezable, booleanJson) : NULL_JSON,
      next_nonce: numberJson(token.next_nonce),
    },
    profile.tokenTotalSupply.text(token),
  );
}

/** Of a fungible token or an NFT. */
export function presentTokenId(network: Network, id: Id): Json<string> {
  return plainJson(tokenAddress(network, id));
}

export const TOKEN_TRANSACTION_SCHEMA = strictObject({ tx_global_index: Count, tx_id: HexId });

const tokenTransactionJson = objectWriter(TOKEN_TRANSACTION_SCHEMA);

/** An entry of a token's list of transactions. */
export function presentTokenTransaction(globalIndex: number, id: Id): JsonTextOf<typeof TOKEN_TRANSACTION_SCHEMA> {
  return tokenTransactionJson({
    tx_global_index: globalIndex,
    tx_id: id,
  });
}

const HOLDERS = { ...Count, description: 'Addresses that have some, free or under a time lock' };

const EXPANDED_FUNGIBLE = strictObject(
  {
    token_id: Bech32,
    type: Type.Literal('fungible'),
    ticker: Type.String(),
    name: Type.Null(),
    decimals: Count,
    circulating_supply: schemaRef('Amount'),
    holders: HOLDERS,
    authority: Bech32,
    created: schemaRef('Created'),
  },
  { title: 'Fungible token' },
);

const EXPANDED_NFT = strictObject(
  {
    token_id: Bech32,
    type: Type.Literal('nft'),
    ticker: Type.String(),
    name: Type.String(),
    decimals: Type.Literal(0),
    circulating_supply: schemaRef('Amount'),
    holders: HOLDERS,
    owner: { ...nullable(Bech32), description: 'null when burned, or held by an order or an HTLC' },
    created: schemaRef('Created'),
  },
  { title: 'NFT' },
);

export const EXPANDED_TOKEN_SCHEMA = Type.Union([EXPANDED_FUNGIBLE, EXPANDED_NFT]);

const fungibleJson = objectWriter(EXPANDED_FUNGIBLE);
const nftJson = objectWriter(EXPANDED_NFT);

/** A token or an NFT with all that is known of it; the same in both profiles. */
export function presentExpandedToken(
  network: Network,
  row: ExpandedTokenRow,
): JsonTextOf<typeof EXPANDED_TOKEN_SCHEMA> {
  const token_id = tokenAddress(network, row.token_id);
  const created = createdJson({ height: row.creation_height, timestamp: row.creation_timestamp });
  if (row.metadata !== null) {
    const { ticker, name } = metadataFromHex(row.metadata);
    return nftJson({
      token_id,
      type: plainJson('nft'),
      ticker: utf8Json(ticker),
      name: utf8Json(name),
      decimals: '0' as Json<0>,
      circulating_supply: amountJson(row.circulating_supply, 0),
      holders: row.holders,
      owner: nullableJson(row.owner, (destination) => plainJson(destinationAddress(network, destination))),
      created,
    });
  }
  return fungibleJson({
    token_id,
    type: plainJson('fungible'),
    ticker: utf8Json(row.ticker!),
    name: NULL_JSON,
    decimals: row.decimals!,
    circulating_supply: amountJson(row.circulating_supply, row.decimals!),
    holders: row.holders,
    authority: destinationAddress(network, row.authority!),
    created,
  });
}
