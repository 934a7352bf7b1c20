/** What things of one kind have, and what has happened to each of them since a block. */
import type { Currency } from '../../../chain/currency.ts';
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';
import { rewardsSql } from '../pools/staking-days.ts';

/** A thing. Its row is there also if the chain has no such thing. */
export interface WatchedRow {
  /** The place of the thing among those that were asked for, from 1 on. */
  readonly place: number;
  /** The coins on an address, the balance of a delegation or a pool, the supply of a token, the quote of a price; null for none. */
  readonly value: Atoms | null;
  /**
   * Of an address: the coins in its pools and delegations.
   * Of a pool or a delegation: all rewards ever.
   * Of a market: the base of its price. Null for all others.
   */
  readonly second_value: Atoms | null;
  /** What others may change without an event: what is staked from an address, and its orders or those of a market. */
  readonly stakes: string;
  readonly orders: string;
  /** Of its newest event; null without any. */
  readonly height: number | null;
  /** The transaction of that event; the block of a pool. */
  readonly event_id: Id | null;
  /** In seconds since the epoch. */
  readonly timestamp: number | null;
  /** At most one more than {@link MAX_COUNTED_EVENTS}. */
  readonly events: number;
}

export const MAX_COUNTED_EVENTS = 100;
/** No block is above it: nothing has happened since. */
export const NOTHING_SINCE = MAX_HEIGHT - 1;

const KEYS = { keys: 'bytea[]', since: 'integer[]' } as const;

interface Watched {
  readonly value: string;
  readonly secondValue?: string;
  readonly stakes?: string;
  readonly orders?: string;
  /** The tables of the value. */
  readonly from?: string;
  /** Selects the newest event. */
  readonly newest: string;
  /** The events, after `from`. */
  readonly events: string;
  readonly things?: string;
}

const watchedSql = ({
  value,
  secondValue = 'null::numeric',
  stakes = `''`,
  orders = `''`,
  from = '',
  newest,
  events,
  things = 'unnest(:keys, :since) with ordinality w (key, since, place)',
}: Watched): string => `
    select w.place, ${value} as value, ${secondValue} as second_value, ${stakes} as stakes, ${orders} as orders, n.height, n.event_id, n.timestamp, c.events
    from ${things} ${from}
    left join lateral (${newest}) n on true
    cross join lateral (
      select count(*)::integer as events from (select from ${events} limit ${MAX_COUNTED_EVENTS + 1}) e
    ) c
    order by w.place`;

/** The events in a table of transactions. `of` selects the rows of a thing. */
const inTransactions = (table: string, of: string) => ({
  newest: `
      select x.height, x.tx_id as event_id, b.timestamp
      from (select tx_index from ${table} where ${of} order by tx_index desc limit 1) e
      join transactions x on x.tx_index = e.tx_index
      join blocks b on b.height = x.height`,
  events: `${table} where ${of} and tx_index >= (select first_tx_index from blocks where height = w.since + 1)`,
});

/** The events in a table with a height and the position of a transaction in its block; `last`: what is known of the height of the newest. */
const atPositions = (table: string, of: string, last = 'true') => ({
  newest: `
      select e.height, x.tx_id as event_id, b.timestamp
      from (select height, position from ${table} where ${of} and ${last} order by height desc, position desc limit 1) e
      join blocks b on b.height = e.height
      join transactions x on x.tx_index = b.first_tx_index + e.position`,
  events: `${table} where ${of} and height > w.since`,
});

type KeyParameters = [keys: readonly Id[], since: readonly number[]];

/** What an address has in a table of stakes. */
const stakedSql = (table: string, balance: string, owner: string) =>
  `(select sum(${balance}) from ${table} where ${owner} = w.key)`;
const IN_POOLS = stakedSql('pools', 'staker_balance', 'decommission_destination');
const IN_DELEGATIONS = stakedSql('delegations', 'balance', 'spend_destination');

export const listWatchedAddresses = queryFunction<KeyParameters, WatchedRow>({
  name: 'watched_addresses',
  parameters: KEYS,
  select: watchedSql({
    value: `coalesce((select amount + locked from balances where owner = w.key and currency = ''), 0)`,
    secondValue: `coalesce(${IN_POOLS}, 0) + coalesce(${IN_DELEGATIONS}, 0)`,
    stakes: `concat_ws(' ', ${IN_POOLS}, ${IN_DELEGATIONS})`,
    orders: `concat((select sum(give_balance + ask_balance) from orders where conclude_destination = w.key and not is_concluded))`,
    ...inTransactions('address_transactions', 'owner = w.key'),
  }),
});

export const listWatchedDelegations = queryFunction<KeyParameters, WatchedRow>({
  name: 'watched_delegations',
  parameters: KEYS,
  select: watchedSql({
    value: 'd.balance',
    secondValue: rewardsSql('d'),
    from: 'left join delegations d on d.delegation_id = w.key',
    ...inTransactions('delegation_transactions', 'delegation_id = w.key'),
  }),
});

export const listWatchedPools = queryFunction<KeyParameters, WatchedRow>({
  name: 'watched_pools',
  parameters: KEYS,
  select: watchedSql({
    value: 'p.total_stake',
    secondValue: 'p.staker_rewards + p.delegation_rewards',
    from: 'left join pools p on p.pool_id = w.key',
    newest: `
      select height, block_id as event_id, timestamp from blocks
      where pool_id = w.key order by height desc limit 1`,
    events: 'blocks where pool_id = w.key and height > w.since',
  }),
});

export const listWatchedTokens = queryFunction<KeyParameters, WatchedRow>({
  name: 'watched_tokens',
  parameters: KEYS,
  select: watchedSql({
    value: 'k.circulating_supply',
    from: 'left join tokens k on k.token_id = w.key',
    ...atPositions('token_events', 'token_id = w.key'),
  }),
});

export const listWatchedNfts = queryFunction<KeyParameters, WatchedRow>({
  name: 'watched_nfts',
  parameters: KEYS,
  select: watchedSql({ value: 'null::numeric', ...inTransactions('token_transactions', 'token_id = w.key') }),
});

/** An event is a trade. The bid, the ask and the open orders may change without one. */
export const listWatchedMarkets = queryFunction<
  [bases: readonly Currency[], quotes: readonly Currency[], since: readonly number[]],
  WatchedRow
>({
  name: 'watched_markets',
  parameters: { bases: 'bytea[]', quotes: 'bytea[]', since: 'integer[]' },
  select: watchedSql({
    things: 'unnest(:bases, :quotes, :since) with ordinality w (base, quote, since, place)',
    value: 'm.last_quote',
    secondValue: 'm.last_base',
    orders: `concat_ws(' ', m.open_orders,
             (select max(price) from price_levels where ask_currency = w.base and give_currency = w.quote),
             (select max(price) from price_levels where ask_currency = w.quote and give_currency = w.base))`,
    from: 'left join markets m on m.base = w.base and m.quote = w.quote',
    ...atPositions('fills', 'base = w.base and quote = w.quote and price_base is not null', 'height = m.last_height'),
  }),
});

/** The most changes of an address that are summed up. */
const MAX_SUMMED_CHANGES = 500;

/** A token that an address has more or less of. */
interface TokenChangeRow {
  readonly place: number;
  readonly currency: Currency;
  readonly change: Atoms;
}

/** Lists what addresses have more or less of tokens since a block each, by place and token; nothing of an address with too many changes. */
export const listWatchedTokenChanges = queryFunction<
  [keys: readonly Destination[], since: readonly number[], rowLimit: number],
  TokenChangeRow
>({
  name: 'watched_token_changes',
  parameters: { ...KEYS, row_limit: 'integer' },
  select: `
    select w.place, c.currency, c.change
    from unnest(:keys, :since) with ordinality w (key, since, place)
    cross join lateral (
      select r.currency, sum(r.change) as change
      from (
        select currency, change, count(*) over () as total
        from (
          select currency, change from balance_changes where owner = w.key and height > w.since
          limit ${MAX_SUMMED_CHANGES + 1}
        ) counted
      ) r
      where r.total <= ${MAX_SUMMED_CHANGES} and r.currency > ''
      group by r.currency having sum(r.change) <> 0
      order by r.currency limit :row_limit
    ) c
    order by w.place, c.currency`,
});
