/** The index on which plans are looked at, made small: its rows must be what the tables and the readers expect. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createLargeDatabase, type LargeDatabase } from '../../bench/large-database.ts';
import { type ExplainedQuery, explainQueries } from '../../bench/query-plans.ts';
import { measureSizeFactors } from '../../bench/query-time-by-size.ts';
import { Bed } from '../../bench/test-bed.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';

let bed: Bed;
let large: LargeDatabase;

before(async () => {
  bed = await Bed.open();
  large = await createLargeDatabase(bed, networkByName('regtest-pos'), 3_000);
});
after(() => bed.close());

it('the large database answers every query behind a list, at its first page and deep in it', async () => {
  const explained: ExplainedQuery[] = await explainQueries(bed, large);
  assert.ok(explained.length > 60, `${explained.length} queries`);
  const empty = explained.filter(({ rows, place }) => rows === 0 && place !== 'offset anchors');
  const emptyPlaces = empty.map(({ name, place }) => `${name}, ${place}`);
  assert.deepEqual(emptyPlaces, []);
});

it('the large database is read at any depth as at its first pages', async () => {
  const explained: ExplainedQuery[] = await explainQueries(bed, large);
  assert.ok(explained.some(({ place }) => place === 'deep, by offset'));
  const atFault = explained.filter(({ faults }) => faults.length > 0);
  const faulty = atFault.map(({ name, place, faults }) => `${name}, ${place}: ${faults.join('; ')}`);
  assert.deepEqual(faulty, []);
});

it('the HTLCs among all that a wallet owns are found by its addresses in the indexes of HTLCs', async () => {
  const explained = await explainQueries(bed, large);
  const owned = explained.filter(({ name }) => name === 'owned');
  assert.equal(owned.length, 3);
  for (const { plan, place } of owned) {
    assert.doesNotMatch(plan, /Seq Scan on utxos/);
    for (const index of ['utxos_htlc_owner', 'utxos_refund_owner']) {
      const ofOwner = new RegExp(`Index Scan (?:using|on) ${index} .*\\n\\s+Index Cond: \\((?:refund_)?owner = `);
      assert.match(plan, ofOwner, `${place}, ${index}`);
    }
  }
});

it('the large database is compared with a smaller one, query by query', async () => {
  const small = await createLargeDatabase(bed, networkByName('regtest-pos'), 1_000);
  const factors = await measureSizeFactors(bed, small, large, { runs: 1, maxRuns: 1 });
  assert.ok(factors.length > 60, `${factors.length} queries`);
  for (const { name, small, large, factor } of factors) {
    assert.equal(factor, large.microseconds / small.microseconds, name);
    assert.ok(small.blocks > 0 && large.blocks > 0, name);
  }
});

it('the large database holds texts as the scanner writes them', async () => {
  const client = await bed.connect(large.postgres);
  const { rows } = await client.query<{ entry: string; place: string }>(
    'select entry, place from outputs join blocks using (height) limit 10',
  );
  for (const { entry, place } of rows) {
    const { outpoint, utxo, block } = JSON.parse(`${entry},"block":{${place}}}`);
    assert.deepEqual(Object.keys(outpoint), ['index', 'source_id', 'source_type']);
    assert.ok(utxo.type);
    assert.deepEqual(Object.keys(block), ['block_id', 'height', 'timestamp']);
  }
  await bed.disconnect(client);
});
