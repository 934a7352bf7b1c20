-- The keys of the append-only tables and the indexes for reading. One statement each, every one `if not exists`: a bulk
-- sync runs them at its end, several at a time, and resumes at the first that is missing. An index to which rows are only added
-- at its end needs no room for others (fillfactor).

create unique index if not exists blocks_block_id on blocks (block_id);
create index if not exists blocks_pool on blocks (pool_id, timestamp) where pool_id is not null;
create index if not exists blocks_pool_height on blocks (pool_id, height) where pool_id is not null;
create index if not exists blocks_median_time on blocks (median_time, height);

create unique index if not exists transactions_tx_index on transactions (tx_index) with (fillfactor = 100);
create unique index if not exists transactions_tx_id on transactions (tx_id);
create index if not exists transactions_kind on transactions (kind, tx_index);

create unique index if not exists outputs_key on outputs (height, position, output_index) with (fillfactor = 100);
create index if not exists outputs_owner on outputs (owner, height, position, output_index);
create index if not exists outputs_refund_owner on outputs (refund_owner, height, position, output_index) where refund_owner <> owner;
create index if not exists outputs_secret_hash on outputs (secret_hash, height, position, output_index) where secret_hash is not null;

create unique index if not exists spends_key on spends (height, position, output_index);
create index if not exists spends_spent_height on spends using brin (spent_height) with (autosummarize = on);
create index if not exists spends_unlisted_owner on spends (unlisted_owner, spent_height) where unlisted_owner is not null;

-- BRIN indexes are read for each block, while clients listen to addresses or tokens (src/api/stream) and wallets ask
-- (src/answers/recently-touched-owners.ts), and in each reorganisation: newly appended rows must be found fast without waiting for a
-- vacuum.
create unique index if not exists address_transactions_key on address_transactions (owner, tx_index) include (tx_id);
create index if not exists address_transactions_tx_index on address_transactions using brin (tx_index) with (pages_per_range = 32, autosummarize = on);

create unique index if not exists token_transactions_key on token_transactions (token_id, tx_index) include (tx_id);
create index if not exists token_transactions_tx_index on token_transactions using brin (tx_index) with (pages_per_range = 32, autosummarize = on);

create unique index if not exists delegation_transactions_key on delegation_transactions (delegation_id, tx_index);
create index if not exists delegation_transactions_tx_index on delegation_transactions using brin (tx_index) with (pages_per_range = 32, autosummarize = on);

create unique index if not exists nft_owners_key on nft_owners (token_id, tx_index);
create index if not exists nft_owners_tx_index on nft_owners using brin (tx_index) with (pages_per_range = 32, autosummarize = on);

-- A balance at a height is a descent of the key. Whoever had nothing of a currency before a row may be a holder from there on:
-- the holders at a height are among them.
create unique index if not exists balance_changes_key on balance_changes (owner, currency, height, position);
create index if not exists balance_changes_owner on balance_changes (owner, height, position, currency);
create index if not exists balance_changes_new_holders on balance_changes (currency, height, owner) where balance = change and balance > 0;
create index if not exists balance_changes_height on balance_changes using brin (height) with (autosummarize = on);

create unique index if not exists supplies_key on supplies (currency, height);
create index if not exists supplies_height on supplies using brin (height) with (autosummarize = on);

create unique index if not exists token_events_key on token_events (token_id, height, position, event_index);
create index if not exists token_events_kind on token_events (token_id, kind, height, position, event_index);
create index if not exists token_events_height on token_events using brin (height) with (autosummarize = on);

create unique index if not exists delegation_days_key on delegation_days (delegation_id, day);
create index if not exists delegation_days_height on delegation_days using brin (height) with (autosummarize = on);

create unique index if not exists pool_days_key on pool_days (pool_id, day);
create index if not exists pool_days_height on pool_days using brin (height) with (autosummarize = on);

-- The rows of a series are next to each other.
create index if not exists hours_of_days on hours (hour) where ends_day;
create index if not exists hours_of_weeks on hours (hour) where ends_week;
create index if not exists hours_of_months on hours (hour) where ends_month;

create unique index if not exists fills_market on fills (base, quote, height, position, input_index);
create index if not exists fills_order on fills (order_id, height, position, input_index);
create index if not exists fills_height on fills using brin (height) with (autosummarize = on);

create index if not exists markets_by_trade on markets (last_height, base, quote);

create index if not exists utxos_owner on utxos (owner, height, position, output_index);
create index if not exists utxos_refund_owner on utxos (refund_owner, height, position, output_index) where refund_owner <> owner;
create index if not exists utxos_spendable on utxos (owner, height, position, output_index) where unlock_height is null and unlock_time is null;
create index if not exists utxos_htlc_owner on utxos (owner, height, position, output_index) where refund_height is not null or refund_time is not null;
create index if not exists utxos_unlocks_by_height on utxos (owner, unlock_height, height, position, output_index) where unlock_height is not null;
create index if not exists utxos_unlocks_by_time on utxos (owner, unlock_time, height, position, output_index) where unlock_time is not null;

create index if not exists balances_by_amount on balances (currency, amount desc, owner) where amount > 0;
create index if not exists balances_by_total on balances (currency, total desc, owner);

create index if not exists pools_by_height on pools (creation_height desc, pool_id) where staker_balance > 0;
create index if not exists pools_by_pledge on pools (staker_balance desc, pool_id) where staker_balance > 0;
create index if not exists pools_by_stake on pools (total_stake desc, pool_id) where staker_balance > 0;
create index if not exists pools_by_blocks on pools (blocks_month desc, pool_id) where staker_balance > 0;
create index if not exists pools_by_margin on pools (margin_ratio_per_thousand, pool_id) where staker_balance > 0;
create index if not exists pools_by_apy on pools (apy_rank desc, pool_id) where staker_balance > 0;
create index if not exists pools_decommissioner on pools (decommission_destination, creation_height desc, pool_id) where staker_balance > 0;
create index if not exists pools_decommission_destination on pools (decommission_destination, pool_id);

create index if not exists delegations_spend_destination on delegations (spend_destination, delegation_id);

-- An NFT has one holder at most. Tokens with as few are found by their id: ids are hashes, so the others do not lie together.
create index if not exists statistics_by_holders on statistics (holders desc, currency) where holders > 1 and currency > '';
create index if not exists tokens_by_height on tokens (creation_height desc, token_id);
create index if not exists tokens_frozen on tokens (creation_height desc, token_id) where is_frozen;
create index if not exists tokens_locked on tokens (creation_height desc, token_id) where is_locked;
create index if not exists tokens_authority on tokens (authority, token_id);

create index if not exists orders_by_height on orders (creation_height desc, order_id) where is_open;
create index if not exists orders_pair on orders (least(ask_currency, give_currency), greatest(ask_currency, give_currency), creation_height desc, order_id) where is_open;
create index if not exists orders_concluder on orders (conclude_destination, creation_height desc, order_id) where not is_concluded;

create index if not exists nfts_by_height on nfts (creation_height desc, token_id);
create index if not exists nfts_owner on nfts (owner, creation_height desc, token_id) where owner is not null;

create index if not exists ticker_fragments_whole on ticker_fragments (fragment, is_nft, token_id) where is_whole;
create index if not exists name_fragments_whole on name_fragments (fragment, token_id) where is_whole;

create index if not exists reorganisations_by_depth on reorganisations (cardinality(string_to_array(removed, ',')) desc, reorganisation_id desc);
create index if not exists reorganisations_event_count on reorganisations (event_count);
create index if not exists reorganisations_ancestor on reorganisations (ancestor_height, reorganisation_id);
