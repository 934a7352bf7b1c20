/** Decimals of tokens that were issued after a text that names them was made: orders may ask for what is yet to come. */
import type { Id } from '../../chain/types.ts';
import { unissuedTokens, withDecimals } from '../../render/text.ts';
import { getTokenDecimals } from '../../store/queries/tokens.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/batched-query.ts';
import type { RouteResult } from '../route/context.ts';

/** An answer with stored texts, and in them the decimals of the tokens as they are at the answer's tip. */
export async function withTokenDecimals(
  store: QueryRunner,
  answer: () => Promise<RouteResult & { readonly tip: SnapshotTip }>,
): Promise<RouteResult & { readonly tip: SnapshotTip }> {
  for (;;) {
    const reply = await answer();
    const tokens = unissuedTokens(reply.text);
    if (tokens.length === 0) return reply;
    const decimals = await decimalsAt(store, reply.tip, tokens);
    // None where the tip changed between the two questions: then both are asked again.
    if (decimals !== null) return { ...reply, text: withDecimals(reply.text, decimals) };
  }
}

async function decimalsAt(
  store: QueryRunner,
  { revision, id }: SnapshotTip,
  tokens: readonly Id[],
): Promise<Map<Id, number> | null> {
  const answers = await Promise.all(tokens.map((token) => getTokenDecimals(store, token)));
  if (answers.some(({ tip }) => tip.revision !== revision || tip.id !== id)) return null;
  return new Map(answers.flatMap(({ rows }, i) => rows.map(({ decimals }) => [tokens[i]!, decimals] as const)));
}
