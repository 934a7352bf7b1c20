/**
 * Adds the decimals of tokens to stored texts that were rendered before the token was issued: an order may ask for a
 * token that is issued later.
 */

import type { Id } from '../chain/types.ts';
import { fillUnissuedDecimals, unissuedTokens } from '../render/common-values.ts';
import { listTokenDecimals } from '../store/queries/tokens/tokens.ts';
import { requireSameTip } from '../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../store/read/query.ts';

/**
 * Reads the data of {@link addLateTokenDecimals} for these stored texts, at the same tip. Throws SnapshotChanged.
 */
export async function readDecimalsOfLaterIssuedTokens(
  store: QueryRunner,
  tip: SnapshotTip,
  texts: Iterable<string>,
): Promise<LateTokenDecimals> {
  let tokens: Set<Id> | undefined;
  for (const text of texts) {
    for (const token of unissuedTokens(text)) {
      tokens ??= new Set();
      tokens.add(token);
    }
  }
  return tokens === undefined ? null : readTokenDecimals(store, tip, tokens);
}

/** Reads the decimals of the tokens that are issued, at the same tip. Throws SnapshotChanged. */
export async function readTokenDecimals(
  store: QueryRunner,
  tip: SnapshotTip,
  tokens: Iterable<Id>,
): Promise<ReadonlyMap<Id, number>> {
  const ids = [...tokens];
  if (ids.length === 0) return NO_DECIMALS;
  const found = await listTokenDecimals(store, ids);
  requireSameTip({ tip }, found);
  return new Map(found.rows.map(({ token_id, decimals }) => [token_id, decimals]));
}

/** Decimals by token; null if no text lacks any. */
export type LateTokenDecimals = ReadonlyMap<Id, number> | null;

export function addLateTokenDecimals(text: string, decimals: LateTokenDecimals): string {
  return decimals === null ? text : fillUnissuedDecimals(text, decimals);
}

/** Returns the text with 0 decimals for tokens that are not issued, which an order may ask for. */
export function withDefaultDecimals<Text extends string>(text: Text): Text {
  return fillUnissuedDecimals(text, NO_DECIMALS);
}

const NO_DECIMALS: ReadonlyMap<Id, number> = new Map();
