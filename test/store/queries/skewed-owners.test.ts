/** Owners of whom there is much that a list does not show: the list does not read it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type pg from 'pg';
import { executeSql } from '../../../bench/query-plans.ts';
import { SPENDABLE_UTXO_LIST } from '../../../src/store/queries/addresses/address-outputs.ts';
import { HISTORY_LIST } from '../../../src/store/queries/addresses/balance-history.ts';
import { ADDRESS_HTLC_LIST } from '../../../src/store/queries/addresses/htlcs.ts';
import { WHOLE_CHAIN } from '../../../src/store/queries/blocks/chain-points.ts';
import { WALLET_HISTORY_LIST } from '../../../src/store/queries/wallets/wallet-history.ts';
import type { Query, QueryRunner, SqlValue } from '../../../src/store/read/query.ts';
import { READING_SETTINGS } from '../../../src/store/read/read-connection.ts';
import { builtBefore } from '../../support/file-scope.ts';
import { filledDatabase } from '../../support/filled-database.ts';

const ROWS = 20_000;
const OWNER = `01${'5a'.repeat(20)}`;
const RARE = 'ab'.repeat(32);
const UNKNOWN = 'cd'.repeat(32);
/** A descent of some indexes, and some rows. */
const FEW_BLOCKS = 60;

const FILL = `
  insert into chain_tip (revision, height, block_id, timestamp, median_time, transaction_count, is_ready)
  values (1, ${ROWS}, '', 0, 0, 0, true);
  insert into balance_changes
  select n, 0, 1, '\\x${OWNER}', case n when 7 then '\\x${RARE}'::bytea else '' end, 1, n, 0, 0
  from generate_series(1, ${ROWS}) n;
  insert into balance_changes
  select n, 1, 1, int4send(n % 500), case n % 3 when 0 then sha256(int4send(n % 40)) else '' end, 1, n, 0, 0
  from generate_series(1, ${ROWS}) n;
  insert into utxos
  select int4send(n), n, 0, 0, '\\x${OWNER}', null, case n when 7 then null else 1000000 end, null, null, null, false, null, null, ''
  from generate_series(1, ${ROWS}) n;
  insert into utxos
  select int4send(-n), n, 0, 1, '\\x${OWNER}', '\\x${OWNER}', 1000000, null, 1000000, null, false, '', 1, ''
  from generate_series(1, ${ROWS}) n`;

const client = builtBefore(async (scope) => {
  const opened = await filledDatabase(scope, FILL);
  await opened.query('vacuum analyze');
  await opened.query(READING_SETTINGS);
  return opened;
});

/** Explains a read as the program runs it, and returns how many blocks it touches. */
async function blocksOf(connection: pg.Client, read: (store: QueryRunner) => unknown): Promise<number> {
  let asked: readonly [Query<readonly SqlValue[], unknown>, readonly SqlValue[]] | undefined;
  const query = (each: Query<readonly SqlValue[], unknown>, ...parameters: readonly SqlValue[]) => {
    asked = [each, parameters];
    return new Promise(() => {});
  };
  void read({ query, queryLong: query } as unknown as QueryRunner);
  const [explained, parameters] = asked!;
  await connection.query(`deallocate all; prepare explained as ${explained.sql}`);
  const { rows } = await connection.query(
    `explain (analyze, buffers, format json) ${executeSql('explained', { query: explained, parameters })}`,
  );
  const { Plan: plan } = rows[0]['QUERY PLAN'][0];
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

const first = { after: null, limit: 10 };
const changes = { kinds: [], directions: [], range: WHOLE_CHAIN } as const;

for (const [what, read] of [
  [
    'the history of a currency of which it had little',
    (store) => HISTORY_LIST.read(store, { owner: OWNER, currency: RARE, ...changes, ...first }),
  ],
  [
    'the history of a currency that it never had',
    (store) => HISTORY_LIST.read(store, { owner: OWNER, currency: UNKNOWN, ...changes, ...first }),
  ],
  [
    'the history of a currency in a wallet',
    (store) => WALLET_HISTORY_LIST.read(store, { owners: [OWNER], currency: RARE, range: WHOLE_CHAIN, ...first }),
  ],
  [
    'the spendable outputs among locked ones',
    (store) => SPENDABLE_UTXO_LIST.read(store, { owner: OWNER, refundWaitsForLock: true, ...first }),
  ],
  ['the HTLCs that it may refund', (store) => ADDRESS_HTLC_LIST.read(store, { owner: OWNER, ...first })],
] as const satisfies readonly (readonly [string, (store: QueryRunner) => unknown])[]) {
  it(`an owner of whom there is much has few blocks read for ${what}`, async () => {
    const blocks = await blocksOf(client(), read);
    assert.ok(blocks < FEW_BLOCKS, `${blocks} blocks`);
  });
}
