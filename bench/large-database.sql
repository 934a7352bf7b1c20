-- A large index without a chain behind it: rows made by number, so that every list can be read at a depth that would
-- take hours to grow. $N is the number of transactions, $L the length of the lists that a chain has fewer of. One
-- address (the whale), one pool, one token and one pair have so much of everything that their lists are deep.

create function id(kind text, n bigint) returns bytea language sql immutable parallel safe
  return sha256(convert_to(kind || n, 'UTF8'));
-- A public key hash; number 0 is the whale, number 1 has what is locked.
create function owner(n bigint) returns bytea language sql immutable parallel safe
  return '\x01'::bytea || substr(sha256(convert_to('owner' || n, 'UTF8')), 1, 20);
create function spread(n bigint, parts bigint) returns bigint language sql immutable parallel safe
  return 1 + (n * 7919) % parts;

insert into meta (name, value) values ('storage_version', '$VERSION'), ('network', '$NETWORK'), ('genesis_id', '$GENESIS'), ('genesis', '{}');

insert into chain_tip (revision, height, block_id, timestamp, median_time, transaction_count, is_ready)
values (1, $N / 3, id('block', $N / 3), 1700000000 + $N * 40, 1700000000 + $N * 40 - 600, ($N / 3) * 3, true);

-- Three transactions a block; every second block is of one pool.
insert into blocks (height, block_id, timestamp, first_tx_index, tx_count, pool_id, reward_hash, header, reward, place, median_time, size, kinds, fees, staker_reward, delegations_reward, reward_rate)
select h, id('block', h), 1700000000 + h * 120, greatest(h - 1, 0) * 3, case when h = 0 then 0 else 3 end,
       id('pool', case when h % 2 = 0 then 1 else spread(h, 100) end), id('reward', h), '{"previous_block_id":"' || encode(id('block', h - 1), 'hex') || '"}', '[]',
       '"block_id":"' || encode(id('block', h), 'hex') || '","height":' || h || ',"timestamp":' || 1700000000 + h * 120,
       1700000000 + greatest(h - 5, 0) * 120, 2000, '{"transfer":3}', 3, 4, 5, 6
from generate_series(0, $N / 3) h;

insert into transactions (tx_index, tx_id, height, size, output_count, kind, actors, body)
select n, id('tx', n), n / 3 + 1, 250, 1, case when n % 50 = 7 then 15 else 24 end, case when n % 50 = 9 then '["rmt1"]' end,
       '{"fee":{"atoms":"1","decimal":"0.00000000001"},"id":"' || encode(id('tx', n), 'hex') || '","inputs":[],"outputs":[],"fill":"' || repeat('x', 600) || '"}'
from generate_series(0, ($N / 3) * 3 - 1) n;

-- Every third one is the whale's, who may also refund every sixth: a contract, all with the same secret.
insert into outputs (height, position, output_index, owner, refund_owner, secret_hash, entry)
select n / 3 + 1, n % 3, 0, owner(case when n % 3 = 0 then 0 when n % 6 = 2 then 1 else spread(n, $L) end),
       case when n % 6 = 4 then owner(0) end, case when n % 6 = 4 or n % 60 = 0 then substr(id('secret', 1), 1, 20) end,
       '{"outpoint":{"index":0,"source_id":"' || encode(id('tx', n), 'hex') || '","source_type":"Transaction"},"utxo":{"type":"Transfer"}'
from generate_series(0, ($N / 3) * 3 - 1) n;

insert into spends (height, position, output_index, spent_height, spent_position, input_index, unlisted_owner)
select n / 3 + 1, n % 3, 0, n / 3 + 2, 0, 0, case when n % 30 = 3 then owner(0) end from generate_series(0, ($N / 3) * 3 - 10) n where n % 2 = 1;

insert into utxos (outpoint, height, position, output_index, owner, refund_owner, unlock_height, unlock_time, refund_height, refund_time, is_reward, htlc_currency, htlc_amount, output)
select id('tx', n) || '\x00000000', n / 3 + 1, n % 3, 0, owner(case when n % 3 = 0 then 0 when n % 6 = 2 then 1 else spread(n, $L) end),
       case when n % 6 = 4 then owner(0) end, case when n % 12 = 2 or n % 100 = 0 then $N + n end,
       case when n % 12 = 8 then 1900000000 + n end, case when n % 6 = 4 or n % 60 = 0 then 1 end, null, false,
       case when n % 6 = 4 or n % 60 = 0 then ''::bytea end, case when n % 6 = 4 or n % 60 = 0 then 1 end, '\x00'
from generate_series(0, ($N / 3) * 3 - 1) n where n % 2 = 0;

insert into address_transactions (owner, tx_index, tx_id)
select owner(case when n % 3 = 0 then 0 else spread(n, $L) end), n, id('tx', n) from generate_series(0, ($N / 3) * 3 - 1) n;

insert into token_transactions (token_id, tx_index, tx_id)
select id('token', case when n % 3 = 0 then 1 else spread(n, $L) end), n, id('tx', n)
from generate_series(0, ($N / 3) * 3 - 1) n where n % 2 = 0;

insert into delegation_transactions (tx_index, delegation_id, deposited, withdrawn)
select n, id('delegation', case when n % 3 = 0 then 1 else spread(n, $L) end), n % 7, n % 2
from generate_series(0, ($N / 3) * 3 - 1, 4) n;

insert into balances (owner, currency, amount, locked)
select owner(n), '', (n * 7919) % 1000000007 + 1, 0 from generate_series(0, $L) n
union all select owner(n), id('token', 1), (n * 7919) % 1000000007 + 1, 0 from generate_series(0, $L) n
union all select owner(0), id('token', n), n, 0 from generate_series(2, 50) n;

-- In a long chain only the first 500 may be of the newest month.
insert into pools (pool_id, creation_height, pledge, rewards, delegations_balance, delegation_count, effective_stake, expected_base, blocks_total, blocks_day, blocks_month, month_rate, staker_rewards, delegation_rewards, changed_day, staker, decommission_destination, vrf_public_key, margin_ratio_per_thousand, cost_per_block)
select id('pool', n), spread(n, case when $N / 3 > 43200 and n > 500 then $N / 3 - 21600 else $N / 3 end), 40000 + (n * 7919) % 1000003, 0, n, 3, 40000, 0, 100, n % 20, n % 500, n % 1000, 100 + n, n, (1700000000 + $N * 40) / 86400, owner(n),
       owner(case when n % 10 > 2 then 0 else n end), '\x00'::bytea || id('vrf', n), 50, 100
from generate_series(1, $L) n;

insert into delegations (delegation_id, pool_id, spend_destination, balance, deposited, withdrawn, next_nonce, creation_height, changed_day)
select id('delegation', n), id('pool', case when n % 2 = 0 then 1 else spread(n, 100) end),
       owner(case when n = 1 then $L + 1 when n % 2 = 1 then 0 else spread(n, $L) end), n, n, 100, 0, spread(n, $N / 3),
       (1700000000 + $N * 40) / 86400
from generate_series(1, 2 * $L) n;

insert into days (height, day)
select min(h), (1700000000 + h * 120) / 86400 from generate_series(0, $N / 3) h group by 2;

-- Some delegations and pools changed on each of the last hundred days, and earned something. The first delegation is all that
-- its owner has.
insert into delegation_days (height, day, delegation_id, balance, deposited, withdrawn)
select greatest($N / 3 - (d - 1) * 720, 0), (1700000000 + $N * 40) / 86400 - d, id('delegation', n), n, n, 100 - d
from generate_series(1, 100) d, generate_series(1, $L, greatest($L / 100, 1)) n;

insert into pool_days (height, day, blocks_total, delegation_count, pool_id, staker_balance, delegations_balance, staker_rewards, delegation_rewards, effective_stake, expected_base)
select greatest($N / 3 - (d - 1) * 720, 0), (1700000000 + $N * 40) / 86400 - d, 100 - d, 3, id('pool', n), n + d, n, 100 - d, n, 40000, 0
from generate_series(1, 100) d, generate_series(1, $L, greatest($L / 100, 1)) n;

insert into hours (hour, first_height, height, timestamp, ends_day, ends_week, ends_month, transactions, bytes, fees, trades,
                   circulating_supply, burned, staked, holders, expected_per_stake, pools, delegations, tokens, nfts, open_orders)
select hour, first_height, height, 1700000000 + height * 120,
       hour / 24 <> lead(hour, 1, 0) over by_hour / 24, (hour + 72) / 168 <> (lead(hour, 1, 0) over by_hour + 72) / 168,
       hour % 720 = 719, height * 3, height * 300, height, height / 10, 1000000, height, height, $L, height * 1e24, $L, $L, 10, 10, 10
from (select (1700000000 + h * 120) / 3600 as hour, min(h) as first_height, max(h) as height
      from generate_series(0, $N / 3) h group by 1) of_hour
window by_hour as (order by hour);

insert into day_counts (height, day, active_addresses, new_addresses, new_in_month, largest_pools_stake, staked)
select height, day - 1, 100, 10, 20, 1000, 10000 from days where day > (select min(day) from days);

-- In each transaction the whale gives coins away; a third of them come back to it. Every second one moves the first token, to
-- others than before.
insert into balance_changes (height, position, kinds, owner, currency, change, balance, locked, fee)
select n / 3 + 1, n % 3, $SENT, owner(0), ''::bytea, -1, $N * 2 - n, n % 1000, 1 from generate_series(0, ($N / 3) * 3 - 1) n
union all
select n / 3 + 1, n % 3, $RECEIVED, owner(spread(n, $L)), '', 1, n / $L + 1, 0, 0 from generate_series(0, ($N / 3) * 3 - 1) n
union all
select n / 3 + 1, n % 3, $RECEIVED, owner(spread(n, $L)), id('token', 1), 1, n / $L + 1, 0, 0
from generate_series(0, ($N / 3) * 3 - 1) n where n % 2 = 0
union all
select n + 1, -1, $UNLOCKED, owner(0), id('token', spread(n, 50)), 0, n, 0, 0 from generate_series(0, $N / 3 - 1) n where n % 20 = 0;

insert into supplies (height, currency, circulating_supply, preminted, burned, staked)
select h, ''::bytea, 1000000 + h, 0, h, h from generate_series(0, $N / 3) h
union all select h, id('token', 1), 1000000 + h, 0, h, 0 from generate_series(1, $N / 3) h where h % 10 = 0;

-- The first token was minted for ever, by who issued it.
insert into token_events (height, position, event_index, token_id, kind, amount, supply, actor, authority)
select n, 0, 0, id('token', 1), 'token_mint', 1, n, owner(0), null from generate_series(1, $L) n
union all select n - 1, 1, 0, id('token', n), 'token_issue', null, 0, null, owner(0) from generate_series(1, $L) n;

insert into tokens (token_id, creation_height, ticker, decimals, metadata_uri, total_supply_type, total_supply, circulating_supply, is_locked, is_frozen, is_freezable, is_unfreezable, authority, next_nonce)
select id('token', n), spread(n, $N / 3), '\x544b41', 8, '\x', 'Unlimited', null, n, n % 4 > 0, n % 4 < 3, true, case when n % 4 < 3 then true end, owner(0), 0
from generate_series(1, $L) n;

insert into nfts (token_id, creation_height, owner, metadata)
select id('nft', n), spread(n, $N / 3), owner(case when n % 10 > 2 then 0 else n end), '\x00' from generate_series(1, $L) n;

-- One NFT wandered for ever.
insert into nft_owners (token_id, tx_index, owner)
select id('nft', 1), n * 3, owner(n) from generate_series(0, $L - 1) n
union all select id('nft', n), n, owner(n) from generate_series(2, $L) n;

insert into ticker_fragments (fragment, is_nft, is_whole, token_id)
select f, false, f = 'tka', id('token', n) from generate_series(1, $L) n, unnest(array['t', 'k', 'a', 'tk', 'ka', 'tka']) f
union all select 'a', true, false, id('nft', n) from generate_series(1, $L) n;

insert into name_fragments (fragment, is_whole, token_id)
select f, f = 'art', id('nft', n) from generate_series(1, $L) n, unnest(array['a', 'r', 't', 'ar', 'rt', 'art']) f;

insert into orders (order_id, creation_height, conclude_destination, ask_currency, ask_decimals, initially_asked, ask_balance, give_currency, give_decimals, initially_given, give_balance, next_nonce, is_frozen, concluded_height)
select id('order', n), spread(n, $N / 3), owner(case when n % 2 = 1 then 0 else n end), case when n % 2 = 0 then '' else id('token', 1) end, 8, a, a,
       case when n % 2 = 0 then id('token', 1) else '' end, 8, g, g, 0, false, case when n % 5 = 0 then $N end
from (select n, (100 + n)::numeric as a, 1000003::numeric as g from generate_series(1, 2 * $L) n) o;

-- The first token is traded each hour, as if blocks took longer, every second time with the same order; each other token once.
insert into fills (height, position, input_index, is_buy, timestamp, order_id, base, quote, base_amount, quote_amount,
                   price_base, price_quote, taker)
select h, 0, i, n % 2 = 0, 1700000000 + n::bigint * 3600, id('order', case when n % 2 = 0 then 2 else n end), id('token', 1), ''::bytea,
       b, q, b, q, owner(n)
from (select n, (1 + n % ($N / 3))::integer as h, (n / ($N / 3))::integer as i, 100 + n % 50 as b, 1000 + (n * 7919) % 1009 as q
      from generate_series(1, 2 * $L) n) f
union all
select spread(n, $N / 3), 1, 0, true, 1700000000 + spread(n, $N / 3) * 120, id('order', n), id('token', n), '', 5, n, 5, n, owner(n)
from generate_series(2, $L) n;

insert into statistics (currency, circulating_supply, preminted, burned, staked, holders, effective_stake)
values ('', 1000000, 0, 0, 0, $L, 1000000);
insert into statistics (currency, circulating_supply, preminted, burned, staked, holders, effective_stake)
select id('token', n), 1000000, 0, 0, 0, n, 0 from generate_series(1, $L) n
union all select id('nft', n), 1, 0, 0, 0, 1, 0 from generate_series(1, $L) n;

insert into reorganisations (seen_at, event_count, ancestor_height, removed, added)
select 1700000000 + n * 120, 3 * n + 1, n, n + 1 || ':' || encode(id('left', n), 'hex') || ':', '' from generate_series(1, $L) n;

drop function id(text, bigint), owner(bigint), spread(bigint, bigint);
