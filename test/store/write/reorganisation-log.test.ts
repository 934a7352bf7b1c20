import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rememberRemovedBlocks } from '../../../src/store/write/reorganisation-log.ts';
import { readChainTipAt } from '../../../src/store/write/tip.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { lightChain, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

it('removed blocks are remembered without reading the transactions below them', async (t) => {
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  await index.followBytes(lightChain(300).map(({ bytes }) => bytes));
  const { writer } = index.session;
  await writer.query('analyze');
  // The statistics of a session count what is not flushed yet, too.
  await writer.query('select pg_stat_force_next_flush()');
  await writer.query('begin');
  const { transactionCount } = await readChainTipAt(writer, 298);
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
  await writer.query('rollback');
});
