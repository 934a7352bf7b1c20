import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_REMOVED_BLOCKS, rememberRemovedBlocks } from '../../../src/store/write/reorganisation-log.ts';
import { readChainTipAt } from '../../../src/store/write/tip.ts';
import { upgrading } from '../../devnet/sim/networks.ts';
import { simulatedHistory, take } from '../../sim/history.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { lightChain, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

it('removed blocks are remembered with what their transactions did, without reading those below them', async (t) => {
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  await index.followBytes(lightChain(300).map(({ bytes }) => bytes));
  const { writer } = index.session;
  await writer.query('analyze');
  // The statistics of a session count what is not flushed yet, too.
  await writer.query('select pg_stat_force_next_flush()');
  await writer.query('begin');
  const { transactionCount } = await readChainTipAt(writer, 298);
  // Of a transaction that is too long what it did is not kept.
  await writer.query(`update transactions set body = repeat(' ', 65537) where tx_index = $1`, [transactionCount]);
  await rememberRemovedBlocks(writer, 298, transactionCount);
  const { rows: scans } = await writer.query(
    `select relname as table, seq_scan as scans from pg_stat_xact_user_tables where relname in ('transactions', 'blocks')
      order by relname`,
  );
  assert.deepEqual(scans, [
    { table: 'blocks', scans: 0 },
    { table: 'transactions', scans: 0 },
  ]);
  const { rows: removed } = await writer.query(
    `select (select count(*) from removed_blocks) as blocks, (select count(*) from removed_transactions) as transactions,
            (select count(*) from transactions where height > 298) as expected`,
  );
  assert.equal(removed[0].blocks, 2);
  assert.equal(removed[0].transactions, removed[0].expected);
  const { rows: bodies } = await writer.query(
    `select count(*) filter (where r.body = x.body and r.actors is not distinct from x.actors)::int as alike,
            count(*) filter (where r.body is null)::int as without
     from removed_transactions r join transactions x using (tx_id)`,
  );
  assert.deepEqual(bodies, [{ alike: Number(removed[0].expected) - 1, without: 1 }]);
  await writer.query('rollback');
});

it('removed blocks are remembered with their parents, once each, and only the newest of them', async (t) => {
  const history = simulatedHistory({ network: upgrading, blocks: 24, seed: 'stream6', reorganisationProbability: 0.3 });
  const index = await TestIndex.create(t, upgrading);
  for (const step of history.steps) await take(index, step);
  const main = new Set(history.mainChain.map(({ id }) => id));
  const left = history.steps
    .flatMap(({ blocks }) => blocks)
    .filter(({ id }) => !main.has(id))
    .map(({ id, block }) => `${id} ${block.header.prevBlockId}`);
  const stored = async () => {
    const { rows } = await index.query('select block_id, parent_id from removed_blocks order by removal_order');
    return rows.map(({ block_id, parent_id }) => `${block_id} ${parent_id}`);
  };
  const rows = await stored();
  assert.deepEqual(new Set(left).difference(new Set(rows)), new Set());
  assert.equal(new Set(rows).size, rows.length);
  await index.query(
    `insert into removed_blocks (block_id, height, parent_id)
     select int4send(n), 1, '\\x' from generate_series(1, ${MAX_REMOVED_BLOCKS}) n`,
  );
  await index.reorganise(history.mainChain.length - 1, history.mainChain.slice(-1));
  const kept = await stored();
  assert.equal(kept.length, MAX_REMOVED_BLOCKS);
  assert.equal(kept.at(-1)!.slice(0, 64), history.mainChain.at(-1)!.id);
});
