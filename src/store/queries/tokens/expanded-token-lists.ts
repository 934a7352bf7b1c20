/**
 * Lists of tokens and NFTs with all that is known of each: the fungible ones by id, then the NFTs by id; and lists of the fungible
 * ones by what people look for.
 */
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { defineQuery } from '../../read/query.ts';
import { type AllEntriesSelection, defineList } from '../lists/define-list.ts';
import { defineAnchors, walksFromSortKeySql } from '../lists/keyset.ts';
import type { SortFields } from '../lists/sort-key-text.ts';
import { COIN_DEPTH_SQL, DAY_SQL, type MarketRow, TRADED_TOKENS_SQL, WINDOW_SQL } from '../orders/markets.ts';
import {
  searchableFragment,
  TICKER_LIST,
  type TickerSelection,
  TOKEN_ID_LIST,
  TOKEN_IDS_BY_TICKER_SQL,
  TOKEN_LABEL_COLUMNS,
  TOKEN_LIST_PARAMETERS,
  type TokenLabelRow,
  type TokenListPage,
  type TokenSortKey,
  tokenListPage,
  tokenListPageSql,
} from './tokens.ts';

export interface ExpandedTokenRow extends TokenLabelRow, Pick<MarketRow, 'coin_depth'> {
  readonly token_id: Id;
  readonly is_nft: boolean;
  readonly circulating_supply: Atoms;
  /** Null for an NFT, as {@link is_locked}. */
  readonly is_frozen: boolean | null;
  /** Could the authority freeze it when it was issued? Null for an NFT. */
  readonly is_freezable: boolean | null;
  /** Is the supply locked? */
  readonly is_locked: boolean | null;
  /** May more be minted while it is not frozen? Null for an NFT. */
  readonly is_mintable: boolean | null;
  /** What may be minted in all, if the supply is fixed; else null. */
  readonly max_supply: Atoms | null;
  /** The newest trade for coins: a ratio of two amounts; null if there was none. */
  readonly last_base: Atoms | null;
  readonly last_quote: Atoms | null;
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

/** The day: that of the market with the coin. */
export interface TradedTokenRow extends ExpandedTokenRow, Pick<MarketRow, 'day_change'> {
  /** The coins that it was traded for. */
  readonly day_volume: Atoms;
}

/** A row of any of these lists. */
export type AnyTokenRow = ExpandedTokenRow & Partial<TradedTokenRow>;

/** Adds to tokens what other tables know. They keep their order, because readers join by nested loops only. */
const expanded = (tokens: string, columns = '', day = '') => `
    select l.*, coalesce(s.circulating_supply, 0) as circulating_supply, coalesce(s.holders, 0) as holders,
           (select timestamp from blocks where height = l.creation_height) as creation_timestamp, m.last_base, m.last_quote,
           case when m.last_base > 0 then ${COIN_DEPTH_SQL} end as coin_depth${columns}
    from (${tokens}) l
    left join statistics s on s.currency = l.token_id
    left join markets m on m.base = l.token_id and m.quote = ''${day}`;

/** The same, with the day of the market. `expressions`: the common table expressions, among them `w`. */
const expandedWithDay = (tokens: string, expressions = WINDOW_SQL) =>
  expressions +
  expanded(
    tokens,
    ', day.day_quote_volume as day_volume, day.day_change',
    `
    cross join w
    cross join lateral (${DAY_SQL}) day`,
  );

const SUPPLY_COLUMNS = `
    case total_supply_type when 'Fixed' then circulating_supply < total_supply else not is_locked end as is_mintable, total_supply as max_supply`;
const COLUMNS = `${TOKEN_LABEL_COLUMNS}, null::bytea as metadata, authority, null::bytea as owner, creation_height, is_frozen, is_freezable, is_locked, ${SUPPLY_COLUMNS}`;

const EXPANDED_TOKENS = defineQuery<TokenListPage, ExpandedTokenRow>({
  name: 'expanded_tokens',
  parameters: TOKEN_LIST_PARAMETERS,
  select: expanded(
    tokenListPageSql({
      tokens: `token_id, false as is_nft, ${COLUMNS}`,
      nfts: `token_id, true as is_nft, null as ticker, null as decimals, null as ticker_is_shared, null as is_unfreezable, null as frozen_since,
        metadata, null as authority, owner, creation_height, null as is_frozen, null as is_freezable, null as is_locked, null as is_mintable,
        null as max_supply`,
    }),
  ),
});

/** The tokens whose lower-case ticker contains a lower-case text, after a place. */
const EXPANDED_TOKENS_BY_TICKER = defineQuery<[fragment: string, ...TokenListPage], ExpandedTokenRow>({
  name: 'expanded_tokens_by_ticker',
  parameters: { fragment: 'text', ...TOKEN_LIST_PARAMETERS },
  select: expanded(`
    select i.token_id, i.is_nft, k.ticker, k.decimals, k.ticker_is_shared, k.is_unfreezable, k.frozen_since, n.metadata, k.authority, n.owner,
           coalesce(k.creation_height, n.creation_height) as creation_height, k.is_frozen, k.is_freezable, k.is_locked, k.is_mintable, k.max_supply
    from (${TOKEN_IDS_BY_TICKER_SQL}) i
    left join lateral (
      select ${TOKEN_LABEL_COLUMNS}, authority, creation_height, is_frozen, is_freezable, is_locked, ${SUPPLY_COLUMNS} from tokens where not i.is_nft and token_id = i.token_id offset 0
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

interface NamesakeSelection {
  /** In lower case. */
  readonly ticker: string;
}
interface NamesakeKey {
  readonly height: number;
  readonly tokenId: Id;
}

const NAMESAKES = defineQuery<[ticker: string, height: number, after: Id, rowLimit: number], TradedTokenRow>({
  name: 'namesakes',
  parameters: { ticker: 'text', height: 'integer', after: 'bytea', row_limit: 'integer' },
  select: expandedWithDay(`
    select i.token_id, false as is_nft, k.*
    from (
      select t.token_id from ticker_fragments f join tokens t on t.token_id = f.token_id
      where f.fragment = :ticker and f.is_whole and not f.is_nft and (t.creation_height, t.token_id) > (:height, :after)
      order by t.creation_height, t.token_id limit :row_limit
    ) i
    cross join lateral (select ${COLUMNS} from tokens where token_id = i.token_id offset 0) k`),
});

/** The fungible tokens whose ticker, in lower case, is a text, oldest first. */
export const NAMESAKE_LIST = defineList<NamesakeSelection, NamesakeKey, TradedTokenRow>({
  name: ({ ticker }) => `namesakes ${ticker}`,
  fields: { height: 'int32', tokenId: 'hash' },
  sortKey: ({ creation_height, token_id }) => ({ height: creation_height, tokenId: token_id }),
  read: (store, { ticker, after, limit }) =>
    store.query(NAMESAKES, ticker, after?.height ?? -1, after?.tokenId ?? '', limit),
});

interface TokenSorting {
  /** The value by which the list is sorted; after it, ids ascend. */
  readonly keyOf: (row: TradedTokenRow) => bigint;
  readonly type: 'integer' | 'numeric';
  /** Numbers all entries, for anchors. */
  readonly numbered: string;
  /** Selects the ids of the entries after the place in the parameters. */
  readonly after: string;
  /** Common table expressions of both. */
  readonly with?: string;
}

/** The tokens that satisfy a condition, newest first. The condition has an index. */
const youngest = (where: string): TokenSorting => ({
  type: 'integer',
  keyOf: ({ creation_height }) => BigInt(creation_height),
  numbered: `
      select creation_height as value, token_id, row_number() over (order by creation_height desc, token_id) as place from tokens
      where ${where}`,
  after: walksFromSortKeySql({
    table: 'tokens',
    where,
    columns: 'token_id',
    key: 'creation_height',
    id: 'token_id',
    place: 'value',
    limit: ':row_limit + :skip',
  }),
});

const SORTINGS = {
  by_holders: {
    type: 'integer',
    keyOf: ({ holders }) => (holders > 1 ? BigInt(holders) : 0n),
    numbered: `
      select holders as value, currency as token_id, row_number() over (order by holders desc, currency) as place
      from statistics where holders > 1 and currency > ''
      union all
      select 0, token_id,
             (select count(*) from statistics where holders > 1 and currency > '') + row_number() over (order by token_id)
      from tokens k where not exists (select from statistics where currency = k.token_id and holders > 1)`,
    after: `${walksFromSortKeySql({
      table: '(select currency as token_id, holders from statistics) s',
      where: `holders > 1 and token_id > ''`,
      columns: 'token_id',
      key: 'holders',
      id: 'token_id',
      place: 'value',
      limit: ':row_limit + :skip',
    })}
    union all
    (select token_id from tokens k
     where token_id > case when :value = 0 then :token_id else '' end
       and not exists (select from statistics where currency = k.token_id and holders > 1)
     order by token_id limit :row_limit + :skip)`,
  },
  by_height: youngest('true'),
  by_volume: {
    type: 'numeric',
    keyOf: ({ day_volume }) => day_volume,
    with: TRADED_TOKENS_SQL,
    numbered: `
      select value, token_id, row_number() over (order by value desc, token_id) as place from (
        select token_id, value from traded
        union all
        select token_id, 0 from tokens k where not exists (select from traded where token_id = k.token_id)
      ) e`,
    after: `
    (select token_id, value from traded
     where value < :value or value = :value and token_id > :token_id
     order by value desc, token_id limit :row_limit + :skip)
    union all
    (select token_id, 0 from tokens k
     where token_id > case when :value = 0 then :token_id else '' end
       and not exists (select from traded where token_id = k.token_id)
     order by token_id limit :row_limit + :skip)`,
  },
} satisfies Readonly<Record<string, TokenSorting>>;
const STATES = { frozen: youngest('is_frozen'), locked: youngest('is_locked') };

/**
 * `by_holders`: the tokens with most holders first; the tokens with fewer than two holders last, by id. `by_height`: the newest
 * tokens first. `by_volume`: first the tokens that were traded for most coins in the 24 hours up to the tip.
 */
export type TokenSort = keyof typeof SORTINGS;
export const TOKEN_SORTS = Object.keys(SORTINGS) as TokenSort[];

/** `frozen`: the frozen tokens; `locked`: the tokens whose supply is locked; newest first. */
export type TokenState = keyof typeof STATES;
export const TOKEN_STATES = Object.keys(STATES) as TokenState[];

/** The place of a token in a sorted list. */
interface SortedTokenKey {
  readonly value: bigint;
  readonly tokenId: Id;
}

const SORT_FIELDS: SortFields<SortedTokenKey> = { value: 'bigint', tokenId: 'hash' };

const ABOVE_ALL = { integer: BigInt(MAX_HEIGHT), numeric: 'Infinity' } as const;

/** The fungible tokens in an order. */
function sortedTokenList(sort: string, { keyOf, type, numbered, after: rowsAfter, with: expressions }: TokenSorting) {
  const name = `tokens_${sort}`;
  const query = defineQuery<[value: bigint | 'Infinity', tokenId: Id, skip: number, rowLimit: number], TradedTokenRow>({
    name,
    parameters: { value: type, token_id: 'bytea', skip: 'bigint', row_limit: 'integer' },
    select: expandedWithDay(
      `
      select i.token_id, false as is_nft, k.*
      from (${rowsAfter} offset :skip limit :row_limit) i
      cross join lateral (select ${COLUMNS} from tokens where token_id = i.token_id offset 0) k`,
      expressions,
    ),
  });
  return defineList<AllEntriesSelection, SortedTokenKey, TradedTokenRow>({
    name: () => `token ${sort}`,
    fields: SORT_FIELDS,
    sortKey: (row) => ({ value: keyOf(row), tokenId: row.token_id }),
    read: (store, { after, skip = 0, limit }) =>
      store.query(query, after?.value ?? ABOVE_ALL[type], after?.tokenId ?? '', skip, limit),
    anchors: defineAnchors<AllEntriesSelection, SortedTokenKey>({
      list: name,
      fields: SORT_FIELDS,
      key: `value || '.' || encode(token_id, 'hex')`,
      select: (expressions ?? '') + numbered,
    }),
  });
}

/** The fungible tokens in each order, or in a state. */
export const SORTED_TOKEN_LISTS = Object.fromEntries(
  Object.entries<TokenSorting>({ ...SORTINGS, ...STATES }).map(([sort, of]) => [sort, sortedTokenList(sort, of)]),
) as Readonly<Record<TokenSort | TokenState, ReturnType<typeof sortedTokenList>>>;
