/** Consistency checks between the tables, one SQL query per check. */
import { MEDIAN_TIME_SPAN } from '../../chain/networks/network.ts';
import type { TableCheck } from './check-result.ts';

const HISTORIES = ['address_transactions', 'token_transactions'] as const;

export const TIP_CHECK: TableCheck = {
  name: 'the tip is the newest block, with the median time and the number of transactions there',
  of: 'chain_tip',
  differences: `
    select format('the tip says height %s, block %s', t.height, encode(t.block_id, 'hex')) as what
      from chain_tip t left join blocks b on b.height = t.height
     where b.block_id is distinct from t.block_id or b.timestamp is distinct from t.timestamp
        or t.transaction_count is distinct from b.first_tx_index + b.tx_count
        or exists (select from blocks above where above.height > t.height)
        or t.median_time is distinct from (
             select timestamp
               from (select timestamp from blocks where height <= t.height order by height desc limit ${MEDIAN_TIME_SPAN}) as newest
              order by timestamp offset least(t.height + 1, ${MEDIAN_TIME_SPAN}) / 2 limit 1)`,
};

export const CROSS_TABLE_CHECKS: readonly TableCheck[] = [
  TIP_CHECK,
  {
    name: 'deposits and withdrawals of each delegation are those of its transactions',
    of: 'delegation_transactions',
    differences: `
      select format('delegation %s: %s in, %s out; its transactions: %s in, %s out', encode(delegation_id, 'hex'),
                    g.deposited, g.withdrawn, m.deposited, m.withdrawn) as what
        from delegations g
             full join (select m.delegation_id, sum(m.deposited) as deposited, sum(m.withdrawn) as withdrawn
                          from delegation_transactions m join transactions using (tx_index) group by 1) m using (delegation_id)
       where g.deposited is distinct from coalesce(m.deposited, 0) or g.withdrawn is distinct from coalesce(m.withdrawn, 0)`,
  },
  {
    name: 'each block follows the one below it',
    of: 'blocks',
    differences: `
      select format('block %s does not follow block %s', height, below) as what
        from (select height, substring(header from '"previous_block_id":"([0-9a-f]{64})"') as parent,
                     lag(height) over by_height as below, encode(lag(block_id) over by_height, 'hex') as id_below
                from blocks window by_height as (order by height)) as pair
       where height is distinct from coalesce(below + 1, 0) or (height > 0 and parent is distinct from id_below)`,
  },
  {
    name: 'transactions are numbered without gaps, block by block',
    of: 'blocks',
    differences: `
      select format('block %s: first %s, count %s', height, first_tx_index, tx_count) as what
        from (select *, lag(first_tx_index + tx_count, 1, 0::bigint) over (order by height) as expected from blocks) as b
       where first_tx_index <> expected`,
  },
  {
    name: 'each block has as many transactions as it says',
    of: 'transactions',
    differences: `
      select format('block %s: %s transactions from %s to %s, it says %s from %s',
                    height, coalesce(count, 0), first, last, tx_count, first_tx_index) as what
        from (select height, count(distinct tx_index) as count, min(tx_index) as first, max(tx_index) as last
                from transactions group by height) as t
             full join blocks b using (height)
       where coalesce(count, 0) is distinct from tx_count
          or (count > 0 and (first <> first_tx_index or last <> first_tx_index + tx_count - 1))`,
  },
  {
    name: 'every spend has its output, below or beside it',
    of: 'spends',
    differences: `
      select format('%s/%s/%s', height, position, output_index) as what
        from spends left join outputs using (height, position, output_index)
       where outputs.owner is null or spent_height < height or spent_height > (select height from chain_tip)`,
  },
  {
    name: 'what is unspent is what was created and not spent',
    of: 'utxos',
    differences: `
      select format('%s/%s/%s', height, position, output_index) as what
        from (select height, position, output_index, owner, refund_owner from outputs
               where not exists (select from spends where (spends.height, spends.position, spends.output_index)
                                                        = (outputs.height, outputs.position, outputs.output_index))) as o
             full join utxos u using (height, position, output_index)
       where o.owner is distinct from u.owner or o.refund_owner is distinct from u.refund_owner`,
  },
  {
    name: 'no output is locked that the tip has unlocked',
    of: 'utxos where unlock_height is not null or unlock_time is not null',
    differences: `
      select format('%s, until height %s, time %s', encode(outpoint, 'hex'), unlock_height, unlock_time) as what
        from utxos, chain_tip where unlock_height <= chain_tip.height or unlock_time <= median_time`,
  },
  ...HISTORIES.map((table) => ({
    name: `every line of ${table} names its transaction`,
    of: table,
    differences: `
      select format('transaction %s', tx_index) as what
        from ${table} h left join transactions t using (tx_index) where t.tx_id is distinct from h.tx_id`,
  })),
  {
    name: 'the delegated total of a pool is the sum of its delegations',
    of: 'pools',
    differences: `
      select format('pool %s: %s, the delegations have %s', encode(pool_id, 'hex'), delegations_balance, sum) as what
        from pools full join (select pool_id, sum(balance) from delegations group by pool_id) as d using (pool_id)
       where delegations_balance is distinct from coalesce(sum, 0)`,
  },
  {
    name: 'an NFT belongs to whose balance it is',
    of: 'nfts',
    differences: `
      select format('NFT %s', encode(token_id, 'hex')) as what
        from nfts left join (select currency, (array_agg(owner))[1] as holder, sum(total) as total, count(*) as holders
                               from balances group by currency) as b on currency = token_id
       where nfts.owner is distinct from b.holder or coalesce(b.total, 1) <> 1 or coalesce(b.holders, 1) <> 1`,
  },
  {
    name: 'orders keep within what they began with',
    of: 'orders',
    differences: `
      select format('order %s', encode(order_id, 'hex')) as what from orders
       where ask_balance < 0 or give_balance < 0 or ask_balance > initially_asked or give_balance > initially_given
          or (is_concluded and (ask_balance <> 0 or give_balance <> 0)) or concluded_height < creation_height
          or exists (select from fills f where f.order_id = orders.order_id and f.height > orders.concluded_height)`,
  },
  {
    name: 'the order book is the sum of the open orders',
    of: 'price_levels',
    differences: `
      select format('%s for %s at %s: %s orders, %s are open', encode(give_currency, 'hex'), encode(ask_currency, 'hex'),
                    price, order_count, count) as what
        from price_levels l
             full join (select ask_currency, give_currency, div(give_balance * 1e78, ask_balance) as price, count(*),
                               sum(ask_balance) as ask, sum(give_balance) as give
                          from orders where is_open and give_balance > 0
                         group by ask_currency, give_currency, div(give_balance * 1e78, ask_balance)) as o
             using (ask_currency, give_currency, price)
       where (order_count, ask_balance, give_balance) is distinct from (count::integer, ask, give)`,
  },
  {
    name: 'what is staked is what pools and delegations have',
    of: `statistics where currency = ''`,
    differences: `
      select format('the total says %s, they have %s', staked, found) as what
        from statistics, (select (select coalesce(sum(staker_balance), 0) from pools)
                               + (select coalesce(sum(balance), 0) from delegations) as found) as s
       where currency = '' and staked <> found`,
  },
  // Tokens may be fewer, for a transaction can spend them and give them to nobody. So may coins where blocks are made without
  // proof of stake: nobody gets their fees (docs/indexing-rules.md#reward-distribution).
  {
    name: 'what circulates is what balances, contracts, orders and stakes hold',
    of: 'statistics',
    differences: `
      with place (currency, amount) as (
        select currency, total from balances
        union all select htlc_currency, htlc_amount from utxos where htlc_amount is not null
        union all select give_currency, give_balance from orders where not is_concluded
        union all select ask_currency, initially_asked - ask_balance from orders where not is_concluded
        union all select ''::bytea, staker_balance from pools
        union all select ''::bytea, balance from delegations)
      select format('%s: %s circulate, %s are held', coalesce(nullif(encode(currency, 'hex'), ''), 'coins'), says, found) as what
        from (select currency, coalesce(circulating_supply, 0) as says, coalesce(found, 0) as found
                from statistics full join (select currency, sum(amount) as found from place group by currency) as p
                     using (currency)) as sums
       where found > says or (found < says and currency = ''
                              and not exists (select from blocks where pool_id is null and height > 0 and tx_count > 0))`,
  },
  {
    name: 'a token circulates at most as much as was minted and not unminted',
    of: 'tokens',
    differences: `
      select format('token %s: %s, of %s minted', encode(token_id, 'hex'), s.circulating_supply, t.circulating_supply) as what
        from tokens t left join statistics s on currency = token_id
       where coalesce(s.circulating_supply, 0) > t.circulating_supply`,
  },
  {
    name: 'the undo records lead back from the tip without a gap',
    of: 'undo',
    differences: `
      select format('%s records from height %s to %s, the tip is at %s', count, lowest, highest, height) as what
        from (select count(*), min(undo.height) as lowest, max(undo.height) as highest from undo) as u, chain_tip
       where (count > 0 and (highest <> height or count <> highest - lowest + 1)) or (count = 0 and is_ready and height > 0)`,
  },
];
