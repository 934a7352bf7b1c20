import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countDays, dayCountStatement } from '../../../src/store/write/day-counts.ts';
import { runStatements } from '../../../src/store/write/transferable-statements.ts';
import { WRITER_SETTINGS } from '../../../src/store/write/writer-session.ts';
import { filledDatabase } from '../../support/filled-database.ts';

const DAYS = 60;
const OWNERS_OF_A_DAY = 200;
const NEW_OWNERS = 100;
const TRANSACTIONS_OF_A_DAY = 2_000;

/** Each day has one block. Half of its owners are those of the day before. */
const FILL = `
  insert into days (height, day) select n, n from generate_series(0, ${DAYS}) n;
  insert into blocks
  select n, int4send(n), n * 86400, n * ${TRANSACTIONS_OF_A_DAY}, ${TRANSACTIONS_OF_A_DAY}, null, '', '', '', '', 0, 0, '', 0, 0, 0, 0
  from generate_series(0, ${DAYS}) n;
  insert into hours
  select n * 24, n, n, n * 86400, true, false, false, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0 from generate_series(0, ${DAYS}) n;
  insert into address_transactions (tx_index, owner, tx_id)
  select n, sha256(int4send(n / ${TRANSACTIONS_OF_A_DAY} * ${NEW_OWNERS} + n % ${OWNERS_OF_A_DAY})), int4send(n)
  from generate_series(0, ${DAYS * TRANSACTIONS_OF_A_DAY - 1}) n;
  -- As a small sample may find.
  alter table address_transactions alter column owner set (n_distinct = 100)`;

it('days are counted with the block that ends them once the index is ready, and not before', async (t) => {
  const client = await filledDatabase(t, FILL);
  await client.query(
    `insert into chain_tip (revision, height, block_id, timestamp, median_time, transaction_count, is_ready)
     values (1, ${DAYS}, '', 0, 0, 0, false)`,
  );
  const counted = async () => (await client.query('select from day_counts')).rowCount;
  await runStatements(client, [dayCountStatement()]);
  assert.equal(await counted(), 0);
  await client.query('update chain_tip set is_ready = true');
  await runStatements(client, [dayCountStatement()]);
  assert.equal(await counted(), DAYS);
});

it('addresses of days are found by the BRIN index, each is looked up once, also if the planner knows of few', async (t) => {
  const client = await filledDatabase(t, FILL);
  await client.query('vacuum analyze');
  await client.query(WRITER_SETTINGS);
  await countDays(client);
  const { rows: counts } = await client.query(
    'select active_addresses as active, new_addresses as new, staked from day_counts order by day',
  );
  assert.deepEqual(
    counts,
    Array.from({ length: DAYS }, (_, day) => {
      return { active: OWNERS_OF_A_DAY, new: day === 0 ? OWNERS_OF_A_DAY : NEW_OWNERS, staked: 7n };
    }),
  );
  await client.query('select pg_stat_force_next_flush()');
  const { rows: scans } = await client.query(
    `select indexrelname as index, idx_scan as scans from pg_stat_user_indexes
      where relname = 'address_transactions' order by indexrelname`,
  );
  assert.deepEqual(scans, [
    { index: 'address_transactions_key', scans: (DAYS + 1) * NEW_OWNERS },
    { index: 'address_transactions_tx_index', scans: DAYS },
  ]);
});
