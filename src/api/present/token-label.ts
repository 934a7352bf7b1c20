/** The label of a token in responses, its ticker and decimals, as JSON. */

import Type from 'typebox';
import { TOKEN_VALUE, type TokenLabels } from '../../answers/token-label.ts';
import { parseTokenId } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { utf8Json } from '../../render/common-values.ts';
import { type Json, jsonFromStore, NULL_JSON, numberJson, objectJson } from '../../render/compose-json.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  nullable,
  oneOf,
  schemaRef,
  strictObject,
  VALUES,
} from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';

/** The fields beside the id of a token. */
export const TOKEN_LABEL_PROPERTIES = {
  ticker: { ...nullable(Type.String()), description: 'null while the token is not issued: an order may ask for it' },
  decimals: { ...COUNT_SCHEMA, description: '0 for an NFT, and while the token is not issued' },
};

export const FROZEN_SINCE_SCHEMA = {
  ...nullable(COUNT_SCHEMA),
  description: 'The height of the block that froze the token; null while it is not frozen',
};

/** Returns the fields {@link TOKEN_LABEL_PROPERTIES} of a token. */
export function tokenLabelJson(
  labels: TokenLabels,
  token: Id,
): { readonly ticker: Json<string | null>; readonly decimals: Json<number> } {
  const label = labels.get(token);
  if (label === undefined) return { ticker: NULL_JSON, decimals: numberJson(0) };
  if (label.metadata !== null) {
    return { ticker: utf8Json(nftMetadataFromHex(label.metadata).ticker), decimals: numberJson(0) };
  }
  return { ticker: utf8Json(label.ticker!), decimals: numberJson(label.decimals!) };
}

const LABELLED_TOKEN_VALUE = strictObject(
  { type: Type.Literal('TokenV1'), token_id: BECH32_SCHEMA, ...TOKEN_LABEL_PROPERTIES, amount: schemaRef('Amount') },
  { title: 'ValueLabelledToken' },
);

/** A `Value` with the token's ticker and decimals. */
export const LABELLED_VALUE_SCHEMA = oneOf([VALUES.Coin, LABELLED_TOKEN_VALUE, VALUES.TokenV0], {
  title: 'LabelledValue',
});

/** Adds the token's label to the stored text of a value. */
export function presentLabelledValue(
  network: Network,
  labels: TokenLabels,
  value: string,
): JsonTextOf<typeof LABELLED_VALUE_SCHEMA> {
  const match = TOKEN_VALUE.exec(value);
  if (match === null) return jsonFromStore(value);
  const [, amount, address] = match;
  return objectJson<ValueOf<typeof LABELLED_TOKEN_VALUE>>({
    type: jsonFromStore('"TokenV1"'),
    token_id: jsonFromStore(`"${address}"`),
    ...tokenLabelJson(labels, parseTokenId(network, address!)),
    amount: jsonFromStore(amount!),
  });
}
