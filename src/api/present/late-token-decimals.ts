/**
 * Adds the decimals of tokens to stored texts that were rendered before the token was issued: an order may ask for a
 * token that is issued later.
 */
import type { Id } from '../../chain/types.ts';
import { fillUnissuedDecimals, unissuedTokens } from '../../render/json-pieces.ts';
import { getTokenDecimals } from '../../store/queries/tokens.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/batched-query.ts';
import { SnapshotChanged } from '../errors/api-error.ts';

/**
 * Reads the data of {@link addLateTokenDecimals} for these stored texts, at the same tip. Throws {@link SnapshotChanged}.
 */
export async function readLateTokenDecimals(
  store: QueryRunner,
  { revision, id }: SnapshotTip,
  texts: Iterable<string>,
): Promise<LateTokenDecimals> {
  let tokens: Set<Id> | undefined;
  for (const text of texts) {
    for (const token of unissuedTokens(text)) {
      tokens ??= new Set();
      tokens.add(token);
    }
  }
  if (tokens === undefined) return null;
  const decimals = new Map<Id, number>();
  await Promise.all(
    Array.from(tokens, async (token) => {
      const { tip, rows } = await getTokenDecimals(store, token);
      if (tip.revision !== revision || tip.id !== id) throw new SnapshotChanged();
      if (rows[0]) decimals.set(token, rows[0].decimals);
    }),
  );
  return decimals;
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
