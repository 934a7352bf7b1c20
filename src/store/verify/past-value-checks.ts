/** Checks that stored past values end in the present values, one SQL query per check. */
import type { TableCheck } from './check-result.ts';

export const PAST_VALUE_CHECKS: readonly TableCheck[] = [
  {
    name: 'each balance is that of its newest change',
    of: 'balances',
    differences: `
      select format('%s in %s: %s, of it %s locked, its newest change says %s and %s', encode(owner, 'hex'),
                    encode(currency, 'hex'), b.total, b.locked, n.balance, n.locked) as what
        from balances b
             full join (select distinct on (owner, currency) owner, currency, balance, locked from balance_changes
                         order by owner, currency, height desc, position desc) as n using (owner, currency)
       where (coalesce(b.total, 0), coalesce(b.locked, 0)) is distinct from (n.balance, n.locked)`,
  },
  {
    name: 'the statistics of a currency are those after the newest block that changed its supply',
    of: 'statistics',
    differences: `
      select format('currency %s', encode(currency, 'hex')) as what
        from statistics s
             full join (select distinct on (currency) * from supplies order by currency, height desc) as n using (currency)
       where (coalesce(s.circulating_supply, 0), coalesce(s.preminted, 0), coalesce(s.burned, 0), coalesce(s.staked, 0))
             is distinct from
             (coalesce(n.circulating_supply, 0), coalesce(n.preminted, 0), coalesce(n.burned, 0), coalesce(n.staked, 0))`,
  },
  {
    name: 'each token and NFT has the event of its issuance',
    of: "token_events where kind in ('token_issue', 'nft_issue')",
    differences: `
      select format('token %s', encode(token_id, 'hex')) as what
        from (select token_id, creation_height as height, 'token_issue' as kind from tokens
              union all select token_id, creation_height, 'nft_issue' from nfts) as t
             full join (select * from token_events where kind in ('token_issue', 'nft_issue')) as e
             using (token_id, height, kind)
       where t.token_id is null or e.token_id is null`,
  },
  {
    name: 'each day begins with the first block that is of it',
    of: 'days',
    differences: `
      select format('block %s: day %s, not %s', height, d.day, b.day) as what
        from days d
             full join (select height, day
                          from (select height, day, lag(day) over (order by height) as before
                                  from (select height, max(timestamp / 86400) over (order by height) as day from blocks) as b) as b
                         where day is distinct from before) as b using (height)
       where d.day is distinct from b.day`,
  },
  {
    name: 'the last hours of days, weeks and months are marked',
    of: 'hours',
    differences: `
      select format('hour %s', hour) as what
        from (select *, date_trunc('day', start) is distinct from lead(date_trunc('day', start)) over by_hour as is_last_of_day,
                     date_trunc('week', start) is distinct from lead(date_trunc('week', start)) over by_hour as is_last_of_week,
                     date_trunc('month', start) is distinct from lead(date_trunc('month', start)) over by_hour as is_last_of_month
                from (select *, to_timestamp(hour * 3600::bigint) at time zone 'UTC' as start from hours) as h
              window by_hour as (order by hour)) as h
       where (ends_day, ends_week, ends_month) <> (is_last_of_day, is_last_of_week, is_last_of_month)`,
  },
  {
    name: 'each day that is over has the counts of its addresses and the stake of its largest pools',
    of: 'day_counts',
    differences: `
      with ends as (select day, lead(height) over (order by height) as next_height from days),
           seen as (select owner, day, lag(day) over (partition by owner order by day) as before
                      from (select distinct a.owner, b.day
                              from address_transactions a
                                   join transactions t using (tx_index)
                                   join (select height, max(timestamp / 86400) over (order by height) as day from blocks) as b
                                        using (height)) as s),
           addresses as (select day, count(*) as active, count(*) filter (where before is null) as new,
                                count(*) filter (where before is null or date_trunc('month', date '1970-01-01' + before::int)
                                                                       < date_trunc('month', date '1970-01-01' + day::int)) as new_in_month
                           from seen group by day),
           stakes as (select pool_id, day, staker_balance + delegations_balance as stake from pool_days
                      union all select pool_id, changed_day, total_stake from pools),
           largest as (select e.day, (select coalesce(sum(stake), 0)
                                        from (select stake
                                                from (select distinct on (pool_id) stake from stakes
                                                       where day <= e.day order by pool_id, day desc) as of_day
                                               order by stake desc limit 10) as ten) as stake
                         from ends e where next_height is not null),
           should as (select e.next_height as height, e.day, coalesce(a.active, 0), coalesce(a.new, 0), coalesce(a.new_in_month, 0),
                             l.stake, (select staked from supplies s where currency = '' and s.height < e.next_height
                                        order by s.height desc limit 1)
                        from ends e join largest l using (day) left join addresses a using (day))
      select format('day %s', coalesce(c.day, s.day)) as what
        from day_counts c full join should s using (day) where c::text is distinct from s::text`,
  },
];
