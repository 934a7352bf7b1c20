/**
 * The entry of a token in the list of all tokens and NFTs. It has what the token itself lacks: holders, and the time of
 * issue.
 */
import { encodeCursor } from '../../serving/pagination/paging.ts';
import { EXPANDED_TOKEN_LIST, type ExpandedTokenRow } from '../../store/queries/tokens/expanded-token-lists.ts';
import type { TokenSortKey } from '../../store/queries/tokens/tokens.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';

/** Reads the entry of a token or NFT; null if there is none. */
export async function readListedToken(
  store: QueryRunner,
  token: TokenSortKey,
): Promise<{ readonly tip: SnapshotTip; readonly listed: ExpandedTokenRow | null }> {
  const { tip, rows } = await EXPANDED_TOKEN_LIST.read(store, { after: sortKeyBefore(token), limit: 1 });
  const [row] = rows;
  const isIt = row !== undefined && row.token_id === token.tokenId && row.is_nft === token.isNft;
  return { tip, listed: isIt ? row : null };
}

/** Returns the path of this entry in the API. */
export function apiPathOfListedToken(token: TokenSortKey): string {
  const sortKey = sortKeyBefore(token);
  const cursor =
    sortKey === null ? '' : encodeCursor(EXPANDED_TOKEN_LIST.name({}), EXPANDED_TOKEN_LIST.fields, sortKey);
  return `/token?expand=true&items=1&cursor=${cursor}`;
}

/** Returns the sort key just before this token; null for the beginning of the list. */
function sortKeyBefore({ isNft, tokenId }: TokenSortKey): TokenSortKey | null {
  const number = BigInt(`0x${tokenId}`);
  if (number > 0n) return { isNft, tokenId: (number - 1n).toString(16).padStart(64, '0') };
  return isNft ? { isNft: false, tokenId: 'f'.repeat(64) } : null;
}
