-- The keys of the state tables, and the indexes by which the ledger reads them while it syncs: made when the first
-- rows are there, for sorting them once costs less than finding each its place.

alter table blocks add primary key (height);
alter table utxos add primary key (outpoint);
create index utxos_unlock_height on utxos (unlock_height) where unlock_height is not null;
create index utxos_unlock_time on utxos (unlock_time) where unlock_time is not null;
alter table balances add primary key (owner, currency);
alter table pools add primary key (pool_id);
alter table delegations add primary key (delegation_id);
create index delegations_pool on delegations (pool_id, delegation_id);
alter table tokens add primary key (token_id);
alter table nfts add primary key (token_id);
alter table ticker_fragments add primary key (fragment, is_nft, token_id);
alter table orders add primary key (order_id);
alter table statistics add primary key (currency);
alter table undo add primary key (height);
