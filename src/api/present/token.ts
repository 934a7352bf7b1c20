/** Fungible tokens, ids of tokens, and transactions of a token as JSON. */
import Type from 'typebox';
import { destinationAddress, tokenAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
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
import type { TokenRow } from '../../store/queries/tokens.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { Bech32, Count, HexId, nullable, schemaRef, strictObject } from '../schemas/common.ts';
import type { JsonTextOf } from '../schemas/schema-types.ts';
import { objectWriter } from './object-writer.ts';

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
