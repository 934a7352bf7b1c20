/** Checks that counts and marks are those of the rows that they are about, one SQL query per check. */
import { MONTH_SECONDS } from '../../chain/apr-units.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import type { TableCheck } from './check-result.ts';

/** Blocks of the last seconds up to the tip's timestamp. */
const inWindow = (seconds: number) => `b.timestamp > t.timestamp - ${seconds} and b.timestamp <= t.timestamp`;

export const COUNT_CHECKS: readonly TableCheck[] = [
  {
    name: 'a pool made the blocks that it says, in all and in the windows up to the tip',
    of: 'pools',
    differences: `
      select format('pool %s: %s, %s, %s, rate %s, not %s, %s, %s, rate %s', encode(pool_id, 'hex'), blocks_total, blocks_day,
                    blocks_month, month_rate, b.total, b.day, b.month, b.rate) as what
        from pools
             full join (select b.pool_id, count(*) as total, count(*) filter (where ${inWindow(DAY_SECONDS)}) as day,
                               count(*) filter (where ${inWindow(MONTH_SECONDS)}) as month,
                               sum(reward_rate) filter (where ${inWindow(MONTH_SECONDS)}) as rate
                          from blocks b, chain_tip t where pool_id is not null and b.height > 0 group by pool_id) as b using (pool_id)
       where (blocks_total, blocks_day, blocks_month, month_rate) is distinct from
             (coalesce(total, 0)::integer, coalesce(day, 0)::integer, coalesce(month, 0)::integer, coalesce(rate, 0))`,
  },
  {
    name: 'a pool has as many delegations with something in them as it says',
    of: 'pools',
    differences: `
      select format('pool %s: %s, not %s', encode(pool_id, 'hex'), delegation_count, count) as what
        from pools left join (select pool_id, count(*) from delegations where balance > 0 group by pool_id) as d using (pool_id)
       where delegation_count <> coalesce(count, 0)`,
  },
  {
    name: 'each currency has as many holders as it says',
    of: 'statistics',
    differences: `
      select format('currency %s: %s, not %s', encode(currency, 'hex'), holders, count) as what
        from statistics full join (select currency, count(*) from balances group by currency) as b using (currency)
       where coalesce(holders, 0) <> coalesce(count, 0)`,
  },
  {
    name: 'a spend names the owner of the output whose history does not have it',
    of: 'spends',
    differences: `
      select format('%s/%s/%s: %s, not %s', height, position, output_index, encode(unlisted_owner, 'hex'),
                    encode(should, 'hex')) as what
        from (
          select s.*, (select w.owner from (values (o.owner), (o.refund_owner)) as w (owner)
                        where w.owner is not null and not exists (
                          select from address_transactions a
                           where a.owner = w.owner and a.tx_index = b.first_tx_index + s.spent_position)) as should
            from spends s join outputs o using (height, position, output_index) join blocks b on b.height = s.spent_height
        ) as spent
       where unlisted_owner is distinct from should`,
  },
  {
    name: 'an HTLC is found by the hash of its secret, and nothing else is',
    of: 'outputs where secret_hash is not null',
    differences: `
      select format('%s/%s/%s', height, position, output_index) as what from outputs
       where encode(secret_hash, 'hex') is distinct from
             substring(entry from '"secret_hash":\\{"hex":"([0-9a-f]+)"')`,
  },
];
