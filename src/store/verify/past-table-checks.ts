/** Checks that what was leads to what is, one SQL query per check. */
import type { TableCheck } from './cross-table-checks.ts';

export const PAST_CHECKS: readonly TableCheck[] = [
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
];
