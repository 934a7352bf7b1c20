/**
 * Finds everything that a search text may mean. Each query is a walk along a key, over a range of it or for one value; those are
 * run that the text may mean.
 */
import type { Market } from '../../../chain/market.ts';
import type { Destination, Hex, Id } from '../../../chain/types.ts';
import { readOneSnapshot, requireSameTip } from '../../read/one-snapshot.ts';
import { defineQuery, type QueryRunner, type SnapshotRows } from '../../read/query.ts';
import { blockAtTimeSql } from '../blocks/block-lists.ts';
import { COIN_DEPTH_SQL } from '../orders/markets.ts';
import type { ExpandedTokenRow } from '../tokens/expanded-token-lists.ts';

/** The kind of ids in a range: blocks and transactions share the form of their ids; `any`: all kinds but addresses. */
export type SearchedIdKind = 'any' | 'block or transaction' | 'pool' | 'delegation' | 'token' | 'order' | 'address';

export interface SearchTerms {
  /** A block at this height. */
  readonly height: number | null;
  /** Ids, or destinations, from the first to the last, both included. */
  readonly ids: { readonly of: SearchedIdKind; readonly first: Hex; readonly last: Hex } | null;
  /** The newest block of at most each of these times; seconds since the epoch. */
  readonly times: readonly number[];
  /** The first and the last block of each of these periods; seconds since the epoch. `to`: the first second after it. */
  readonly periods: readonly { readonly from: number; readonly to: number }[];
}

export interface SearchRow {
  readonly type: 'block' | 'transaction' | 'pool' | 'delegation' | 'token' | 'nft' | 'order' | 'address';
  /** The id; for an address, its destination. */
  readonly id: Id | Destination;
  /** Height of the block that it is, that contains it, or that created it. Null for an address. */
  readonly height: number | null;
  /** Seconds since the epoch; of a block only. */
  readonly timestamp: number | null;
  /** Null unless it is a fungible token. */
  readonly ticker: Hex | null;
  /** The SCALE encoding of an NFT's metadata. */
  readonly metadata: Hex | null;
}

const NONE = 'null::bytea as ticker, null::bytea as metadata';

const BLOCK_AT_HEIGHT = defineQuery<[height: number], SearchRow>({
  name: 'search_block_at_height',
  parameters: { height: 'integer' },
  select: `select 'block' as type, block_id as id, height, timestamp, ${NONE} from blocks where height = :height`,
});

const BLOCK_AT_TIME = defineQuery<[time: number], SearchRow>({
  name: 'search_block_at_time',
  parameters: { time: 'bigint' },
  select: `select 'block' as type, block_id as id, height, timestamp, ${NONE} from (${blockAtTimeSql(':time')}) at_time`,
});

/** The first and the last block of a period. */
const BLOCKS_OF_PERIOD = defineQuery<[from: number, to: number], SearchRow>({
  name: 'search_blocks_of_period',
  parameters: { since: 'bigint', below: 'bigint' },
  select: `
    (select 'block' as type, block_id as id, height, timestamp, ${NONE} from blocks
     where height = 1 + coalesce((select height from (${blockAtTimeSql('(:since - 1)')}) before), -1)
       and timestamp < :below)
    union all
    (select 'block', block_id, height, timestamp, ${NONE} from (${blockAtTimeSql('(:below - 1)')}) last_of_period
     where timestamp >= :since)`,
});

type RangeParameters = [first: Hex, last: Hex, rowLimit: number];
const RANGE = { first: 'bytea', last: 'bytea', row_limit: 'integer' } as const;

/** Entries of tables whose key is within the range: their type, table, key, height, and the columns of {@link NONE}. */
const inRange = (
  name: string,
  ...tables: [type: string, table: string, key: string, height: string, more?: string][]
) =>
  defineQuery<RangeParameters, SearchRow>({
    name: `search_${name}_ids`,
    parameters: RANGE,
    select: tables
      .map(
        ([type, table, key, height, more = `null::bigint as timestamp, ${NONE}`]) => `
    (select '${type}' as type, ${key} as id, ${height} as height, ${more} from ${table}
     where ${key} >= :first and ${key} <= :last order by ${key} limit :row_limit)`,
      )
      .join(' union all '),
  });

const TOKEN = 'null::bigint as timestamp, ticker, null::bytea as metadata';
const NFT = 'null::bigint as timestamp, null::bytea as ticker, metadata';

const ADDRESSES_IN_RANGE = defineQuery<RangeParameters, SearchRow>({
  name: 'search_addresses',
  parameters: RANGE,
  select: `
    with recursive known (owner, n) as (
      select * from (select owner, 1 from address_transactions where owner >= :first order by owner limit 1) first
      union all
      select (select a.owner from address_transactions a where a.owner > known.owner order by a.owner limit 1), n + 1
      from known where known.owner <= :last and n < :row_limit
    )
    select 'address' as type, owner as id, null::integer as height, null::bigint as timestamp, ${NONE}
    from known where owner <= :last`,
});

const IN_RANGE = {
  'block or transaction': inRange(
    'block_or_transaction',
    ['block', 'blocks', 'block_id', 'height', `timestamp, ${NONE}`],
    ['transaction', 'transactions', 'tx_id', 'height'],
  ),
  pool: inRange('pool', ['pool', 'pools', 'pool_id', 'creation_height']),
  delegation: inRange('delegation', ['delegation', 'delegations', 'delegation_id', 'creation_height']),
  token: inRange(
    'token',
    ['token', 'tokens', 'token_id', 'creation_height', TOKEN],
    ['nft', 'nfts', 'token_id', 'creation_height', NFT],
  ),
  order: inRange('order', ['order', 'orders', 'order_id', 'creation_height']),
};

/** A token or NFT whose ticker or name has the searched text, with what tells it from others of the same name. */
export interface FoundTokenRow
  extends SearchRow,
    Pick<ExpandedTokenRow, 'decimals' | 'last_base' | 'last_quote' | 'coin_depth'> {
  readonly type: 'token' | 'nft';
  readonly height: number;
  /** Is the searched text all of the ticker or name? */
  readonly is_whole: boolean;
  readonly holders: number;
  /** The timestamp of the block that issued it. */
  readonly issued_at: number;
}

/** Is the text all of an NFT's ticker, or name, or a part of it? Null where it is neither. `f`: the NFT. */
const IN_TICKER = `
         (select t.is_whole from ticker_fragments t where t.fragment = :text and t.is_nft and t.token_id = f.token_id)`;
const IN_NAME = `
         (select n.is_whole from name_fragments n where n.fragment = :text and f.is_nft and n.token_id = f.token_id)`;

/**
 * Tokens and NFTs whose ticker or name is the text, then those whose ticker or name contains it. Each comes once: a walk
 * passes over what those before it gave. No walk reads more rows than the page can use.
 */
const TOKENS_BY_TEXT = defineQuery<[text: string, rowLimit: number], FoundTokenRow>({
  name: 'tokens_by_text',
  parameters: { text: 'text', row_limit: 'integer' },
  select: `
     select case when f.is_nft then 'nft' else 'token' end as type, f.token_id as id, b.height, null::bigint as timestamp,
            k.ticker, n.metadata, f.is_whole, coalesce(s.holders, 0) as holders, b.timestamp as issued_at, k.decimals, m.last_base,
            m.last_quote, case when m.last_base > 0 then ${COIN_DEPTH_SQL} end as coin_depth
     from (
       (select is_nft, token_id, is_whole from ticker_fragments
        where fragment = :text and is_whole order by is_nft, token_id limit :row_limit)
       union all
       select true, token_id, is_whole from (
         select token_id, is_whole from name_fragments
         where fragment = :text and is_whole order by token_id limit :row_limit
       ) f
       where ${IN_TICKER} is distinct from true
       union all
       select is_nft, token_id, is_whole from (
         select is_nft, token_id, is_whole from ticker_fragments
         where fragment = :text order by is_nft, token_id limit :row_limit
       ) f
       where not is_whole and ${IN_NAME} is distinct from true
       union all
       select true, token_id, is_whole from (
         select token_id, is_whole from name_fragments
         where fragment = :text order by token_id limit :row_limit
       ) f
       where not is_whole and ${IN_TICKER} is null
       limit :row_limit
     ) f
     left join tokens k on k.token_id = f.token_id and not f.is_nft
     left join nfts n on n.token_id = f.token_id and f.is_nft
     join blocks b on b.height = coalesce(k.creation_height, n.creation_height)
     left join statistics s on s.currency = f.token_id
     left join markets m on m.base = f.token_id and m.quote = ''`,
});

/**
 * The tokens and NFTs whose ticker or name has the text (lower case), of the first `limit` of the walks: whole matches before
 * parts, those with most holders first among them.
 */
export async function searchTokens(
  store: QueryRunner,
  text: string,
  limit: number,
): Promise<SnapshotRows<FoundTokenRow>> {
  const { tip, rows } = await store.query(TOKENS_BY_TEXT, text, limit);
  const sorted = rows.toSorted((a, b) => Number(b.is_whole) - Number(a.is_whole) || b.holders - a.holders);
  return { tip, rows: sorted };
}

/** The most matches of a text among which those with most holders are looked for: many tokens may have the same ticker. */
export const MAX_COMPARED_TOKENS = 200;

/** A market of two tickers, with the tickers as they are written. */
export interface FoundMarketRow extends Market {
  /** Null: the coin. */
  readonly base_ticker: Hex | null;
  readonly quote_ticker: Hex | null;
  readonly trades: number;
  readonly open_orders: number;
}

/** The tokens with most holders of those that are compared; the coin, which is an empty id, for its own ticker. */
const sideSql = (ticker: string, isCoin: string) => `
    (select ''::bytea as id where ${isCoin}
     union all
     (select f.token_id from (
        select token_id from ticker_fragments where fragment = ${ticker} and is_whole and not is_nft
        order by token_id limit ${MAX_COMPARED_TOKENS}
      ) f
      left join statistics s on s.currency = f.token_id
      order by s.holders desc nulls last, f.token_id limit 20))`;

const MARKETS_OF_TICKERS = defineQuery<
  [first: string, second: string, isFirstCoin: boolean, isSecondCoin: boolean, rowLimit: number],
  FoundMarketRow
>({
  name: 'markets_of_tickers',
  parameters: {
    first: 'text',
    second: 'text',
    is_first_coin: 'boolean',
    is_second_coin: 'boolean',
    row_limit: 'integer',
  },
  select: `
    select m.base, m.quote, kb.ticker as base_ticker, kq.ticker as quote_ticker, m.trades, m.open_orders
    from (
      select market_base(a.id, b.id) as base, market_quote(a.id, b.id) as quote
      from ${sideSql(':first', ':is_first_coin')} a, ${sideSql(':second', ':is_second_coin')} b
      where a.id <> b.id
    ) p
    join markets m on m.base = p.base and m.quote = p.quote
    left join tokens kb on kb.token_id = m.base
    left join tokens kq on kq.token_id = m.quote
    order by m.last_height desc, m.base, m.quote limit :row_limit`,
});

/** The markets between two tickers, given in lower case in any order; those with the newest trade first. */
export function searchMarkets(
  store: QueryRunner,
  [first, second]: readonly [string, string],
  coinTicker: string,
  limit: number,
): Promise<SnapshotRows<FoundMarketRow>> {
  const isCoin = (ticker: string) => ticker === coinTicker.toLowerCase();
  return store.query(MARKETS_OF_TICKERS, first, second, isCoin(first), isCoin(second), limit);
}

/**
 * Everything that the terms may mean, each once, at most `limit`: the block of the height, the blocks of the times, the first
 * and the last block of each period, ids.
 */
export function searchIndex(
  store: QueryRunner,
  { height = null, ids = null, times = [], periods = [], limit }: Partial<SearchTerms> & { readonly limit: number },
): Promise<SnapshotRows<SearchRow>> {
  const queriesOfIds =
    ids === null
      ? []
      : ids.of === 'any'
        ? Object.values(IN_RANGE)
        : [ids.of === 'address' ? ADDRESSES_IN_RANGE : IN_RANGE[ids.of]];
  return readOneSnapshot(async () => {
    // A height that no block has gives the tip when nothing else is asked for.
    const found = await Promise.all([
      store.query(BLOCK_AT_HEIGHT, height ?? -1),
      ...times.map((time) => store.query(BLOCK_AT_TIME, time)),
      ...periods.map(({ from, to }) => store.query(BLOCKS_OF_PERIOD, from, to)),
      ...queriesOfIds.map((query) => store.query(query, ids!.first, ids!.last, limit)),
    ]);
    const tip = requireSameTip(...found);
    const results = new Map<string, SearchRow>();
    for (const row of found.flatMap(({ rows }) => rows)) {
      const key = `${row.type}:${row.id}`;
      if (!results.has(key)) results.set(key, row);
    }
    return { tip, rows: [...results.values()].slice(0, limit) };
  });
}
