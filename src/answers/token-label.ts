/** The labels of tokens: their tickers and decimals. */

import { parseTokenId } from '../chain/address.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Id } from '../chain/types.ts';
import { valueJsonOfEntry } from '../render/output-entry.ts';
import { listTokenLabels, type TokenLabelRow } from '../store/queries/tokens/tokens.ts';
import { requireSameTip } from '../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../store/read/query.ts';

/** That of the coin, and of a token that is not issued. */
export const NO_LABEL: TokenLabelRow = {
  ticker: null,
  decimals: null,
  ticker_is_shared: null,
  is_unfreezable: null,
  frozen_since: null,
  metadata: null,
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

/** The stored text of a value with a token. */
export const TOKEN_VALUE = /^\{"amount":(\{[^}]*\}),"token_id":"(\w+)","type":"TokenV1"\}$/;

/** Returns the token in the stored text of a value; null if it has none. */
function tokenInValue(network: Network, value: string): Id | null {
  const address = TOKEN_VALUE.exec(value)?.[2];
  return address === undefined ? null : parseTokenId(network, address);
}

/** Reads the labels of the tokens in the values of outputs, at the same tip. Throws SnapshotChanged. */
export function readTokenLabelsOfOutputs(
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
