/** Balances, stakes and supply as they were after a block. */
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms, Destination } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';
import { POINT_COLUMNS, POINT_SQL, type PointBlockRow } from '../blocks/chain-points.ts';
import type { StatisticsRow } from '../tokens/currency-statistics.ts';
import { CURRENCY_LABEL_COLUMNS, currencyLabelJoinsSql, type TokenLabelRow } from '../tokens/tokens.ts';

/** A balance of an address after a block; in all rows what its pools and delegations held. */
export interface BalanceAtRow extends PointBlockRow, TokenLabelRow {
  /** The height that the stakes are of; null before the first UTC day of the chain has ended. */
  readonly staked_height: number | null;
  /** What the stakers of its pools had: pledge and rewards. */
  readonly pools: Atoms;
  readonly delegations: Atoms;
  /** Did it have a transaction by then? Not all of them change a balance. */
  readonly has_transactions: boolean;
  /** Null in the one row of an address that never had a balance by then. */
  readonly currency: Currency | null;
  /** Time-locked or not; 0 for a currency that it had before. */
  readonly balance: Atoms | null;
  readonly locked: Atoms | null;
}

/** What a pool's staker or a delegation had (`balance`) at the end of the day `d.day`. */
const stakeAtSql = (days: string, id: string, balance: string) => `
      case when changed_day <= d.day then ${balance}
           else coalesce((select s.${balance} from ${days} s where s.${id} = ${days}_of.${id} and s.day <= d.day
                          order by s.day desc limit 1), 0) end`;

/** The stakes of `:owner` after the block `b`, or at the end of the UTC day before it. */
const STAKES_SQL = `
    select e.height as staked_height,
           (select coalesce(sum(${stakeAtSql('pool_days', 'pool_id', 'staker_balance')}), 0) from pools as pool_days_of
             where decommission_destination = :owner and creation_height <= e.height) as pools,
           (select coalesce(sum(${stakeAtSql('delegation_days', 'delegation_id', 'balance')}), 0) from delegations as delegation_days_of
             where spend_destination = :owner and creation_height <= e.height) as delegations
    from (
      select case when b.height = (select height from chain_tip) or exists (select from days where height = b.height + 1) then b.height
                  else (select height - 1 from days where height <= b.height order by height desc limit 1) end as height
      offset 0
    ) e
    cross join lateral (select day from days where height <= e.height order by height desc limit 1) d`;

/** Each currency that an owner ever had, with its balance after the block `b`: a descent of the index for each. */
export const currenciesSql = (owner: string) => `
    with recursive held as (
      (select currency from balance_changes where owner = ${owner} order by currency limit 1)
      union all
      select (select n.currency from balance_changes n
              where n.owner = ${owner} and n.currency > held.currency order by n.currency limit 1)
      from held where held.currency is not null
    )
    select held.currency, l.balance, l.locked
    from held
    cross join lateral (
      select balance, locked from balance_changes
      where owner = ${owner} and currency = held.currency and height <= b.height
      order by height desc, position desc limit 1
    ) l
    where held.currency is not null`;

/** Reads the balances of an address after a block; no row if there is no such block. */
export const listBalancesAt = queryFunction<
  [owner: Destination, height: number | null, time: bigint | null],
  BalanceAtRow
>({
  name: 'balances_at',
  parameters: { owner: 'bytea', ...POINT_COLUMNS },
  select: `
    select b.height, b.block_id, b.timestamp, s.staked_height, coalesce(s.pools, 0) as pools,
           coalesce(s.delegations, 0) as delegations, a.has_transactions, c.currency, c.balance, c.locked, ${CURRENCY_LABEL_COLUMNS}
    from (${POINT_SQL}) b
    left join lateral (${STAKES_SQL}) s on true
    cross join lateral (
      select exists (
        select from address_transactions
        where owner = :owner and tx_index < (select first_tx_index + tx_count from blocks where height = b.height)
      ) as has_transactions
      offset 0
    ) a
    left join lateral (${currenciesSql(':owner')}) c on true${currencyLabelJoinsSql('c.currency')}`,
});

/** The statistics of a currency after a block. `exists`: was it issued by then? */
export type StatisticsAtRow = StatisticsRow & PointBlockRow;

/** Reads the statistics of a token, an NFT or the coin after a block; no row if there is no such block. */
export const getStatisticsAt = queryFunction<
  [currency: Currency, height: number | null, time: bigint | null],
  StatisticsAtRow
>({
  name: 'statistics_at',
  parameters: { currency: 'bytea', ...POINT_COLUMNS },
  select: `
    select b.height, b.block_id, b.timestamp,
           :currency = '' or coalesce(coalesce(k.creation_height, n.creation_height) <= b.height, false) as exists,
           coalesce(s.circulating_supply, 0) as circulating_supply, coalesce(s.preminted, 0) as preminted,
           coalesce(s.burned, 0) as burned, coalesce(s.staked, 0) as staked,
           k.decimals, k.total_supply, e.supply as token_circulating_supply
    from (${POINT_SQL}) b
    left join tokens k on k.token_id = :currency
    left join nfts n on n.token_id = :currency
    left join lateral (
      select circulating_supply, preminted, burned, staked from supplies
      where currency = :currency and height <= b.height order by height desc limit 1
    ) s on true
    left join lateral (
      select supply from token_events
      where k.token_id is not null and token_id = :currency and height <= b.height
      order by height desc, position desc, event_index desc limit 1
    ) e on true`,
});

/** Reads what an address had of each currency after the block at a height, time-locked or not. */
export const listBalancesOfOwnerAt = queryFunction<
  [owner: Destination, height: number],
  { readonly currency: Currency; readonly balance: Atoms; readonly locked: Atoms }
>({
  name: 'held_at',
  parameters: { owner: 'bytea', height: 'integer' },
  select: `
    select c.currency, c.balance, c.locked
    from (select :height::integer as height) b
    cross join lateral (${currenciesSql(':owner')}) c
    order by c.currency`,
});
