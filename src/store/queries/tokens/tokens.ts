/** Fungible tokens and NFTs. Where a list holds both, the fungible tokens come first by id, then the NFTs by id. */
import type { Atoms, Destination, Hex, Id } from '../../../chain/types.ts';
import { defineQuery, queryFunction } from '../../read/query.ts';
import { boundedCountSql } from '../lists/bounded-count.ts';
import { type AllEntriesSelection, defineList, type OwnerSelection, type RowRange } from '../lists/define-list.ts';
import { defineAnchors, pageStartSql } from '../lists/keyset.ts';

export interface TokenRow {
  readonly token_id: Id;
  readonly ticker: Hex;
  /** Has another fungible token this ticker, in any case? */
  readonly ticker_is_shared: boolean;
  readonly decimals: number;
  readonly metadata_uri: Hex;
  readonly total_supply_type: 'Fixed' | 'Lockable' | 'Unlimited';
  /** The fixed supply; null for other kinds of supply. */
  readonly total_supply: Atoms | null;
  readonly circulating_supply: Atoms;
  readonly is_locked: boolean;
  readonly is_frozen: boolean;
  readonly is_freezable: boolean;
  /** May the token be unfrozen? Null unless it is frozen. */
  readonly is_unfreezable: boolean | null;
  /** The height of the block that froze it; null unless it is frozen. */
  readonly frozen_since: number | null;
  readonly authority: Destination;
  readonly next_nonce: bigint;
}

export interface NftRow {
  readonly owner: Destination | null;
  /** The SCALE encoding of the issuance's metadata. */
  readonly metadata: Hex;
}

export interface TokenIdRow {
  readonly token_id: Id;
  readonly is_nft: boolean;
}

/** Other fungible tokens with the ticker of the token `k`, in any case, as `f`: tickers are ASCII. */
const namesakesSql = (k: string) => `
    ticker_fragments f where f.fragment = lower(encode(${k}.ticker, 'escape') collate "C") and f.is_whole and not f.is_nft
                             and f.token_id <> ${k}.token_id`;

/** Since when a token is frozen: asked of those alone that are. */
export const frozenSinceSql = (k: string) => `
    case when ${k}.is_frozen then (
      select height from token_events where token_id = ${k}.token_id and kind = 'token_freeze'
      order by height desc, position desc, event_index desc limit 1
    ) end`;

/** The columns of the label of a row of `tokens`. */
export const TOKEN_LABEL_COLUMNS = `ticker, decimals, exists (select from ${namesakesSql('tokens')}) as ticker_is_shared, is_unfreezable, ${frozenSinceSql('tokens')} as frozen_since`;

/** The columns of the label that {@link currencyLabelJoinsSql} adds. */
export const CURRENCY_LABEL_COLUMNS =
  'k.ticker, k.decimals, k.ticker_is_shared, k.is_unfreezable, k.frozen_since, n.metadata';

/** Adds the label of a currency, a column such as `c.currency`, to each row; nothing is looked up for the coin. */
export const currencyLabelJoinsSql = (currency: string): string => `
    left join lateral (
      select ${TOKEN_LABEL_COLUMNS} from tokens where ${currency} > '' and token_id = ${currency} offset 0
    ) k on true
    left join lateral (select metadata from nfts where ${currency} > '' and token_id = ${currency} offset 0) n on true`;

const TOKEN_COLUMNS = `exists (select from ${namesakesSql('k')}) as ticker_is_shared, k.token_id, k.ticker, k.decimals, k.metadata_uri, k.total_supply_type, k.total_supply,
           k.circulating_supply, k.is_locked, k.is_frozen, k.is_freezable, k.is_unfreezable, k.authority, k.next_nonce, ${frozenSinceSql('k')} as frozen_since`;

/** Reads a fungible token. No row if there is none with the id. */
export const getToken = queryFunction<[tokenId: Id], TokenRow>({
  name: 'token',
  parameters: { token_id: 'bytea' },
  select: `select ${TOKEN_COLUMNS} from tokens k where k.token_id = :token_id`,
});

/** A fungible token with its statistics. */
export interface TokenSummaryRow extends TokenRow {
  /** The circulating supply without tokens that were burned but not unminted, which `circulating_supply` includes. */
  readonly unburned_supply: Atoms;
  readonly burned: Atoms;
  /** Owners that have some, free or locked. */
  readonly holders: number;
  readonly creation_height: number;
  /** The timestamp of the block that created it, in seconds since the epoch. */
  readonly creation_timestamp: number;
  /** As {@link boundedCountSql} counts them. */
  readonly transactions: number;
  readonly events: number;
}

/** Reads a fungible token with its statistics. No row if there is none with the id. */
export const getTokenSummary = queryFunction<[tokenId: Id], TokenSummaryRow>({
  name: 'token_summary',
  parameters: { token_id: 'bytea' },
  select: `
    select ${TOKEN_COLUMNS},
           coalesce(s.circulating_supply, 0) as unburned_supply, coalesce(s.burned, 0) as burned,
           coalesce(s.holders, 0) as holders, k.creation_height, b.timestamp as creation_timestamp,
           ${boundedCountSql('token_transactions where token_id = :token_id')} as transactions,
           ${boundedCountSql('token_events where token_id = :token_id')} as events
    from tokens k
    join blocks b on b.height = k.creation_height
    left join statistics s on s.currency = k.token_id
    where k.token_id = :token_id`,
});

/** An older token, or one of the same block, with the ticker of another one. */
export type NamesakeRow = Pick<TokenSummaryRow, 'token_id' | 'creation_height' | 'holders'>;

/** Reads the oldest fungible token with the ticker of another one, in any case. No row if that one was issued before. */
export const getOlderNamesake = queryFunction<[tokenId: Id], NamesakeRow>({
  name: 'older_namesake',
  parameters: { token_id: 'bytea' },
  select: `
    select o.token_id, o.creation_height, coalesce(s.holders, 0) as holders
    from tokens k
    cross join lateral (
      select a.token_id, a.creation_height from (select f.token_id from ${namesakesSql('k')} offset 0) f
      join tokens a on a.token_id = f.token_id
      where a.creation_height <= k.creation_height
      order by a.creation_height, a.token_id limit 1
    ) o
    left join statistics s on s.currency = o.token_id
    where k.token_id = :token_id`,
});

/** Reads the decimals of those of the tokens that are issued and fungible, in no order. */
export const listTokenDecimals = queryFunction<
  [tokenIds: readonly Id[]],
  { readonly token_id: Id; readonly decimals: number }
>({
  name: 'token_decimals',
  parameters: { token_ids: 'bytea[]' },
  select: 'select token_id, decimals from tokens where token_id = any(:token_ids)',
});

/** The name of a token beside its amounts. */
export interface TokenLabelRow {
  /** Only for a fungible token. */
  readonly ticker: Hex | null;
  /** Only for a fungible token. */
  readonly decimals: number | null;
  /** Only for a fungible token: has another one this ticker, in any case? */
  readonly ticker_is_shared: boolean | null;
  /** May the frozen token be unfrozen? Null unless it is frozen. */
  readonly is_unfreezable: boolean | null;
  /** The height of the block that froze it; null unless it is frozen. */
  readonly frozen_since: number | null;
  /** The SCALE encoding of an NFT's metadata. */
  readonly metadata: Hex | null;
}

/** Reads the tickers and decimals of those of the tokens and NFTs that are issued, in no order. */
export const listTokenLabels = queryFunction<[tokenIds: readonly Id[]], TokenLabelRow & { readonly token_id: Id }>({
  name: 'token_labels',
  parameters: { token_ids: 'bytea[]' },
  select: `
    select token_id, ${TOKEN_LABEL_COLUMNS}, null::bytea as metadata from tokens where token_id = any(:token_ids)
    union all
    select token_id, null, null, null, null, null, metadata from nfts where token_id = any(:token_ids)`,
});

/** Reads an NFT. No row if there is none with the id. */
export const getNft = queryFunction<[tokenId: Id], NftRow>({
  name: 'nft',
  parameters: { token_id: 'bytea' },
  select: 'select owner, metadata from nfts where token_id = :token_id',
});

/** The columns of an entry of each of the halves of a list of fungible tokens and NFTs. */
interface TokenColumns {
  readonly tokens: string;
  readonly nfts: string;
}

/** Fungible tokens and NFTs after the sort key in `from`, as a subquery with these columns. */
const tokensAfter = ({ tokens, nfts }: TokenColumns, from: string, limit: string) => `
    (select ${tokens} from tokens
     where not ${from}is_nft and token_id > ${from}after
     order by token_id limit ${limit})
    union all
    (select ${nfts} from nfts
     where token_id > case when ${from}is_nft then ${from}after else '' end
     order by token_id limit ${limit})`;

const ID_COLUMNS: TokenColumns = { tokens: 'token_id, false as is_nft', nfts: 'token_id, true' };
const SORT_KEY_COLUMNS: TokenColumns = { tokens: 'false as is_nft, token_id as after', nfts: 'true, token_id' };

/** A page of them. */
export const tokenListPageSql = (columns: TokenColumns) => `
    select l.* from (${pageStartSql(['is_nft', 'after'], tokensAfter(SORT_KEY_COLUMNS, ':', ':skip'))}) s
    cross join lateral (${tokensAfter(columns, 's.', ':row_limit')} limit :row_limit) l`;

/** The ids of a page of those whose ticker contains a text, as a subquery. */
export const TOKEN_IDS_BY_TICKER_SQL = `
    select token_id, is_nft from ticker_fragments
    where fragment = :fragment and (is_nft, token_id) > (:is_nft, :after)
    order by is_nft, token_id offset :skip limit :row_limit`;

/** The page of a list of fungible tokens and NFTs. `isNft`, `after`: the sort key before the first entry. */
export type TokenListPage = [isNft: boolean, after: Id, skip: number, rowLimit: number];
export const TOKEN_LIST_PARAMETERS = {
  is_nft: 'boolean',
  after: 'bytea',
  skip: 'bigint',
  row_limit: 'integer',
} as const;

export function tokenListPage({ after, skip = 0, limit }: RowRange<TokenSortKey>): TokenListPage {
  return [after?.isNft ?? false, after?.tokenId ?? '', skip, limit];
}

const TOKEN_IDS = defineQuery<TokenListPage, TokenIdRow>({
  name: 'token_ids',
  parameters: TOKEN_LIST_PARAMETERS,
  select: `${tokensAfter(ID_COLUMNS, ':', ':row_limit + :skip')} offset :skip limit :row_limit`,
});

const TOKEN_IDS_BY_TICKER = defineQuery<[fragment: string, ...TokenListPage], TokenIdRow>({
  name: 'token_ids_by_ticker',
  parameters: { fragment: 'text', ...TOKEN_LIST_PARAMETERS },
  select: TOKEN_IDS_BY_TICKER_SQL,
});

type AuthorityTokenRow = Pick<TokenIdRow, 'token_id'>;

const TOKENS_OF_AUTHORITY = defineQuery<[owner: Destination, after: Id, rowLimit: number | null], AuthorityTokenRow>({
  name: 'tokens_of_authority',
  parameters: { owner: 'bytea', after: 'bytea', row_limit: 'integer' },
  select: `
    select token_id from tokens
    where authority = :owner and token_id > :after
    order by token_id limit :row_limit`,
});

export interface TokenSortKey {
  /** Is this the id of an NFT? */
  readonly isNft: boolean;
  readonly tokenId: Id;
}

const ORDER = {
  fields: { isNft: 'boolean', tokenId: 'hash' },
  sortKey: ({ is_nft: isNft, token_id: tokenId }: TokenIdRow): TokenSortKey => ({ isNft, tokenId }),
} as const;

/** The ids of all tokens and NFTs. */
export const TOKEN_ID_LIST = defineList<AllEntriesSelection, TokenSortKey, TokenIdRow>({
  name: () => 'token',
  ...ORDER,
  read: (store, page) => store.query(TOKEN_IDS, ...tokenListPage(page)),
  anchors: defineAnchors<AllEntriesSelection, TokenSortKey>({
    list: 'tokens',
    fields: ORDER.fields,
    key: `is_nft || '.' || encode(token_id, 'hex')`,
    select: `
      select 0 as is_nft, token_id, row_number() over (order by token_id) as place from tokens
      union all
      select 1, token_id, (select count(*) from tokens) + row_number() over (order by token_id) from nfts`,
  }),
});

export interface TickerSelection {
  /** The fragment in lower case. */
  readonly fragment: string;
}

/** PostgreSQL refuses a zero character in a text. No ticker has one, and none has the empty text among its pieces. */
export const searchableFragment = (fragment: string): string => (fragment.includes('\0') ? '' : fragment);

/** The ids of the tokens and NFTs whose ticker, in lower case, contains a text. */
export const TICKER_LIST = defineList<TickerSelection, TokenSortKey, TokenIdRow>({
  name: ({ fragment }) => `ticker ${fragment}`,
  ...ORDER,
  read: (store, page) => store.query(TOKEN_IDS_BY_TICKER, searchableFragment(page.fragment), ...tokenListPage(page)),
  anchors: defineAnchors<TickerSelection, TokenSortKey>({
    list: 'tokens_by_ticker',
    fields: ORDER.fields,
    parameters: { fragment: 'text' },
    selection: ({ fragment }) => [searchableFragment(fragment)],
    key: `is_nft::int || '.' || encode(token_id, 'hex')`,
    select: `
      select is_nft, token_id, row_number() over (order by is_nft, token_id) as place
      from ticker_fragments where fragment = :fragment`,
  }),
});

/** The fungible tokens that an address has authority over, by id. */
export const AUTHORITY_TOKEN_LIST = defineList<OwnerSelection, { readonly tokenId: Id }, AuthorityTokenRow, null>({
  name: ({ owner }) => `token-authority ${owner}`,
  fields: { tokenId: 'hash' },
  sortKey: ({ token_id }) => ({ tokenId: token_id }),
  read: (store, { owner, after, limit }) => store.query(TOKENS_OF_AUTHORITY, owner, after?.tokenId ?? '', limit),
});
