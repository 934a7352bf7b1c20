/** The blocks of transactions that reorganisations removed. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import type { SimulatedBlock } from '../../../src/devnet/sim/seal-block.ts';
import { getTransactionRemoval } from '../../../src/store/queries/blocks/removed-blocks.ts';
import { secondsOf } from '../../explorer/page-values.ts';
import { directStore } from '../../support/direct-store.ts';
import { getPage } from '../../support/html-page.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { lightSimulation, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

const identified = (blocks: readonly SimulatedBlock[]) => blocks.map(({ bytes }) => identifyBlock(bytes));
const idsOf = (blocks: readonly SimulatedBlock[]) => blocks.flatMap(({ transactionIds }) => transactionIds);

it('a transaction knows its last removed block, unless this block is on the main chain again', async (t) => {
  const simulation = lightSimulation('left');
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  const store = await directStore(t, index.postgres);
  const trunk = simulation.mine(30);
  const first = simulation.mine(6);
  await index.follow(identified([...trunk, ...first]), 50);
  const second = simulation.reorganise(6, 8);

  /** The removed blocks of all transactions but those of the trunk. */
  const removals = async () => {
    const removed = new Map<string, string>();
    for (const id of idsOf([...trunk, ...first, ...second])) {
      const found = await getTransactionRemoval(store, id);
      assert.equal(found.dependsOnHistory, found.rows.length > 0);
      const [row] = found.rows;
      if (row === undefined) continue;
      assert.ok(Math.abs(row.removed_at - Date.now() / 1_000) < 60);
      removed.set(id, `${row.height} ${row.block_id}`);
    }
    return removed;
  };
  /** Of blocks that were removed. */
  const expected = (blocks: readonly SimulatedBlock[]) =>
    new Map(
      blocks.flatMap(({ transactionIds, height, id }) => transactionIds.map((each) => [each, `${height} ${id}`])),
    );

  assert.deepEqual(await removals(), new Map());
  assert.ok(idsOf(first).length > 0);
  await index.reorganise(30, identified(second));
  assert.deepEqual(await removals(), expected(first));
  // Back to the first branch: its blocks are no longer removed, those of the second are.
  await index.reorganise(30, identified(first));
  assert.deepEqual(await removals(), expected(second));
  await index.reorganise(30, identified(second));
  assert.deepEqual(await removals(), expected(first));

  // The transactions of blocks that are forgotten are forgotten with them.
  await index.query('delete from removed_blocks');
  assert.deepEqual(await removals(), new Map());
  const { rows } = await index.query('select from removed_transactions');
  assert.equal(rows.length, 0);
});

it('a removed block is known with what replaced it and where its transactions are now, until it is back', async (t) => {
  const simulation = lightSimulation('left');
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  const trunk = simulation.mine(30);
  const first = simulation.mine(6);
  await index.follow(identified([...trunk, ...first]), 50);
  const second = simulation.reorganise(6, 8);
  await index.reorganise(30, identified(second));
  const { core, described } = await index.serveBoth(t);
  const placeOf = new Map(
    second.flatMap(({ id, height, transactionIds }) => transactionIds.map((tx) => [tx, { id, height }])),
  );

  const [{ removed }] = (await described.json('/chain/reorganisations')).items;
  let moved = 0;
  for (const [i, { id, height, transactionIds }] of first.entries()) {
    const { timestamp } = identified(first)[i]!.block.header;
    const { status, body } = await described.get(`/block/${id}`);
    assert.equal(status, 404);
    const { removed_at, ...said } = body;
    assert.ok(Math.abs(removed_at - Date.now() / 1_000) < 120);
    assert.deepEqual(said, {
      error: 'Block not found',
      removed: true,
      height,
      timestamp,
      replaced_by: second.find((block) => block.height === height)!.id,
      transaction_count: transactionIds.length,
      transactions: [...transactionIds].sort().map((tx_id) => {
        const place = placeOf.get(tx_id);
        return { tx_id, block_id: place?.id ?? null, height: place?.height ?? null };
      }),
    });
    await core.refuses(`/block/${id}`, 404, 'Block not found');
    const [found] = (await described.json(`/search?q=${id}`)).items;
    assert.deepEqual([found.type, found.id, found.detail], ['block', id, 'Removed by a reorganisation']);
    const { main } = await getPage(described, `/block/${id}`);
    assert.match(main.text, /A reorganisation removed this block from the main chain/);
    assert.ok(main.links().includes('/reorganisations'));
    assert.equal(main.one('h1').text, `Block ${height} removed`);
    assert.equal(secondsOf(main.fact('Time')), timestamp);
    const { pool_id } = removed.find(({ block_id }: { block_id: string }) => block_id === id);
    assert.deepEqual(main.fact('Pool').links(), [`/pool/${pool_id}`]);
    const rows = main.table('transactions');
    assert.equal(rows.length, transactionIds.length);
    for (const [tx, action, now] of rows) {
      const place = placeOf.get(tx!.links()[0]!.slice('/tx/'.length));
      if (place !== undefined) moved += 1;
      assert.equal(now!.text, place === undefined ? 'Not in any block' : `block ${place.height} ${place.id}`);
      assert.notEqual(action!.text, '–', 'what it did is known, wherever it is');
    }
  }
  assert.ok(moved > 0, 'some are in other blocks now');
  // As scanners before release 1.0 have written it.
  await index.query(`update reorganisations set removed = regexp_replace(removed, ':[0-9]+(?=,|$)', '', 'g')`);
  const { body: old } = await described.get(`/block/${first[0]!.id}?again`);
  assert.deepEqual([old.removed, old.timestamp, old.height], [true, null, first[0]!.height]);
  await described.refuses(`/block/${'ee'.repeat(32)}`, 404, 'Block not found');
});
