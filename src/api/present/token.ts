/** Fungible tokens, NFTs, ids of tokens, and transactions of a token, as JSON. */
import Type from 'typebox';
import { lastPriceOf } from '../../answers/markets.ts';
import { destinationAddress, publicKeyAddress, tokenAddress } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { amountJson, optionalUtf8Json, utf8Json } from '../../render/common-values.ts';
import {
  booleanJson,
  type Json,
  NULL_JSON,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
} from '../../render/compose-json.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  describedRef,
  HEX_ID_SCHEMA,
  HEX_TEXT_SCHEMA,
  nullable,
  oneOf,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { TICKER_IS_UNIQUE, tickerIsUnique } from '../../render/unique-ticker.ts';
import type { AnyTokenRow } from '../../store/queries/tokens/expanded-token-lists.ts';
import type { ListedNftRow, NftOwnerEntryRow } from '../../store/queries/tokens/nft-lists.ts';
import type { NftRow, TokenRow } from '../../store/queries/tokens/tokens.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { coinPriceWriter } from './market.ts';
import { createdJson, objectWriter } from './object-writer.ts';
import { FROZEN_SINCE_SCHEMA } from './token-label.ts';

export function tokenSchema(profile: ResponseProfile) {
  return strictObject({
    authority: BECH32_SCHEMA,
    is_locked: Type.Boolean({ description: 'Is the supply locked?' }),
    circulating_supply: describedRef(
      'Amount',
      'What was minted and not unminted; tokens that were burned without an unmint are part of it',
    ),
    token_ticker: profile.tokenTicker.schema,
    metadata_uri: profile.tokenMetadataUri.schema,
    number_of_decimals: COUNT_SCHEMA,
    frozen: Type.Boolean(),
    is_token_freezable: profile.isTokenFreezable.schema,
    is_token_unfreezable: { ...nullable(Type.Boolean()), description: 'null unless frozen' },
    next_nonce: COUNT_SCHEMA,
    ...profile.tokenTotalSupply.properties,
    ...profile.tokenUniqueness.properties,
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
      circulating_supply: amountJson(token.circulating_supply, token.decimals),
      frozen: booleanJson(token.is_frozen),
      is_locked: booleanJson(token.is_locked),
      is_token_freezable: profile.isTokenFreezable.text(token),
      is_token_unfreezable: token.is_frozen ? nullableJson(token.is_unfreezable, booleanJson) : NULL_JSON,
      metadata_uri: profile.tokenMetadataUri.text(token.metadata_uri),
      next_nonce: numberJson(token.next_nonce),
      number_of_decimals: numberJson(token.decimals),
      token_ticker: profile.tokenTicker.text(token.ticker),
    },
    profile.tokenTotalSupply.text(token) + profile.tokenUniqueness.text(network, token),
  );
}

/** The id of a fungible token or an NFT. */
export function presentTokenId(network: Network, id: Id): Json<string> {
  return plainJson(tokenAddress(network, id));
}

export const TOKEN_TRANSACTION_SCHEMA = strictObject({ tx_global_index: COUNT_SCHEMA, tx_id: HEX_ID_SCHEMA });

const tokenTransactionJson = objectWriter(TOKEN_TRANSACTION_SCHEMA);

/** An entry of a token's list of transactions. */
export function presentTokenTransaction(globalIndex: number, id: Id): JsonTextOf<typeof TOKEN_TRANSACTION_SCHEMA> {
  return tokenTransactionJson({ tx_global_index: globalIndex, tx_id: id });
}

const NFT_DECIMALS = { ...COUNT_SCHEMA, description: 'Always 0' };
const HOLDERS = { ...COUNT_SCHEMA, description: 'Addresses with a balance, spendable or under a time lock' };

const CIRCULATING = describedRef('Amount', 'Without what was burned, as `/statistics/token/{id}` has it');

const EXPANDED_FUNGIBLE = strictObject(
  {
    token_id: BECH32_SCHEMA,
    type: Type.Literal('fungible'),
    ticker: Type.String(),
    ticker_is_unique: TICKER_IS_UNIQUE,
    name: { ...nullable(Type.String()), description: 'Always null' },
    decimals: COUNT_SCHEMA,
    circulating_supply: CIRCULATING,
    holders: HOLDERS,
    authority: BECH32_SCHEMA,
    created: schemaRef('Created'),
    is_frozen: Type.Boolean(),
    is_unfreezable: { ...nullable(Type.Boolean()), description: 'May it be unfrozen? null unless frozen' },
    frozen_since: FROZEN_SINCE_SCHEMA,
    is_locked: Type.Boolean({ description: 'Is the supply locked?' }),
    is_mintable: Type.Boolean({ description: 'Does the supply allow to mint more, while the token is not frozen?' }),
    max_supply: {
      ...nullable(schemaRef('Amount')),
      description: 'What may be minted in all, if the supply is fixed; null if it has no limit',
    },
    last_price: {
      ...nullable(schemaRef('Price')),
      description: 'Of the newest trade of the token for coins: a whole token in coins',
    },
    day_volume: {
      ...nullable(schemaRef('Amount')),
      description: 'The coins that it was traded for in the 24 hours up to the tip; null without `sort=by_volume`',
    },
  },
  { title: 'ExpandedFungibleToken' },
);

const EXPANDED_NFT = strictObject(
  {
    token_id: BECH32_SCHEMA,
    type: Type.Literal('nft'),
    ticker: Type.String(),
    name: Type.String(),
    decimals: NFT_DECIMALS,
    circulating_supply: CIRCULATING,
    holders: HOLDERS,
    owner: { ...nullable(BECH32_SCHEMA), description: 'null when burned, or held by an order or an HTLC' },
    created: schemaRef('Created'),
  },
  { title: 'ExpandedNft' },
);

export const EXPANDED_TOKEN_SCHEMA = oneOf([EXPANDED_FUNGIBLE, EXPANDED_NFT]);

const fungibleJson = objectWriter(EXPANDED_FUNGIBLE);
const nftJson = objectWriter(EXPANDED_NFT);

/** A token or an NFT with all fields, the same in both profiles. */
export function presentExpandedToken(network: Network, row: AnyTokenRow): JsonTextOf<typeof EXPANDED_TOKEN_SCHEMA> {
  const token_id = tokenAddress(network, row.token_id);
  const created = createdJson({ height: row.creation_height, timestamp: row.creation_timestamp });
  if (row.metadata !== null) {
    const { ticker, name } = nftMetadataFromHex(row.metadata);
    return nftJson({
      token_id,
      type: plainJson('nft'),
      ticker: utf8Json(ticker),
      name: utf8Json(name),
      decimals: 0,
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
    ticker_is_unique: tickerIsUnique(network, row),
    name: NULL_JSON,
    decimals: row.decimals!,
    circulating_supply: amountJson(row.circulating_supply, row.decimals!),
    holders: row.holders,
    authority: destinationAddress(network, row.authority!),
    created,
    is_frozen: row.is_frozen!,
    is_unfreezable: nullableJson(row.is_unfreezable, booleanJson),
    frozen_since: nullableJson(row.frozen_since, numberJson),
    is_locked: row.is_locked!,
    is_mintable: row.is_mintable!,
    max_supply: nullableJson(row.max_supply, (atoms) => amountJson(atoms, row.decimals!)),
    last_price: nullableJson(lastPriceOf(row), coinPriceWriter(network, row.decimals!)),
    day_volume: nullableJson(row.day_volume ?? null, (atoms) => amountJson(atoms, network.coinDecimals)),
  });
}

export function nftSchema({ nftText, nftOptionalText, nftMediaHash }: ResponseProfile) {
  return strictObject({
    creator: nullable(BECH32_SCHEMA),
    name: nftText.schema,
    description: nftText.schema,
    ticker: nftText.schema,
    icon_uri: nftOptionalText.schema,
    additional_metadata_uri: nftOptionalText.schema,
    media_uri: nftOptionalText.schema,
    media_hash: nftMediaHash.schema,
    owner: { ...nullable(BECH32_SCHEMA), description: 'null when burned, or held by an order or an HTLC' },
  });
}

export function presentNft(
  network: Network,
  { nftText, nftOptionalText, nftMediaHash }: ResponseProfile,
  { metadata, owner }: NftRow,
): JsonTextOf<ReturnType<typeof nftSchema>> {
  const nft = nftMetadataFromHex(metadata);
  return objectJson({
    additional_metadata_uri: nftOptionalText.text(nft.additionalMetadataUri),
    creator: nullableJson(nft.creator, (key) => plainJson(publicKeyAddress(network, key))),
    description: nftText.text(nft.description),
    icon_uri: nftOptionalText.text(nft.iconUri),
    media_hash: nftMediaHash.text(nft.mediaHash),
    media_uri: nftOptionalText.text(nft.mediaUri),
    name: nftText.text(nft.name),
    owner: nullableJson(owner, (destination) => plainJson(destinationAddress(network, destination))),
    ticker: nftText.text(nft.ticker),
  });
}

const OWNER = { ...nullable(BECH32_SCHEMA), description: 'null when burned, or held by an order or an HTLC' };
const OPTIONAL_TEXT = nullable(Type.String());

/** An NFT in a list, the same in both profiles. */
export const LISTED_NFT_SCHEMA = strictObject({
  token_id: BECH32_SCHEMA,
  ticker: Type.String(),
  decimals: NFT_DECIMALS,
  name: Type.String(),
  description: OPTIONAL_TEXT,
  creator: nullable(BECH32_SCHEMA),
  icon_uri: OPTIONAL_TEXT,
  additional_metadata_uri: OPTIONAL_TEXT,
  media_uri: OPTIONAL_TEXT,
  media_hash: nullable(HEX_TEXT_SCHEMA),
  owner: OWNER,
  created: schemaRef('Created'),
});

/** An entry of a list of NFTs. */
export function presentListedNft(network: Network, row: ListedNftRow): JsonTextOf<typeof LISTED_NFT_SCHEMA> {
  const nft = nftMetadataFromHex(row.metadata);
  return objectJson({
    token_id: plainJson(tokenAddress(network, row.token_id)),
    ticker: utf8Json(nft.ticker),
    decimals: numberJson(0),
    name: utf8Json(nft.name),
    description: optionalUtf8Json(nft.description),
    creator: nullableJson(nft.creator, (key) => plainJson(publicKeyAddress(network, key))),
    icon_uri: optionalUtf8Json(nft.iconUri),
    additional_metadata_uri: optionalUtf8Json(nft.additionalMetadataUri),
    media_uri: optionalUtf8Json(nft.mediaUri),
    media_hash: nft.mediaHash === '' ? NULL_JSON : plainJson(nft.mediaHash),
    owner: nullableJson(row.owner, (destination) => plainJson(destinationAddress(network, destination))),
    created: createdJson({ height: row.creation_height, timestamp: row.creation_timestamp }),
  });
}

export const NFT_OWNER_SCHEMA = strictObject({
  owner: OWNER,
  tx_id: { ...HEX_ID_SCHEMA, description: 'The transaction that changed the owner' },
  tx_global_index: COUNT_SCHEMA,
  height: COUNT_SCHEMA,
  block_id: HEX_ID_SCHEMA,
  timestamp: { ...COUNT_SCHEMA, description: 'Seconds since the epoch' },
});

/** An owner of an NFT, with the time of the transfer. */
export function presentNftOwner(network: Network, row: NftOwnerEntryRow): JsonTextOf<typeof NFT_OWNER_SCHEMA> {
  return objectJson({
    owner: nullableJson(row.owner, (destination) => plainJson(destinationAddress(network, destination))),
    tx_id: plainJson(row.tx_id),
    tx_global_index: numberJson(row.tx_index),
    height: numberJson(row.height),
    block_id: plainJson(row.block_id),
    timestamp: numberJson(row.timestamp),
  });
}
