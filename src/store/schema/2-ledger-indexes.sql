-- The keys of the state tables, and the indexes by which the ledger reads them during a sync. They are created after the
-- first rows, because building an index once is cheaper than inserting row by row. Each is one statement with `if not
-- exists`.

create unique index if not exists blocks_key on blocks (height);
create index if not exists blocks_timestamp on blocks (timestamp);
create unique index if not exists days_key on days (height);
create unique index if not exists utxos_key on utxos (outpoint);
create index if not exists utxos_unlock_height on utxos (unlock_height) where unlock_height is not null;
create index if not exists utxos_unlock_time on utxos (unlock_time) where unlock_time is not null;
create unique index if not exists balances_key on balances (owner, currency);
create unique index if not exists pools_key on pools (pool_id);
create unique index if not exists delegations_key on delegations (delegation_id);
create index if not exists delegations_pool on delegations (pool_id, delegation_id);
create unique index if not exists tokens_key on tokens (token_id);
create unique index if not exists nfts_key on nfts (token_id);
create unique index if not exists ticker_fragments_key on ticker_fragments (fragment, is_nft, token_id);
create unique index if not exists name_fragments_key on name_fragments (fragment, token_id);
create unique index if not exists orders_key on orders (order_id);
create unique index if not exists statistics_key on statistics (currency);
create unique index if not exists hours_key on hours (hour);
create unique index if not exists day_counts_key on day_counts (day);
create index if not exists day_counts_height on day_counts (height);
create index if not exists hours_first_height on hours (first_height);
create unique index if not exists undo_key on undo (height);
