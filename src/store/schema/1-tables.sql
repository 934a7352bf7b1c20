-- The tables. State tables (one row per thing that can change) get their keys in 2-ledger-indexes.sql at the end of the first
-- transaction of blocks: the ledger reads and changes them by key from then on. Append-only tables (one row per thing
-- that happened) get theirs with the other indexes in 3-indexes.sql, which in a bulk sync runs once at the end.
--
-- Ids and destinations are raw bytes. A currency is a token id, or the empty byte string for the coin. Amounts are
-- atoms. Texts are finished JSON: made once when the block is indexed, sent as they are. They stay in their rows up to
-- nearly a page and are never compressed: compressing cost more time than all the rest of writing a row. The planner needs
-- no statistics of them.

create table meta (
  name  text primary key,
  value text not null
);

-- One row: the tip that readers see. The revision grows with every commit, so that a reader notices any change by one
-- number. It starts at the clock (milliseconds), so that a rebuilt index never repeats a revision of the previous one.
create table chain_tip (
  is_only           boolean primary key default true check (is_only),
  revision          bigint  not null,
  height            integer not null,
  block_id          bytea   not null,
  timestamp         bigint  not null,
  median_time       bigint  not null,
  transaction_count bigint  not null,
  -- false during a bulk sync, while the indexes for reading do not exist
  is_ready          boolean not null
);

-- ------------------------------------------------------------------------------------------------ what happened

-- The main chain; the genesis has height 0. place: "block_id":…,"height":…,"timestamp":…, for objects that name a
-- block. median_time: the median time past, including this block. size: the bytes of the encoded block. kinds: the
-- number of transactions of each kind, as a JSON object. *_reward: the shares of subsidy and fees. reward_rate: the
-- reward of 10^18 atoms delegated to the pool.
create table blocks (
  height         integer not null,
  block_id       bytea   not null,
  timestamp      bigint  not null,
  first_tx_index bigint  not null,
  tx_count       integer not null,
  pool_id        bytea,
  reward_hash    bytea   not null,
  header         text    not null,
  reward         text    not null,
  place          text    not null,
  median_time        bigint  not null,
  size               integer not null,
  kinds              text    not null,
  fees               numeric not null,
  staker_reward      numeric not null,
  delegations_reward numeric not null,
  reward_rate        numeric not null
);
alter table blocks alter header set statistics 0, alter reward set statistics 0, alter place set statistics 0,
  alter kinds set statistics 0;

-- tx_index is the dense global index: 0 for the first transaction of block 1. size: with signatures, in bytes.
-- output_count: the number of all outputs, including those that nothing can spend. kind: the number of the kind in
-- TRANSACTION_KINDS (src/ledger/transaction-kind.ts). actors: who gave each of its commands but fills, as a JSON array of
-- addresses; null without such commands.
create table transactions (
  tx_index bigint  not null,
  tx_id    bytea   not null,
  height   integer not null,
  size         integer not null,
  output_count integer not null,
  kind     smallint not null,
  actors   text,
  body     text    not null
) with (toast_tuple_target = 8160);
alter table transactions alter body set storage external, alter body set statistics 0;

-- Every output that was ever in the UTXO set. position: the position of the transaction in its block; the reward comes
-- after the last transaction (position = tx_count). secret_hash: the hash of an HTLC's secret. entry:
-- {"outpoint":…,"utxo":… without the last brace, because fields may follow.
create table outputs (
  height       integer not null,
  position     integer not null,
  output_index integer not null,
  owner        bytea   not null,
  refund_owner bytea,
  secret_hash  bytea,
  entry        text    not null
) with (toast_tuple_target = 8160);
alter table outputs alter entry set storage external, alter entry set statistics 0;

-- The spent outputs and their spenders: position is null for a kernel input. input_index: the index among the inputs of
-- the transaction or of the kernel. secret: the secret that the spend of an HTLC revealed. unlisted_owner: the owner or
-- refund owner of the output whose history does not have the spend, because the kernel of a block spent it, or by the rules
-- of histories; with address_transactions this finds all spends of an address. No output has two of them.
create table spends (
  height         integer not null,
  position       integer not null,
  output_index   integer not null,
  spent_height   integer not null,
  spent_position integer,
  input_index    integer not null,
  secret         bytea,
  unlisted_owner bytea
);

-- The number comes first: after a byte string it would be padded to a multiple of eight bytes, in every row.
create table address_transactions (
  tx_index bigint not null,
  owner    bytea  not null,
  tx_id    bytea  not null
);

create table token_transactions (
  tx_index bigint not null,
  token_id bytea  not null,
  tx_id    bytea  not null
);

-- What each transaction put into a delegation and took out of it.
create table delegation_transactions (
  tx_index      bigint  not null,
  delegation_id bytea   not null,
  deposited     numeric not null,
  withdrawn     numeric not null
);
alter table delegation_transactions alter deposited set statistics 0, alter withdrawn set statistics 0;

-- The owner of an NFT after each transaction that changed it; null if it was burned, or an order or an HTLC holds it.
create table nft_owners (
  token_id bytea  not null,
  tx_index bigint not null,
  owner    bytea
);

-- What each transaction changed of what an owner has of a currency: a row for each owner and currency whose balance an input
-- or an output changed, also if the sum is zero (docs/indexing-rules.md#balances-with-a-past). change: of all that the owner
-- has, time-locked or not. balance, locked: all of it, and the time-locked part of it, after this row. fee: the whole fee of
-- the transaction, in the row of whoever paid it; 0 in all other rows. kinds: a bit for each entry of
-- BALANCE_CHANGE_KINDS (src/ledger/balance-change-kinds.ts). position: the position of the transaction in its block; -1 for
-- locks that end with the block, before its first transaction; the reward, and the genesis, come after the last transaction
-- (position = tx_count).
create table balance_changes (
  height   integer not null,
  position integer not null,
  kinds    integer not null,
  owner    bytea   not null,
  currency bytea   not null,
  change   numeric not null,
  balance  numeric not null,
  locked   numeric not null,
  fee      numeric not null
);
alter table balance_changes alter kinds set statistics 0, alter change set statistics 0, alter balance set statistics 0,
  alter locked set statistics 0, alter fee set statistics 0;

-- The statistics of a currency after each block that changed its supply.
create table supplies (
  height             integer not null,
  currency           bytea   not null,
  circulating_supply numeric not null,
  preminted          numeric not null,
  burned             numeric not null,
  staked             numeric not null
);
alter table supplies alter circulating_supply set statistics 0, alter preminted set statistics 0, alter burned set statistics 0,
  alter staked set statistics 0;

-- What the authority of a token did with it, and the issuance of tokens and NFTs. kind: a kind of transaction
-- (src/ledger/transaction-kind.ts). event_index: the index of the command among the inputs; of an issuance, among the outputs.
-- amount: what was minted or unminted; of an NFT 1. supply: what circulates after it, as in tokens. actor: who gave the
-- command, the authority before it; null for an issuance. authority, metadata_uri: the new ones. is_unfreezable: of a freeze.
create table token_events (
  height         integer not null,
  position       integer not null,
  event_index    integer not null,
  token_id       bytea   not null,
  kind           text    not null,
  amount         numeric,
  supply         numeric not null,
  actor          bytea,
  authority      bytea,
  metadata_uri   bytea,
  is_unfreezable boolean
);

-- The first block of each UTC day of the chain. The day is counted from the epoch, and never goes back: it is the latest day
-- that a block up to there has.
create table days (
  height integer not null,
  day    integer not null
);

-- A delegation, or a pool, at the end of a day in which it changed. The row is written with the first change on a later day
-- (height); until then the row of the delegation or the pool has the same values, and this day as its changed_day. The
-- columns are those of delegations and pools.
create table delegation_days (
  height        integer not null,
  day           integer not null,
  delegation_id bytea   not null,
  balance       numeric not null,
  deposited     numeric not null,
  withdrawn     numeric not null
);
alter table delegation_days alter balance set statistics 0, alter deposited set statistics 0, alter withdrawn set statistics 0;

create table pool_days (
  height              integer not null,
  day                 integer not null,
  blocks_total        integer not null,
  delegation_count    integer not null,
  pool_id             bytea   not null,
  staker_balance      numeric not null,
  delegations_balance numeric not null,
  staker_rewards      numeric not null,
  delegation_rewards  numeric not null,
  effective_stake     numeric not null,
  expected_base       numeric not null
);
alter table pool_days alter staker_balance set statistics 0, alter delegations_balance set statistics 0,
  alter staker_rewards set statistics 0, alter delegation_rewards set statistics 0,
  alter effective_stake set statistics 0, alter expected_base set statistics 0;

-- Each fill of an order: a trade of its market. base, quote: see market_base. is_buy: the taker bought base, which the order
-- gave; otherwise the taker sold it. timestamp: of the block. input_index: of the command among the inputs. price_*: what its
-- order asked and gave at first, which is the price; null where one of the amounts is 0. taker: the owner of the transaction's
-- first input that has one.
create table fills (
  height       integer not null,
  position     integer not null,
  input_index  integer not null,
  is_buy       boolean not null,
  timestamp    bigint  not null,
  order_id     bytea   not null,
  base         bytea   not null,
  quote        bytea   not null,
  base_amount  numeric not null,
  quote_amount numeric not null,
  price_base   numeric,
  price_quote  numeric,
  taker        bytea
);
alter table fills alter is_buy set statistics 0, alter base_amount set statistics 0, alter quote_amount set statistics 0,
  alter price_base set statistics 0, alter price_quote set statistics 0, alter taker set statistics 0;

-- ------------------------------------------------------------------------------------------------------- state

-- The unspent outputs. outpoint: source id, then the index as four bytes, big endian. unlock_*: set while the output is
-- time-locked. refund_*: the height or time from which the refund key of an HTLC may spend it.
create table utxos (
  outpoint      bytea   not null,
  height        integer not null,
  position      integer not null,
  output_index  integer not null,
  owner         bytea   not null,
  refund_owner  bytea,
  unlock_height bigint,
  unlock_time   bigint,
  refund_height bigint,
  refund_time   bigint,
  is_reward     boolean not null,
  htlc_currency bytea,
  htlc_amount   numeric,
  output        bytea   not null
);
alter table utxos alter output set statistics 0;

-- Only balances above zero; amount is spendable, locked is time-locked.
create table balances (
  owner    bytea   not null,
  currency bytea   not null,
  amount   numeric not null check (amount >= 0),
  locked   numeric not null check (locked >= 0),
  total    numeric not null generated always as (amount + locked) stored
);

-- delegation_count: the delegations with a balance. effective_stake: 0 once decommissioned. expected_base: see hours.
-- blocks_day, blocks_month: the blocks of the 24 and 720 hours that end with the timestamp of the tip; month_rate: the sum of
-- the reward_rate of the latter. staker_rewards, delegation_rewards: all that the pool's blocks ever paid. changed_day: the
-- day of the last change of a column of pool_days. apy_rank: the sort key of pools by reward rate, an APR, named after the sort
-- by_apy that clients know; pools to which nothing was delegated come last.
create table pools (
  pool_id                   bytea    not null,
  creation_height           integer  not null,
  pledge                    numeric  not null,
  rewards                   numeric  not null,
  staker_balance            numeric  not null generated always as (pledge + rewards) stored,
  delegations_balance       numeric  not null,
  total_stake               numeric  not null generated always as (pledge + rewards + delegations_balance) stored,
  delegation_count          integer  not null,
  effective_stake           numeric  not null,
  expected_base             numeric  not null,
  blocks_total              integer  not null,
  blocks_day                integer  not null,
  blocks_month              integer  not null,
  month_rate                numeric  not null,
  staker_rewards            numeric  not null,
  delegation_rewards        numeric  not null,
  decommissioned_by         bigint,
  changed_day               integer  not null,
  apy_rank                  numeric  not null generated always as (
    case when month_rate = 0 and delegations_balance = 0 then -1 else month_rate end) stored,
  staker                    bytea    not null,
  decommission_destination  bytea    not null,
  vrf_public_key            bytea    not null,
  margin_ratio_per_thousand smallint not null,
  cost_per_block            numeric  not null
);

-- deposited, withdrawn: all that was ever put in and taken out; the rest of the balance is rewards. changed_day: the day of
-- the last change of the balance, see delegation_days.
create table delegations (
  delegation_id     bytea   not null,
  pool_id           bytea   not null,
  spend_destination bytea   not null,
  balance           numeric not null,
  deposited         numeric not null,
  withdrawn         numeric not null,
  next_nonce        numeric not null,
  creation_height   integer not null,
  changed_day       integer not null
) with (fillfactor = 70);

-- Fungible tokens. unfreezable is null unless frozen. total_supply is null unless Fixed.
create table tokens (
  token_id           bytea    not null,
  creation_height    integer  not null,
  ticker             bytea    not null,
  decimals           smallint not null,
  metadata_uri       bytea    not null,
  total_supply_type  text     not null check (total_supply_type in ('Fixed', 'Lockable', 'Unlimited')),
  total_supply       numeric,
  circulating_supply numeric  not null,
  is_locked          boolean  not null,
  is_frozen          boolean  not null,
  is_freezable       boolean  not null,
  is_unfreezable     boolean,
  authority          bytea    not null,
  next_nonce         numeric  not null
);

-- metadata: the SCALE encoding of the issuance's metadata. owner is null when burned or held by an order or an HTLC.
create table nfts (
  token_id        bytea   not null,
  creation_height integer not null,
  owner           bytea,
  metadata        bytea   not null
);

-- Each substring of each ticker, in lower case, so that a search for any substring is an index scan. is_whole: the
-- substring is the whole ticker.
create table ticker_fragments (
  fragment text    collate "C" not null,
  is_nft   boolean not null,
  is_whole boolean not null,
  token_id bytea   not null
);

-- Fragments of the names of NFTs.
create table name_fragments (
  fragment text    collate "C" not null,
  is_whole boolean not null,
  token_id bytea   not null
);

-- The condition of an open order (docs/indexing-rules.md#open-orders). A generated column cannot use another one, so it
-- is a function. A concluded order has no balances left; the condition names it all the same, to be complete.
-- PostgreSQL inlines the function, so it costs nothing more.
create function is_open_order(is_frozen boolean, is_concluded boolean, ask_balance numeric) returns boolean
  language sql immutable parallel safe
  return not is_frozen and not is_concluded and ask_balance > 0;

-- concluded_height: of the block that concluded it; null before. ask_decimals: null if the token was not issued yet when the order was made; then the tokens table has them, if any.
-- price: for an open order, the amount given per amount asked, of the remaining amounts: floor(give · 10^78 / ask),
-- enough digits to tell any two ratios of 128-bit amounts apart. Null for an order that is not open, or has nothing to
-- give.
create table orders (
  order_id             bytea    not null,
  creation_height      integer  not null,
  conclude_destination bytea    not null,
  ask_currency         bytea    not null,
  ask_decimals         smallint,
  initially_asked      numeric  not null,
  ask_balance          numeric  not null,
  give_currency        bytea    not null,
  give_decimals        smallint not null,
  initially_given      numeric  not null,
  give_balance         numeric  not null,
  next_nonce           numeric  not null,
  is_frozen            boolean  not null,
  concluded_height     integer,
  is_concluded         boolean  not null generated always as (concluded_height is not null) stored,
  is_open              boolean  not null generated always as (is_open_order(is_frozen, concluded_height is not null, ask_balance)) stored,
  price                numeric  generated always as (
    case when is_open_order(is_frozen, concluded_height is not null, ask_balance) and give_balance > 0
      then div(give_balance * 1e78, ask_balance) end) stored
);

-- The order book: the open orders of each exact price, with the sums of their remaining amounts. The triggers below
-- maintain it with every statement that changes orders, also in a reorganisation. The ratio of the sums is the price.
create table price_levels (
  ask_currency bytea   not null,
  give_currency bytea  not null,
  price        numeric not null,
  ask_balance  numeric not null,
  give_balance numeric not null,
  order_count  integer not null,
  primary key (ask_currency, give_currency, price)
);

-- before and after: the changed rows of orders. A level that loses all its orders is deleted, even if new ones come to it.
-- The settings, and joins from the few changed rows to the levels, keep every plan to look-ups by key, whatever the
-- statistics say while the table grows.
create function keep_price_levels() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  if tg_op <> 'INSERT' then
    delete from price_levels l
     using (select ask_currency, give_currency, price, count(*) as count
              from before where price is not null group by ask_currency, give_currency, price) gone
     where l.ask_currency = gone.ask_currency and l.give_currency = gone.give_currency and l.price = gone.price
       and l.order_count = gone.count;
    update price_levels l
       set ask_balance = l.ask_balance - gone.ask, give_balance = l.give_balance - gone.give, order_count = l.order_count - gone.count
      from (select ask_currency, give_currency, price, sum(ask_balance) as ask, sum(give_balance) as give, count(*) as count
              from before where price is not null group by ask_currency, give_currency, price) gone
     where l.ask_currency = gone.ask_currency and l.give_currency = gone.give_currency and l.price = gone.price;
  end if;
  if tg_op <> 'DELETE' then
    insert into price_levels as l
    select ask_currency, give_currency, price, sum(ask_balance), sum(give_balance), count(*)
      from after where price is not null group by ask_currency, give_currency, price
    on conflict (ask_currency, give_currency, price) do update
       set ask_balance = l.ask_balance + excluded.ask_balance, give_balance = l.give_balance + excluded.give_balance,
           order_count = l.order_count + excluded.order_count;
  end if;
  return null;
end $$;

create trigger orders_inserted after insert on orders
  referencing new table as after for each statement execute function keep_price_levels();
create trigger orders_updated after update on orders
  referencing old table as before new table as after for each statement execute function keep_price_levels();
create trigger orders_deleted after delete on orders
  referencing old table as before for each statement execute function keep_price_levels();

-- ------------------------------------------------------------------------------------------------- markets

-- The market of two currencies is written one way: the quote is the coin if it is one of them, otherwise the token whose id
-- sorts higher. The same rule is in src/chain/market.ts.
create function market_base(one bytea, other bytea) returns bytea language sql immutable parallel safe
  return case when least(one, other) = '' then greatest(one, other) else least(one, other) end;
create function market_quote(one bytea, other bytea) returns bytea language sql immutable parallel safe
  return case when least(one, other) = '' then '' else greatest(one, other) end;

-- The markets with trades or open orders. trades: the fills with a price. last_*: the newest of them and its price; last_height
-- is -1 without any.
create table markets (
  base        bytea   not null,
  quote       bytea   not null,
  open_orders integer not null default 0,
  trades      integer not null default 0,
  last_height integer not null default -1,
  last_base   numeric,
  last_quote  numeric,
  primary key (base, quote)
);

-- The trades of a market in an hour, a UTC day, or a week from Monday on (hours: 1, 24, 168). start: its first second. Each
-- price is a ratio in lowest terms, quote/base. Open and close are those of the first and the last trade by their place in
-- the chain. The triggers insert rows by the order of these columns.
create table candles (
  start        bigint   not null,
  hours        smallint not null,
  trades       integer  not null,
  first_height integer  not null,
  last_height  integer  not null,
  base         bytea    not null,
  quote        bytea    not null,
  open_base    numeric  not null,
  open_quote   numeric  not null,
  high_base    numeric  not null,
  high_quote   numeric  not null,
  low_base     numeric  not null,
  low_quote    numeric  not null,
  close_base   numeric  not null,
  close_quote  numeric  not null,
  base_volume  numeric  not null,
  quote_volume numeric  not null,
  primary key (base, quote, hours, start)
);

-- The first second of the hour, day or week of a time. The epoch was a Thursday: three days of its week were over.
create function candle_start(hours integer, at bigint) returns bigint language sql immutable parallel safe
  return at - (at + case hours when 168 then 259200 else 0 end) % (hours * 3600);

-- A price for comparisons: of any two ratios of 128-bit amounts, the greater one has the greater price, or both are equal.
create function ratio_price(quote numeric, base numeric) returns numeric language sql immutable parallel safe
  return div(quote * 1e78, base);

-- A ratio of two amounts, both above 0, in lowest terms.
create function lowest_terms(quote numeric, base numeric) returns numeric[] language sql immutable parallel safe
  return array[div(quote, gcd(quote, base)), div(base, gcd(quote, base))];

-- Keeps candles and markets with every statement that adds fills or, in a reorganisation, removes some. changed: these fills.
-- Fills come in the order of the chain, each block in one statement, so new ones are added to their hours. Where some are
-- removed, their hours are counted again from what is left. Days are always counted from their hours, weeks from their days.
-- The first elements of arrays order them; the last two are the price. The settings keep every plan to look-ups by key,
-- whatever the statistics say while the tables grow.
create function keep_candles_and_markets() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  span integer;
  part integer;
begin
  if tg_op = 'INSERT' then
    insert into candles as c
    select f.start, 1, count(*), min(height), max(height), f.base, f.quote, (min(place || price))[5], (min(place || price))[4],
           (max(level || price))[3], (max(level || price))[2], (min(level || price))[3], (min(level || price))[2],
           (max(place || price))[5], (max(place || price))[4], sum(base_amount), sum(quote_amount)
      from (select base, quote, candle_start(1, timestamp) as start, height, base_amount, quote_amount,
                   array[height, position, input_index]::numeric[] as place,
                   array[ratio_price(price_quote, price_base)] as level, lowest_terms(price_quote, price_base) as price
              from changed where price_base is not null) f
     group by f.base, f.quote, f.start
    on conflict (base, quote, hours, start) do update
       set trades = c.trades + excluded.trades, last_height = excluded.last_height,
           (high_base, high_quote) = (
             select case when higher then excluded.high_base else c.high_base end,
                    case when higher then excluded.high_quote else c.high_quote end
               from (select excluded.high_quote * c.high_base > c.high_quote * excluded.high_base as higher) p),
           (low_base, low_quote) = (
             select case when lower then excluded.low_base else c.low_base end,
                    case when lower then excluded.low_quote else c.low_quote end
               from (select excluded.low_quote * c.low_base < c.low_quote * excluded.low_base as lower) p),
           close_base = excluded.close_base, close_quote = excluded.close_quote,
           base_volume = c.base_volume + excluded.base_volume, quote_volume = c.quote_volume + excluded.quote_volume;
  else
    delete from candles c
     using (select distinct f.base, f.quote, s.hours, candle_start(s.hours, f.timestamp) as start
              from changed f, unnest(array[1, 24, 168]) as s (hours)) touched
     where c.base = touched.base and c.quote = touched.quote and c.hours = touched.hours and c.start = touched.start
       and not exists (
         select from fills f
          where f.base = c.base and f.quote = c.quote and f.height between c.first_height and c.last_height
            and candle_start(c.hours, f.timestamp) = c.start and f.price_base is not null);
    update candles c
       set trades = n.trades, first_height = n.first_height, last_height = n.last_height,
           open_base = n.opening[5], open_quote = n.opening[4], high_base = n.highest[3], high_quote = n.highest[2],
           low_base = n.lowest[3], low_quote = n.lowest[2], close_base = n.closing[5], close_quote = n.closing[4],
           base_volume = n.base_volume, quote_volume = n.quote_volume
      from (select distinct base, quote, candle_start(1, timestamp) as start from changed) touched
      join candles o on o.base = touched.base and o.quote = touched.quote and o.hours = 1 and o.start = touched.start
     cross join lateral (
       select count(*) as trades, min(height) as first_height, max(height) as last_height,
              min(place || price) as opening, max(place || price) as closing, max(level || price) as highest,
              min(level || price) as lowest, sum(base_amount) as base_volume, sum(quote_amount) as quote_volume
         from (select height, base_amount, quote_amount, array[height, position, input_index]::numeric[] as place,
                      array[ratio_price(price_quote, price_base)] as level, lowest_terms(price_quote, price_base) as price
                 from fills f
                where f.base = o.base and f.quote = o.quote and f.height between o.first_height and o.last_height
                  and f.timestamp >= o.start and f.timestamp < o.start + 3600
                  and f.price_base is not null) f) n
     where c.base = o.base and c.quote = o.quote and c.hours = 1 and c.start = o.start;
  end if;

  for span, part in values (24, 1), (168, 24) loop
    insert into candles
    select b.start, span, p.trades, p.first_height, p.last_height, b.base, b.quote, p.open[3], p.open[2], p.high[3], p.high[2],
           p.low[3], p.low[2], p.close[3], p.close[2], p.base_volume, p.quote_volume
      from (select distinct base, quote, candle_start(span, timestamp) as start from changed) b
      cross join lateral (
        select sum(trades) as trades, min(first_height) as first_height, max(last_height) as last_height,
               min(array[first_height, open_quote, open_base]) as open, max(array[last_height, close_quote, close_base]) as close,
               max(array[ratio_price(high_quote, high_base), high_quote, high_base]) as high,
               min(array[ratio_price(low_quote, low_base), low_quote, low_base]) as low,
               sum(base_volume) as base_volume, sum(quote_volume) as quote_volume
          from candles
         where candles.base = b.base and candles.quote = b.quote and hours = part
           and start >= b.start and start < b.start + span * 3600
        having count(*) > 0) p
    on conflict (base, quote, hours, start) do update
       set trades = excluded.trades, first_height = excluded.first_height, last_height = excluded.last_height,
           open_base = excluded.open_base, open_quote = excluded.open_quote, high_base = excluded.high_base,
           high_quote = excluded.high_quote, low_base = excluded.low_base, low_quote = excluded.low_quote,
           close_base = excluded.close_base, close_quote = excluded.close_quote, base_volume = excluded.base_volume,
           quote_volume = excluded.quote_volume;
  end loop;

  if tg_op = 'INSERT' then
    insert into markets as m (base, quote, trades, last_height, last_base, last_quote)
    select base, quote, count(*), max(height), (max(array[height, position, input_index, price_base, price_quote]))[4],
           (max(array[height, position, input_index, price_base, price_quote]))[5]
      from changed where price_base is not null group by base, quote
    on conflict (base, quote) do update
       set trades = m.trades + excluded.trades, last_height = excluded.last_height, last_base = excluded.last_base,
           last_quote = excluded.last_quote;
  else
    update markets m
       set trades = m.trades - gone.count, last_height = coalesce(f.height, -1), last_base = f.price_base,
           last_quote = f.price_quote
      from (select base, quote, count(*) from changed where price_base is not null group by base, quote) gone
      left join lateral (
        select height, price_base, price_quote from fills
         where base = gone.base and quote = gone.quote and price_base is not null
         order by height desc, position desc, input_index desc limit 1) f on true
     where m.base = gone.base and m.quote = gone.quote;
    delete from markets m using changed f
     where m.base = f.base and m.quote = f.quote and m.trades = 0 and m.open_orders = 0;
  end if;
  return null;
end $$;

create trigger fills_added after insert on fills
  referencing new table as changed for each statement execute function keep_candles_and_markets();
create trigger fills_removed after delete on fills
  referencing old table as changed for each statement execute function keep_candles_and_markets();

-- before and after: the changed rows of orders.
create function keep_open_orders() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  if tg_op <> 'INSERT' then
    update markets m set open_orders = m.open_orders - gone.count
      from (select market_base(ask_currency, give_currency) as base, market_quote(ask_currency, give_currency) as quote, count(*)
              from before where is_open group by 1, 2) gone
     where m.base = gone.base and m.quote = gone.quote;
  end if;
  if tg_op <> 'DELETE' then
    insert into markets as m (base, quote, open_orders)
    select market_base(ask_currency, give_currency), market_quote(ask_currency, give_currency), count(*)
      from after where is_open group by 1, 2
    on conflict (base, quote) do update set open_orders = m.open_orders + excluded.open_orders;
  end if;
  if tg_op <> 'INSERT' then
    delete from markets m using before o
     where m.base = market_base(o.ask_currency, o.give_currency) and m.quote = market_quote(o.ask_currency, o.give_currency)
       and m.trades = 0 and m.open_orders = 0;
  end if;
  return null;
end $$;

create trigger orders_opened after insert on orders
  referencing new table as after for each statement execute function keep_open_orders();
create trigger orders_changed after update on orders
  referencing old table as before new table as after for each statement execute function keep_open_orders();
create trigger orders_gone after delete on orders
  referencing old table as before for each statement execute function keep_open_orders();

-- holders: owners with a row in balances. effective_stake: of all pools together, in the row of the coin.
create table statistics (
  currency           bytea   not null,
  circulating_supply numeric not null,
  preminted          numeric not null,
  burned             numeric not null,
  staked             numeric not null,
  holders            integer not null,
  effective_stake    numeric not null
);

-- The chain at the end of each UTC hour with a block; of the newest hour, at the tip. An hour is counted from the epoch, and
-- never goes back, as a day in days. ends_*: it is the last one of its day, week (from Monday) and month, up to now. Counts
-- and sums are those of the whole chain up to there, so what happened in a time is the difference of two rows.
-- first_height: its first block. timestamp: of its last block. pools, delegations: those that have something. holders,
-- *_supply, burned, staked: of the coin. expected_per_stake: the blocks that were expected of each atom of effective stake,
-- times 10^30; of a pool, expected_base + effective_stake * expected_per_stake were. trades: fills of orders.
create table hours (
  hour               integer not null,
  first_height       integer not null,
  height             integer not null,
  timestamp          bigint  not null,
  ends_day           boolean not null,
  ends_week          boolean not null,
  ends_month         boolean not null,
  transactions       bigint  not null,
  bytes              bigint  not null,
  fees               numeric not null,
  trades             bigint  not null,
  circulating_supply numeric not null,
  burned             numeric not null,
  staked             numeric not null,
  holders            integer not null,
  expected_per_stake numeric not null,
  pools              integer not null,
  delegations        integer not null,
  tokens             integer not null,
  nfts               integer not null,
  open_orders        integer not null
);

-- Days that are over (src/store/write/day-counts.ts). height: the first block of the next day. active_addresses: those with a
-- transaction in their history; new_addresses, new_in_month: those of them that had none before, and none earlier in the
-- month. largest_pools_stake: of the ten largest pools at its end; staked: of all.
create table day_counts (
  height              integer not null,
  day                 integer not null,
  active_addresses    integer not null,
  new_addresses       integer not null,
  new_in_month        integer not null,
  largest_pools_stake numeric not null,
  staked              numeric not null
);

-- The old values of the state rows that each of the last blocks changed (src/store/write/undo-log.ts). There are few
-- records, and each is deleted soon: compressing them would cost more than their space.
create table undo (
  height integer not null,
  data   text    not null
);
alter table undo alter data set storage external, alter data set statistics 0;

-- The newest blocks that reorganisations removed, so that a client that saw one of them learns where the chain
-- continues (src/store/write/reorganisation-log.ts). removal_order grows with each of them.
create table removed_blocks (
  removal_order bigint  not null generated always as identity,
  block_id   bytea   not null primary key,
  height     integer not null,
  parent_id  bytea   not null
);
create index removed_blocks_order on removed_blocks (removal_order);

-- The transactions of these blocks. removed_at: seconds since the epoch, by the database's clock.
create table removed_transactions (
  tx_id      bytea  not null,
  block_id   bytea  not null references removed_blocks on delete cascade,
  removed_at bigint not null,
  primary key (tx_id, block_id)
);
create index removed_transactions_block on removed_transactions (block_id);

-- The reorganisations that this index followed: a log, which no reorganisation undoes. removed, added: the blocks that
-- it removed, and those that came in the same commit: HEIGHT:BLOCK_ID:POOL_ID each in hex, separated by commas, the
-- lowest first; without proof of stake there is no pool. A removed block has :TIMESTAMP as well. event_count: the blocks that this index had added and removed by then,
-- both counted, since it began with the genesis.
create table reorganisations (
  reorganisation_id bigint  not null generated always as identity primary key,
  seen_at           bigint  not null,
  event_count       bigint  not null,
  ancestor_height   integer not null,
  removed           text    not null,
  added             text    not null
);
alter table reorganisations alter removed set statistics 0, alter added set statistics 0;
