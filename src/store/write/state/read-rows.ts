/** Reads the rows that a batch of blocks needs into the ledger's state: one statement per table. */
import type pg from 'pg';
import { HOUR_SECONDS } from '../../../chain/calendar.ts';
import type { MissingStateKeys } from '../../../ledger/collect-keys.ts';
import type { PoolBlock } from '../../../ledger/recent-pool-blocks.ts';
import type { LedgerState } from '../../../ledger/state.ts';
import { partsOfBalanceKey, type Utxo } from '../../../ledger/state-rows.ts';
import type { StateTable } from '../../../ledger/state-table.ts';
import { arrayText } from '../../postgres/column-values.ts';
import { columnNames, type StateTableDefinition } from './define-state-table.ts';
import { STATE_TABLES } from './state-tables.ts';

/** Reads what is missing; afterwards every key is known, as a row or as absent. */
export async function readMissingRows(client: pg.Client, state: LedgerState, missing: MissingStateKeys): Promise<void> {
  await readById(client, state.utxos, STATE_TABLES.utxos, missing.utxos);
  await readById(client, state.pools, STATE_TABLES.pools, missing.pools);
  await readById(client, state.delegations, STATE_TABLES.delegations, missing.delegations);
  await readById(client, state.tokens, STATE_TABLES.tokens, missing.tokens);
  await readById(client, state.nfts, STATE_TABLES.nfts, missing.tokens);
  await readById(client, state.orders, STATE_TABLES.orders, missing.orders);
  await readById(client, state.statistics, STATE_TABLES.statistics, missing.statistics);
  await readHours(client, state, missing.hours);
  await readBalances(client, state, missing.balances);
  await readDelegationsOfPools(client, state, missing.delegationsOfPools);
}

/** Reads the time-locked outputs that end at the heights, or after `times.after` up to `times.to`. */
export async function readLockedOutputs(
  client: pg.Client,
  heights: { from: number; to: number },
  times: { after: number; to: number },
): Promise<Utxo[]> {
  const spec = STATE_TABLES.utxos;
  const { rows } = await client.query(
    `select ${columnNames(spec).join(', ')} from utxos where unlock_height between $1 and $2
     union all
     select ${columnNames(spec).join(', ')} from utxos where unlock_time > $3 and unlock_time <= $4`,
    [heights.from, heights.to, times.after, times.to],
  );
  return rows.map((record) => spec.fromRecord(record as never));
}

/** Reads the blocks that pools made in the hours (counted from the epoch), up to a height; an hour without blocks is empty. */
export async function readPoolBlocks(
  client: pg.Client,
  hours: readonly number[],
  height: number,
): Promise<Map<number, PoolBlock[]>> {
  const found = new Map<number, PoolBlock[]>(hours.map((hour) => [hour, []]));
  if (hours.length === 0) return found;
  const { rows } = await client.query<PoolBlock & { hour: number }>(
    `select asked.hour, b.timestamp, b.pool_id as "poolId", b.reward_rate as rate
       from unnest($1::bigint[]) as asked (hour)
       join blocks b on b.timestamp >= asked.hour * ${HOUR_SECONDS} and b.timestamp < (asked.hour + 1) * ${HOUR_SECONDS}
      where b.height <= $2 and b.pool_id is not null`,
    [arrayText('bigint', hours), height],
  );
  for (const { hour, ...block } of rows) found.get(hour)?.push(block);
  return found;
}

async function readById<Row extends object>(
  client: pg.Client,
  table: StateTable<Row>,
  spec: StateTableDefinition<Row>,
  keys: ReadonlySet<string>,
): Promise<void> {
  if (keys.size === 0) return;
  const { rows } = await client.query(
    `select ${columnNames(spec).join(', ')} from ${spec.table} where ${columnNames(spec)[0]} = any($1::bytea[])`,
    [arrayText('bytea', keys)],
  );
  load(table, spec, rows);
  for (const key of keys) table.load(key, null);
}

async function readHours(client: pg.Client, { hours }: LedgerState, keys: ReadonlySet<string>): Promise<void> {
  if (keys.size === 0) return;
  const spec = STATE_TABLES.hours;
  const { rows } = await client.query(
    `select ${columnNames(spec).join(', ')} from hours where hour = any($1::integer[])`,
    [arrayText('integer', [...keys].map(Number))],
  );
  load(hours, spec, rows);
}

async function readBalances(client: pg.Client, state: LedgerState, keys: ReadonlySet<string>): Promise<void> {
  if (keys.size === 0) return;
  const pairs = [...keys].map(partsOfBalanceKey);
  const owners = pairs.map(({ owner }) => owner);
  const currencies = pairs.map(({ currency }) => currency);
  const { rows } = await client.query(
    `select owner, currency, amount, locked
       from unnest($1::bytea[], $2::bytea[]) as key (owner, currency) join balances using (owner, currency)`,
    [arrayText('bytea', owners), arrayText('bytea', currencies)],
  );
  load(state.balances, STATE_TABLES.balances, rows);
  for (const key of keys) state.balances.load(key, null);
}

async function readDelegationsOfPools(
  client: pg.Client,
  state: LedgerState,
  poolIds: ReadonlySet<string>,
): Promise<void> {
  if (poolIds.size === 0) return;
  const spec = STATE_TABLES.delegations;
  const { rows } = await client.query(
    `select ${columnNames(spec).join(', ')} from delegations where pool_id = any($1::bytea[]) order by pool_id, delegation_id`,
    [arrayText('bytea', poolIds)],
  );
  load(state.delegations, spec, rows);
  // A pool that was created since then has its delegations in memory already.
  const unknown = new Set([...poolIds].filter((poolId) => !state.delegationsOfPool.has(poolId)));
  for (const poolId of unknown) state.delegationsOfPool.set(poolId, []);
  for (const { pool_id, delegation_id } of rows) {
    if (unknown.has(pool_id)) state.delegationsOfPool.get(pool_id)?.push(delegation_id);
  }
}

function load<Row extends object>(table: StateTable<Row>, spec: StateTableDefinition<Row>, records: object[]): void {
  for (const record of records) {
    const row = spec.fromRecord(record as never);
    table.load(spec.keyOf(row), row);
  }
}
