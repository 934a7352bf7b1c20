/**
 * Counts of days that are over, which need more than the ledger knows: the addresses of a day, and the largest pools. A day is
 * counted when the first block of a later day is committed; after a bulk sync, when the indexes are there.
 */
import type pg from 'pg';
import { inDatabaseTransaction } from '../postgres/in-transaction.ts';
import { sqlStatement, type WriteStatement } from './transferable-statements.ts';

/** The pools whose stake together is counted. */
const LARGEST_POOLS = 10;

/**
 * The days that are over and not counted yet, the oldest first, with the transactions from `first` on and below `below`.
 * Parameters: the most days; also before the index is ready?
 */
const OPEN_DAYS = `
    select d.day, n.height, a.first_tx_index as first, z.first_tx_index as below, m.first_tx_index as month_first
    from (select height, day from days
           where height > coalesce((select height from days where day <= (select max(day) from day_counts)
                                     order by height desc limit 1), -1)
             and ($2 or (select is_ready from chain_tip))
           order by height limit $1) d
    cross join lateral (select height from days where height > d.height order by height limit 1) n
    cross join lateral (select first_tx_index from blocks where height = d.height) a
    cross join lateral (select first_tx_index from blocks where height = n.height) z
    cross join lateral (
      select b.first_tx_index
      from (select height from days
             where height <= d.height and day >= date_trunc('month', date '1970-01-01' + d.day)::date - date '1970-01-01'
             order by height limit 1) f
      join blocks b using (height)
    ) m`;

/**
 * The rows of a day in `address_transactions` lie together, and a BRIN index finds them. No other index has `ctid`: without
 * the condition of `ctid` PostgreSQL may search the index of owners instead, once for each owner that there is. An owner's
 * transactions before a day are found on the earlier days of the same statement (`previous`: the first transaction of the last
 * day on which the owner was active). The index is asked only for owners without such a day. The writer has no hash and merge
 * joins, so `counts` would be computed for each day if it were not materialized.
 */
const COUNT_DAYS = `
  with open_days as materialized (${OPEN_DAYS}),
  counts as materialized (
    select a.day, count(*) as active, count(*) filter (where a.previous is null and e.tx_index is null) as new,
           count(*) filter (where coalesce(a.previous, e.tx_index, -1) < a.month_first) as new_in_month
    from (select o.day, o.first, o.month_first, w.owner, lag(o.first) over (partition by w.owner order by o.day) as previous
            from open_days o
            cross join lateral (
              select distinct owner from address_transactions
               where tx_index >= o.first and tx_index < o.below and ctid > '(0,0)') w) a
    left join lateral (
      select tx_index from address_transactions
      where a.previous is null and owner = a.owner and tx_index < a.first order by tx_index desc limit 1
    ) e on true
    group by a.day
  )
  insert into day_counts (height, day, active_addresses, new_addresses, new_in_month, largest_pools_stake, staked)
  select o.height, o.day, coalesce(c.active, 0), coalesce(c.new, 0), coalesce(c.new_in_month, 0), p.stake, h.staked
  from open_days o
  left join counts c using (day)
  cross join lateral (
    select coalesce(sum(s.stake), 0) as stake
    from (
      select case when changed_day <= o.day then total_stake
                  else (select s.staker_balance + s.delegations_balance from pool_days s
                         where s.pool_id = p.pool_id and s.day <= o.day order by s.day desc limit 1) end as stake
      from pools p where p.creation_height < o.height
      order by stake desc nulls last limit ${LARGEST_POOLS}
    ) s
  ) p
  cross join lateral (
    select staked from hours where hour < (o.day + 1) * 24 order by hour desc limit 1
  ) h`;

/** The most days to count: more than the blocks of one transaction can end. */
const ALL = 100_000;

/**
 * Counts the days that blocks of the same transaction ended; they come last in it. Before the index is ready it counts none:
 * it would read all addresses for each day, and {@link countDays} does it later.
 */
export function dayCountStatement(): WriteStatement {
  return sqlStatement(COUNT_DAYS, `${ALL}`, 'false');
}

/** Days that are counted at once after a bulk sync. */
const DAYS_AT_ONCE = 200;

/** Counts all days that are over, in transactions of their own, with the indexes for reading. Readers notice. */
export async function countDays(client: pg.Client): Promise<void> {
  for (;;) {
    const count = await inDatabaseTransaction(client, async () => {
      const { rowCount } = await client.query(COUNT_DAYS, [DAYS_AT_ONCE, true]);
      if (rowCount !== 0) await client.query('update chain_tip set revision = revision + 1 where is_ready');
      return rowCount;
    });
    if (count === null || count < DAYS_AT_ONCE) return;
  }
}

/** Removes the counts that blocks above a height completed, within the client's transaction. */
export async function deleteDayCountsAbove(client: pg.Client, height: number): Promise<void> {
  await client.query('delete from day_counts where height > $1', [height]);
}
