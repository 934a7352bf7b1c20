/** That the tables are compared with an account of the chain that is not the ledger's: a wrong value in them is found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignKernels } from '../devnet/sim/networks.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { RARE, simulatedHistory } from './history.ts';
import { differencesFromWorld, rowsOfWorld } from './world-in-tables.ts';

test('a wrong value is found in each column that only the ledger computes', async (t) => {
  const history = simulatedHistory({ network: foreignKernels, blocks: 75, seed: 'wrong values', mix: RARE });
  const index = await TestIndex.create(t, foreignKernels);
  await index.follow(history.mainChain, 40);
  const { writer } = index.session;
  const world = rowsOfWorld(history);
  assert.deepEqual(await differencesFromWorld(writer, world), []);
  for (const [table, key, change, where] of [
    ['pools', 'pool_id', 'decommissioned_by = decommissioned_by + 1', 'decommissioned_by is not null'],
    ['pools', 'pool_id', 'decommissioned_by = null', 'decommissioned_by is not null'],
    ['pools', 'pool_id', 'decommissioned_by = 1', 'decommissioned_by is null'],
    ['utxos', 'outpoint', 'htlc_amount = htlc_amount + 1', 'htlc_amount is not null'],
    ['utxos', 'outpoint', 'htlc_amount = null', 'htlc_amount = 0'],
    ['utxos', 'outpoint', 'htlc_amount = 0', 'htlc_amount is null'],
    ['utxos', 'outpoint', `htlc_currency = '\\x01'`, `htlc_currency = ''`],
    ['utxos', 'outpoint', `htlc_currency = ''`, `htlc_currency > ''`],
    ['utxos', 'outpoint', 'htlc_currency = null', 'htlc_currency is not null'],
  ] as const) {
    await writer.query('begin');
    const one = `(select ${key} from ${table} where ${where} order by 1 limit 1)`;
    const { rows } = await writer.query(`update ${table} set ${change} where ${key} = ${one} returning ${key} as key`);
    assert.equal(rows.length, 1, `there is a row where ${where}`);
    const found = await differencesFromWorld(writer, world);
    await writer.query('rollback');
    assert.equal(found.length, 1, change);
    assert.match(found[0]!, new RegExp(`^${table} ${rows[0].key}: ${change.split(' ')[0]} is `));
  }
});
