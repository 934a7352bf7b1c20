/** The label of a token in responses, its ticker and decimals. */

import Type from 'typebox';
import { parseTokenId } from '../chain/address.ts';
import { nftMetadataFromHex } from '../chain/codec/nft.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Id } from '../chain/types.ts';
import { utf8Json } from '../render/common-values.ts';
import { type Json, jsonFromStore, NULL_JSON, numberJson, objectJson } from '../render/compose-json.ts';
import { valueJsonOfEntry } from '../render/output-entry.ts';
import { BECH32_SCHEMA, COUNT_SCHEMA, nullable, schemaRef, strictObject } from '../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../render/schemas/value-of-schema.ts';
import { listTokenLabels, type TokenLabelRow } from '../store/queries/tokens/tokens.ts';
import { requireSameTip } from '../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../store/read/query.ts';

/** The fields beside the id of a token. */
export const TOKEN_LABEL_PROPERTIES = {
  ticker: { ...nullable(Type.String()), description: 'null while the token is not issued: an order may ask for it' },
  decimals: { ...COUNT_SCHEMA, description: '0 for an NFT, and while the token is not issued' },
};

/** That of the coin, and of a token that is not issued. */
export const NO_LABEL: TokenLabelRow = {
  ticker: null,
  decimals: null,
  ticker_is_shared: null,
  is_unfreezable: null,
  frozen_since: null,
  metadata: null,
};

export const FROZEN_SINCE_SCHEMA = {
  ...nullable(COUNT_SCHEMA),
  description: 'The height of the block that froze the token; null while it is not frozen',
};

/** Since when one of some tokens is frozen, and whether that is for ever. */
export interface Freezing {
  /** The height of the block. */
  readonly since: number;
  readonly isForEver: boolean;
}

/** Returns what keeps tokens from moving; null if none is frozen. */
export function freezingOf(
  labels: Iterable<Pick<TokenLabelRow, 'frozen_since' | 'is_unfreezable'> | undefined>,
): Freezing | null {
  const frozen = [...labels].flatMap((label) =>
    label == null || label.frozen_since === null
      ? []
      : [{ since: label.frozen_since, isForEver: label.is_unfreezable === false }],
  );
  if (frozen.length === 0) return null;
  const since = Math.min(...frozen.map((each) => each.since));
  return { since, isForEver: frozen.some(({ isForEver }) => isForEver) };
}

/** Labels by token; tokens that are not issued are absent. */
export type TokenLabels = ReadonlyMap<Id, TokenLabelRow>;

/** Reads the labels of tokens at the same tip. Throws SnapshotChanged. */
export async function readTokenLabels(
  store: QueryRunner,
  tip: SnapshotTip,
  tokens: Iterable<Id>,
): Promise<TokenLabels> {
  const ids = [...new Set(tokens)];
  if (ids.length === 0) return new Map();
  const found = await listTokenLabels(store, ids);
  requireSameTip({ tip }, found);
  return new Map(found.rows.map((row) => [row.token_id, row]));
}

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
  { title: 'TokenV1' },
);

/** A `Value` with the token's ticker and decimals. */
export const LABELLED_VALUE_SCHEMA = Type.Union([
  strictObject({ type: Type.Literal('Coin'), amount: schemaRef('Amount') }, { title: 'Coin' }),
  LABELLED_TOKEN_VALUE,
  strictObject({ type: Type.Literal('TokenV0') }, { title: 'TokenV0' }),
]);

const TOKEN_VALUE = /^\{"amount":(\{[^}]*\}),"token_id":"(\w+)","type":"TokenV1"\}$/;

/** Returns the token in the stored text of a value; null if it has none. */
function tokenInValue(network: Network, value: string): Id | null {
  const address = TOKEN_VALUE.exec(value)?.[2];
  return address === undefined ? null : parseTokenId(network, address);
}

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

/** Reads the labels of the tokens in the values of outputs, at the same tip. Throws SnapshotChanged. */
export function readLabelsOfEntries(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  rows: readonly { readonly entry: string }[],
): Promise<TokenLabels> {
  const tokens = rows
    .map(({ entry }) => tokenInValue(network, valueJsonOfEntry(entry)))
    .filter((token) => token !== null);
  return readTokenLabels(store, tip, tokens);
}
