/** Lists of tokens and NFTs with all that is known of each: the fungible ones by id, then the NFTs by id. */
import type { Atoms, Destination, Hex, Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';
import { type AllEntriesSelection, defineList } from './define-list.ts';
import {
  searchableFragment,
  TICKER_LIST,
  type TickerSelection,
  TOKEN_ID_LIST,
  TOKEN_IDS_BY_TICKER_SQL,
  TOKEN_LABEL_COLUMNS,
  TOKEN_LIST_PARAMETERS,
  type TokenListPage,
  type TokenSortKey,
  tokenListPage,
  tokenListPageSql,
} from './tokens.ts';

export interface ExpandedTokenRow {
  readonly token_id: Id;
  readonly is_nft: boolean;
  /** Null for an NFT, which has it in its metadata. */
  readonly ticker: Hex | null;
  /** Has another fungible token this ticker, in any case? Null for an NFT. */
  readonly ticker_is_shared: boolean | null;
  /** The decimals; null for an NFT. */
  readonly decimals: number | null;
  /** The SCALE encoding of an NFT's metadata; null for a fungible token. */
  readonly metadata: Hex | null;
  readonly circulating_supply: Atoms;
  /** Owners that have some, free or locked. */
  readonly holders: number;
  /** The authority; null for an NFT. */
  readonly authority: Destination | null;
  /** The owner; null for a fungible token, and for an NFT without an owner. */
  readonly owner: Destination | null;
  readonly creation_height: number;
  /** The timestamp of the block that created it, in seconds since the epoch. */
  readonly creation_timestamp: number;
}

/** Adds to tokens what other tables know. They keep their order, because readers join by nested loops only. */
const expanded = (tokens: string) => `
    select l.*, coalesce(s.circulating_supply, 0) as circulating_supply, coalesce(s.holders, 0) as holders,
           (select timestamp from blocks where height = l.creation_height) as creation_timestamp
    from (${tokens}) l
    left join statistics s on s.currency = l.token_id`;

const EXPANDED_TOKENS = batchedQuery<TokenListPage, ExpandedTokenRow>({
  name: 'expanded_tokens',
  parameters: TOKEN_LIST_PARAMETERS,
  presenceColumn: 'token_id',
  select: expanded(
    tokenListPageSql({
      tokens: `token_id, false as is_nft, ${TOKEN_LABEL_COLUMNS}, null::bytea as metadata, authority, null::bytea as owner, creation_height`,
      nfts: 'token_id, true, null, null, null, metadata, null, owner, creation_height',
    }),
  ),
});

/** The tokens whose lower-case ticker contains a lower-case text, after a place. */
const EXPANDED_TOKENS_BY_TICKER = batchedQuery<[fragment: string, ...TokenListPage], ExpandedTokenRow>({
  name: 'expanded_tokens_by_ticker',
  parameters: { fragment: 'text', ...TOKEN_LIST_PARAMETERS },
  presenceColumn: 'token_id',
  select: expanded(`
    select i.token_id, i.is_nft, k.ticker, k.decimals, k.ticker_is_shared, n.metadata, k.authority, n.owner,
           coalesce(k.creation_height, n.creation_height) as creation_height
    from (${TOKEN_IDS_BY_TICKER_SQL}) i
    left join lateral (
      select ${TOKEN_LABEL_COLUMNS}, authority, creation_height from tokens where not i.is_nft and token_id = i.token_id offset 0
    ) k on true
    left join nfts n on i.is_nft and n.token_id = i.token_id`),
});

/** All tokens and NFTs: {@link TOKEN_ID_LIST} with other rows. */
export const EXPANDED_TOKEN_LIST = defineList<AllEntriesSelection, TokenSortKey, ExpandedTokenRow>({
  ...TOKEN_ID_LIST,
  read: (store, page) => store.query(EXPANDED_TOKENS, ...tokenListPage(page)),
});

/** The tokens and NFTs whose ticker, in lower case, contains a text: {@link TICKER_LIST} with other rows. */
export const EXPANDED_TICKER_LIST = defineList<TickerSelection, TokenSortKey, ExpandedTokenRow>({
  ...TICKER_LIST,
  read: (store, page) =>
    store.query(EXPANDED_TOKENS_BY_TICKER, searchableFragment(page.fragment), ...tokenListPage(page)),
});
