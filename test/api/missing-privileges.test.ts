/** A web server whose database user may not read the index: what clients and the operator are told. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { dropTables } from '../../src/store/schema/create-and-drop-tables.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testDatabase, testRole } from '../support/postgres.ts';
import { query } from '../support/running-scanner.ts';
import { until } from '../support/until.ts';
import { Notebook, startTestWebServer, type TestServer } from '../support/web-server.ts';

const network = networkByName('regtest');

const ALL = 'select on all tables in schema chain_indexer';
const USAGE = 'usage on schema chain_indexer';

/** A web server whose user has these rights; `sql` runs as the owner, with the user's name for `web`. */
async function start(t: TestContext, rights: readonly string[]) {
  const index = await TestIndex.create(t, network);
  const postgres = await testRole(t, index.postgres);
  const { user } = postgres;
  const sql = (text: string) => index.query(text.replace(/\bweb\b/, user));
  for (const right of rights) await sql(`grant ${right} to web`);
  const log = new Notebook();
  const server = await startTestWebServer(t, { network, postgres, logger: log });
  return { index, sql, log, server, user };
}

/** Waits until clients are told that the user may not read, and the operator was told once, what is missing and what to do. */
async function refuses(server: TestServer, log: Notebook, user: string, reason: RegExp, times = 1): Promise<void> {
  // Readiness is logged besides.
  const ofRights = () => log.of(/^warn There is no index.*may not read the index/);
  await until(() => ofRights().length === times, 'the line of the log', { explain: () => log.lines.join('\n') });
  for (let i = 0; i < 20; i++) {
    for (const path of ['/chain/tip', '/transaction', '/pool']) {
      const { status, body } = await server.get(path);
      assert.equal(status, 503);
      assert.match(body.error, /^The web server's database user may not read the index\./);
    }
  }
  assert.match((await server.request('/ready')).text, /user may not read the index/);
  assert.equal(ofRights().length, times);
  assert.match(ofRights().at(-1)!, reason);
  assert.match(
    ofRights().at(-1)!,
    new RegExp(`^warn There is no index to read: .*User ${user} may not read the index`),
  );
  assert.ok(ofRights().at(-1)!.includes(`GRANT pg_read_all_data TO \\"${user}\\"; or grant USAGE`));
}

async function serves(server: TestServer, log: Notebook, times = 1): Promise<void> {
  await until(() => server.isReady(), 'readiness', { explain: () => log.lines.join('\n') });
  assert.deepEqual(await server.json('/transaction'), []);
  assert.equal(log.of(/^info The index can be read now/).length, times);
}

it('a web server whose user may not use the schema says so, and serves as soon as it may', async (t) => {
  const { sql, log, server, user } = await start(t, [ALL]);
  await refuses(server, log, user, /no USAGE on the schema chain_indexer/);
  await sql(`grant ${USAGE} to web`);
  await serves(server, log);
});

it('a web server whose user may not read the tables says so, and serves as soon as it may', async (t) => {
  const { sql, log, server, user } = await start(t, [USAGE]);
  await refuses(server, log, user, /no SELECT on .*blocks, .*chain_tip/);
  await sql('grant pg_read_all_data to web');
  await serves(server, log);
  assert.deepEqual(log.of(/holds no chain|could not be checked/), []);
});

it('a web server whose user loses its rights while it runs notices that each time', async (t) => {
  const { sql, log, server, user } = await start(t, [USAGE, ALL]);
  await serves(server, log, 0);
  await sql(`revoke ${ALL} from web`);
  await refuses(server, log, user, /no SELECT on/);
  await sql(`grant ${ALL} to web`);
  await serves(server, log);
  await sql(`revoke ${USAGE} from web`);
  await refuses(server, log, user, /no USAGE on/, 2);
  await sql(`grant ${USAGE} to web`);
  await serves(server, log, 2);
});

it('a web server whose user may not read one of the tables finds out when it needs that', async (t) => {
  const { sql, log, server, user } = await start(t, [USAGE, ALL]);
  await sql('revoke select on chain_indexer.pools from web');
  await until(() => server.isReady(), 'readiness');
  const { status, body } = await server.get('/pool');
  assert.equal(status, 503);
  assert.match(body.error, /user may not read the index/);
  await refuses(server, log, user, /no SELECT on pools\./);
  await sql('grant select on chain_indexer.pools to web');
  await serves(server, log);
  assert.deepEqual(await server.json('/pool'), []);
});

it('a web server whose user may not connect is told what to grant, and not to own the database', async (t) => {
  const postgres = await testDatabase(t);
  const { database } = postgres;
  const web = await testRole(t, postgres);
  await query(postgres, `revoke connect on database ${database} from public`);
  await assert.rejects(startTestWebServer(t, { network, postgres: web }), {
    name: 'OperatorError',
    message: new RegExp(`may not connect .*: GRANT CONNECT ON DATABASE "${database}" TO "${web.user}"\\.$`),
  });
});

it('a web server of a database without an index leaves no errors in the log of PostgreSQL', async (t) => {
  const postgres = await testDatabase(t);
  await serveWithoutIndex(t, postgres, 500);
  assert.equal(await failures(postgres), 0);
});

it('a web server of a database with tables of others leaves few errors in the log of PostgreSQL', async (t) => {
  const postgres = await testDatabase(t);
  await serveWithoutIndex(t, postgres, 2_500, async () => {
    await query(postgres, 'create schema chain_indexer; create table chain_indexer.chain_tip ()');
  });
  const failed = await failures(postgres);
  assert.ok(failed >= 1 && failed <= 4, `${failed} errors`);
});

it('a web server logs once that its index was dropped', async (t) => {
  const { index, log, server } = await start(t, [USAGE, ALL]);
  await until(() => server.isReady(), 'readiness');
  await dropTables(index.session.writer);
  // Readiness is logged besides, with the same reason.
  await until(() => log.of(/^warn There is no index.*holds no chain yet/).length === 1, 'the line of the log', {
    explain: () => log.lines.join('\n'),
  });
  for (let i = 0; i < 30; i++) assert.match((await server.get('/transaction')).body.error, /holds no chain yet/);
  // That it is not ready is another line, and the PostgreSQL of a busy machine may be silent for seconds.
  assert.equal(log.of(/^warn (?!Waiting for PostgreSQL|Not ready)/).length, 1);
});

/** Runs a web server for a while after it has noticed that there is no index, and `change` was done. */
async function serveWithoutIndex(
  t: TestContext,
  postgres: PostgresOptions,
  ms: number,
  change?: () => Promise<void>,
): Promise<void> {
  const server = await startTestWebServer(t, { network, postgres });
  await until(async () => /no chain yet/.test((await server.get('/transaction')).text), 'the first look');
  await change?.();
  await sleep(ms);
  await server.stop();
}

/** Statements that failed. Connections count them, and write them down when they end. */
async function failures(postgres: PostgresOptions): Promise<number> {
  const servers = `select from pg_stat_activity
    where datname = current_database() and application_name = 'chain-indexer web server'`;
  await until(async () => (await query(postgres, servers)).rowCount === 0, 'the end of the connections');
  const { rows } = await query<{ failed: number }>(
    postgres,
    `select xact_rollback::int as failed from pg_stat_database where datname = current_database()`,
  );
  return rows[0]!.failed;
}
