/** Checks that candles and markets are what fills and orders say, one SQL query per check. */
import type { TableCheck } from './check-result.ts';

/** The fills with a price, and the beginnings of their hours, days and weeks, counted from a Monday. */
const TRADES = `
  select f.*, array[div(price_quote * 1e78, price_base), price_quote / gcd(price_quote, price_base),
                    price_base / gcd(price_quote, price_base)] as price,
         row_number() over (order by f.height, f.position, input_index) as place, s.hours,
         case s.hours when 1 then b.timestamp / 3600 * 3600 when 24 then b.timestamp / 86400 * 86400
              else 345600 + floor((b.timestamp - 345600) / 604800.0)::bigint * 604800 end as start
    from fills f join blocks b on b.height = f.height, unnest(array[1, 24, 168]) as s (hours)
   where price_base is not null`;

export const MARKET_CHECKS: readonly TableCheck[] = [
  {
    name: 'each fill is in the market of its order, at its price, and at the time of its block',
    of: 'fills',
    differences: `
      select format('block %s, transaction %s: %s in %s', f.height, position, encode(base, 'hex'), encode(quote, 'hex')) as what
        from fills f left join orders o using (order_id) left join blocks b on b.height = f.height
       where (base, quote) is distinct from (case when is_buy then give_currency else ask_currency end,
                                             case when is_buy then ask_currency else give_currency end)
          or (price_base, price_quote) is distinct from
             (case when 0 in (base_amount, quote_amount) then null when is_buy then initially_given else initially_asked end,
              case when 0 in (base_amount, quote_amount) then null when is_buy then initially_asked else initially_given end)
          or (quote <> '' and base > quote) or (quote <> '' and base = '') or f.timestamp is distinct from b.timestamp`,
  },
  {
    name: 'each candle is what its trades say',
    of: 'candles',
    differences: `
      select format('%s in %s, %s hours from %s', encode(base, 'hex'), encode(quote, 'hex'), hours, start) as what
        from candles c
             full join (select base, quote, hours, start, count(*), min(height) as first, max(height) as last,
                               sum(base_amount) as in_base, sum(quote_amount) as in_quote,
                               max(price) as high, min(price) as low,
                               min(array[place] || price) as open, max(array[place] || price) as close
                          from (${TRADES}) as t group by base, quote, hours, start) as t
             using (base, quote, hours, start)
       where (trades, first_height, last_height, base_volume, quote_volume, open_quote, open_base, high_quote, high_base,
              low_quote, low_base, close_quote, close_base) is distinct from
             (count::integer, first, last, in_base, in_quote, open[3], open[4], high[2], high[3],
              low[2], low[3], close[3], close[4])`,
  },
  {
    name: 'each market has its trades and open orders',
    of: 'markets',
    differences: `
      select format('%s in %s', encode(base, 'hex'), encode(quote, 'hex')) as what
        from markets m
             full join (select base, quote, count(*) as trades, max(array[place, height, price_base, price_quote]) as last
                          from (${TRADES}) as t where hours = 1 group by base, quote) as t using (base, quote)
             full join (select case when '' in (ask_currency, give_currency) then greatest(ask_currency, give_currency)
                                    else least(ask_currency, give_currency) end as base,
                               case when '' in (ask_currency, give_currency) then ''
                                    else greatest(ask_currency, give_currency) end as quote, count(*) as orders
                          from orders where is_open group by 1, 2) as o using (base, quote)
       where (m.trades, m.open_orders, m.last_height, m.last_base, m.last_quote) is distinct from
             (coalesce(t.trades, 0)::integer, coalesce(o.orders, 0)::integer, coalesce(last[2], -1)::integer, last[3], last[4])`,
  },
];
