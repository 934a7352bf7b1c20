import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { networkByName, regtestPos } from '../../src/chain/networks/known-networks.ts';
import type { EmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { createGenesisIndex, prepareNewIndex } from '../../src/scanner/database/database-state.ts';
import { BatchApplier } from '../../src/scanner/sync/apply-batches.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { dropTables } from '../../src/store/schema/create-and-drop-tables.ts';
import { WriterSession } from '../../src/store/write/writer-session.ts';
import { ensureRoles } from '../../src/up/database-roles.ts';
import { createMissingDatabase, dropOlderIndex } from '../../src/up/prepare-database.ts';
import { createTables } from '../support/create-tables.ts';
import { startTestServer } from '../support/postgres.ts';
import { query } from '../support/running-scanner.ts';

// Roles belong to a whole server: this one is of its own.
let server: EmbeddedPostgres;
let admin: PostgresOptions;
let logins: Awaited<ReturnType<typeof ensureRoles>>;

before(async () => {
  server = await startTestServer();
  admin = { ...server.options, database: 'mintlayer "regtest"' };
  await createMissingDatabase(admin);
  // As a release before the roles did.
  await query(admin, 'create schema chain_indexer; create schema mine; create table mine.notes ()');
  logins = await ensureRoles(admin);
  const session = await WriterSession.open(logins.scanner);
  const applier = new BatchApplier(regtestPos);
  await createGenesisIndex(session, await prepareNewIndex(applier));
  await session.close();
});
after(() => server.stop());

const owners = async (of: PostgresOptions) => {
  const { rows } = await query<{ owner: string; count: number }>(
    of,
    `select relowner::regrole::text as owner, count(*)::int from pg_class
      where relnamespace = 'chain_indexer'::regnamespace group by 1`,
  );
  return rows.map(({ owner }) => owner);
};
const inDatabase = async (of: PostgresOptions, sql: string) =>
  (await query<{ value: unknown }>(of, sql)).rows[0]?.value;

test('neither the scanner nor the web server is a superuser', async () => {
  for (const login of [logins.scanner, logins.webServer]) {
    assert.equal(await inDatabase(login, `select current_setting('is_superuser') as value`), 'off');
  }
});

test('the scanner can build the index in a schema of the superuser, and nothing else is handed over', async () => {
  assert.deepEqual(await owners(logins.scanner), ['chain_indexer_scanner']);
  const notes = `select relowner::regrole::text as value from pg_class where oid = 'mine.notes'::regclass`;
  assert.equal(await inDatabase(admin, notes), 'chain_indexer');
});

test('the web server cannot write anything, even when it asks to', async () => {
  const refused = async (sql: string, reason: RegExp) => assert.rejects(query(logins.webServer, sql), reason);
  await refused('delete from chain_indexer.blocks', /read-only transaction/);
  for (const sql of [
    'delete from chain_indexer.blocks',
    'create table chain_indexer.x ()',
    'create table public.x ()',
    'create schema x',
    'create temporary table x ()',
    'alter role chain_indexer_scanner superuser',
    `copy (select 1) to program 'true'`,
  ]) {
    await refused(`set default_transaction_read_only = off; commit; ${sql}`, /permission denied|must be owner/);
  }
});

test('the scanner can do all its work there, a resync as well', async () => {
  const session = await WriterSession.open(logins.scanner);
  await dropTables(session.writer);
  await createTables(session.writer);
  await session.close();
  assert.equal(await inDatabase(logins.webServer, 'select count(*)::int as value from chain_indexer.blocks'), 0);
  await assert.rejects(query(logins.scanner, `copy (select 1) to program 'true'`), /permission denied/);
});

test('every start gives new passwords, several at once do not disturb each other', async () => {
  const [first, second] = await Promise.all([ensureRoles(admin), ensureRoles(admin)]);
  assert.notEqual(first.scanner.password, second.scanner.password);
  await assert.rejects(query(logins.scanner, 'select 1'), /password authentication failed/);
  const works = await Promise.allSettled([first, second].map((each) => query(each.webServer, 'select 1')));
  assert.deepEqual(works.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('only an index of an older storage version is dropped for a newer release', async () => {
  const older = { ...server.options, database: 'older' };
  await createMissingDatabase(older);
  assert.equal(await dropOlderIndex(older, regtestPos), undefined, 'an empty database');
  const session = await WriterSession.open(older);
  await createGenesisIndex(session, await prepareNewIndex(new BatchApplier(regtestPos)));
  await session.close();
  assert.equal(await dropOlderIndex(older, regtestPos), undefined);
  const setVersion = (version: string) =>
    query(older, `update chain_indexer.meta set value = '${version}' where name = 'storage_version'`);
  await setVersion('1000');
  await assert.rejects(dropOlderIndex(older, regtestPos), /made by .* newer.*; nothing was changed/);
  await setVersion('8');
  await assert.rejects(dropOlderIndex(older, networkByName('testnet')), /holds the chain of regtest-pos/);
  assert.equal(await dropOlderIndex(older, regtestPos), '8');
  const left = `select count(*)::int as value from pg_tables where schemaname = 'chain_indexer'`;
  assert.equal(await inDatabase(older, left), 0);
});
