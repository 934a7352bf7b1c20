import assert from 'node:assert/strict';
import { it } from 'node:test';
import type pg from 'pg';
import { pino } from 'pino';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { DatabaseState } from '../../../src/scanner/database/database-state.ts';
import { SyncProgress } from '../../../src/scanner/monitor/progress.ts';
import { BatchApplier } from '../../../src/scanner/sync/apply-batches.ts';
import { APPEND_ONLY_TABLES } from '../../../src/store/write/append-only-tables.ts';
import { runStatements } from '../../../src/store/write/transferable-statements.ts';
import { WriterSession } from '../../../src/store/write/writer-session.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { testDatabase } from '../../support/postgres.ts';

const network = networkByName('regtest');

/** The tables that autovacuum leaves alone. */
async function suspendedTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'chain_indexer'::regnamespace and 'autovacuum_enabled=false' = any (reloptions)`,
  );
  return rows.map(({ name }) => name).sort();
}

it('autovacuum leaves the append-only tables alone until readers can use the index, also after a restart', async (t) => {
  const postgres = await testDatabase(t);
  const session = await WriterSession.open(postgres);
  t.after(() => session.close());
  const { writer } = session;
  const first = await DatabaseState.open(session, new BatchApplier(network));
  await runStatements(writer, first.bootstrap!.begin);
  assert.deepEqual(await suspendedTables(writer), Object.keys(APPEND_ONLY_TABLES).sort());

  const second = await DatabaseState.open(session, new BatchApplier(network));
  const logger = pino({ level: 'silent' });
  const progress = new SyncProgress({ logger, terminal: null });
  const { signal } = new AbortController();
  await second.ensureReady({ postgres, buildMegabytes: 16, progress, signal, onStall: () => {} });
  assert.equal(second.isReady, true);
  assert.deepEqual(await suspendedTables(writer), []);
});

it('autovacuum cleans all tables of an index that is ready from the beginning', async (t) => {
  const { session } = await TestIndex.create(t, network);
  assert.deepEqual(await suspendedTables(session.writer), []);
});
