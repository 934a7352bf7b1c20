/** PgBouncer between the programs and PostgreSQL, where it is installed. */
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { freePort } from '../../../src/embedded/free-port.ts';
import { OperatorError } from '../../../src/errors/operator-error.ts';
import { BatchWriter } from '../../../src/scanner/write/batch-writer.ts';
import { ReadPool } from '../../../src/serving/resources/read-pool.ts';
import { openPostgresConnection, type PostgresOptions } from '../../../src/store/postgres/connect.ts';
import { beginTransaction } from '../../../src/store/postgres/in-transaction.ts';
import { getMeta } from '../../../src/store/queries/chain/meta.ts';
import { queryFunction } from '../../../src/store/read/query.ts';
import { verifyIndex } from '../../../src/store/verify/verify.ts';
import { sqlStatement } from '../../../src/store/write/transferable-statements.ts';
import { has } from '../../package/proxies.ts';
import { start } from '../../package/run-as-stranger.ts';
import { dumpOf, stoppedScanner } from '../../support/following-scanner.ts';
import { testDatabase } from '../../support/postgres.ts';
import { consistentDump, query, RunningScanner } from '../../support/running-scanner.ts';
import { ScriptedNode } from '../../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK as network } from '../../support/simulated-chain.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { SILENT, startTestWebServer } from '../../support/web-server.ts';

const skip = !has('pgbouncer') && 'PgBouncer is not installed (apt-get install pgbouncer)';
const chain = lightChain(60, 5);
const indexOf = stoppedScanner(chain);

/** The way to the database through a PgBouncer with these lines in its configuration. */
async function pooled(
  t: TestContext,
  postgres: PostgresOptions,
  ...lines: readonly string[]
): Promise<PostgresOptions> {
  const { host, port: serverPort, user, password, database } = postgres;
  const home = await temporaryDirectory(t);
  await chmod(home, 0o755);
  const port = await freePort();
  const file = join(home, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]\n${database} = host=${host} port=${serverPort} user=${user} password=${password}\n` +
      `[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\n${lines.join('\n')}\n`,
  );
  // It refuses to run as root.
  const asWhom = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const { output } = start(t, home, 'pgbouncer', [...asWhom, file]);
  const accepts = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  await until(accepts, 'PgBouncer', { explain: output });
  return { ...postgres, host: '127.0.0.1', port };
}

async function setForOthers(postgres: PostgresOptions): Promise<void> {
  await query(postgres, `alter database ${postgres.database} set search_path = public`);
  await query(postgres, `alter database ${postgres.database} set bytea_output = 'escape'`);
}

for (const remedy of [[], ['ignore_startup_parameters = lock_timeout,options,extra_float_digits']]) {
  it(`a pooler of sessions ${remedy.length === 0 ? '' : 'that drops settings '}is no different from PostgreSQL itself`, {
    skip,
  }, async (t) => {
    const postgres = await testDatabase(t);
    await setForOthers(postgres);
    const through = await pooled(t, postgres, 'pool_mode = session', ...remedy);
    const node = await ScriptedNode.start(t, network);
    node.grow(chain.slice(0, 40));
    // The one syncs in bulk through the pooler, the next one follows directly.
    const scanner = await RunningScanner.start(t, { node, postgres: through, bulkDistance: 10 });
    await scanner.reaches(chain[39]!.id);
    await scanner.stop();
    node.grow(chain.slice(40));
    const direct = await RunningScanner.start(t, { node, postgres });
    await direct.reaches(chain.at(-1)!.id);
    const servers = [
      await startTestWebServer(t, { network, postgres: through }),
      await startTestWebServer(t, { network, postgres }),
    ];
    for (const path of ['/chain/tip', '/transaction?items=20', `/block/${chain[50]!.id}`]) {
      const [answer, right] = await Promise.all(servers.map((server) => server.json(path)));
      assert.deepEqual(answer, right);
    }
    const { rows } = await query(postgres, `select from pg_tables where schemaname = 'public'`);
    assert.equal(rows.length, 0);
    assert.deepEqual(await consistentDump(postgres, network), await dumpOf(t, chain));
  });
}

for (const mode of ['transaction', 'statement']) {
  it(`a pooler of ${mode}s is refused by every program, with one line and status 2`, { skip }, async (t) => {
    const postgres = await indexOf(t);
    const through = await pooled(t, postgres, `pool_mode = ${mode}`);
    const isRefused = (error: unknown) => {
      assert.ok(error instanceof OperatorError, String(error));
      assert.equal(error.exitCode, 2);
      assert.match(
        error.message,
        /^the connection pooler at 127\.0\.0\.1:\d+ cannot be used: .*pool_mode=session\), or connect.*$/,
      );
      return true;
    };
    const node = await ScriptedNode.start(t, network);
    const scanner = await RunningScanner.start(t, { node, postgres: through });
    isRefused(await scanner.ended());
    await assert.rejects(startTestWebServer(t, { network, postgres: through }), isRefused);
    await assert.rejects(verifyIndex(through, network).next(), isRefused);
  });
}

it('a web server that runs answers 503 when the pooler pools transactions from now on', { skip }, async (t) => {
  const postgres = await indexOf(t);
  const through = await pooled(t, postgres, 'pool_mode = transaction');
  // Nothing listens there at first, so that nothing can be checked at the start.
  const proxy = await TcpProxy.start(t, through);
  await proxy.close();
  const server = await startTestWebServer(t, { network, postgres: { ...through, ...proxy.address } });
  await proxy.reopen();
  await until(
    async () =>
      (await query(postgres, `select from pg_stat_activity where application_name like '%pool mode%'`)).rows.length > 0,
    'a look at the pool mode',
  );
  for (const path of ['/chain/tip', '/transaction']) assert.equal((await server.get(path)).status, 503, path);
});

it('a statement that finds the settings of somebody else gives nothing, rather than rows of other tables', async (t) => {
  const postgres = await indexOf(t);
  await query(
    postgres,
    `create table public.chain_tip as select * from chain_indexer.chain_tip;
     create table public.meta as select name, 'of others' as value from chain_indexer.meta`,
  );
  const reader = new ReadPool({ postgres: { ...postgres, maxConnections: 2 }, logger: SILENT });
  t.after(() => reader.close());
  await reader.open();
  assert.equal((await getMeta(reader, 'network')).rows[0]?.value, network.name);
  // As if a pooler had given its only connection to another program meanwhile.
  const setPath = queryFunction<[path: string], { readonly path: string }>({
    name: 'test_path',
    parameters: { path: 'text' },
    select: `select set_config('search_path', :path, false) as path`,
  });
  await setPath(reader, 'public');
  await assert.rejects(getMeta(reader, 'network'), { name: 'StoreError', kind: 'not ready' });
});

it('bytes in the format of somebody else are an error', async (t) => {
  const client = await openPostgresConnection(await testDatabase(t), 'test');
  t.after(() => client.end());
  const read = () => client.query(`select '\\x00ff'::bytea as bytes`);
  assert.equal((await read()).rows[0].bytes, '00ff');
  await client.query(`set bytea_output = 'escape'`);
  await assert.rejects(read(), /bytes that are not in hex/);
});

it('a transaction writes into our schema, whatever the session searches', async (t) => {
  const postgres = await testDatabase(t);
  const client = await openPostgresConnection(postgres, 'test');
  t.after(() => client.end());
  await client.query('create schema chain_indexer; set search_path = public');
  await beginTransaction(client);
  await client.query('create table here (a int); commit');
  const bulk = new BatchWriter(postgres, () => {});
  t.after(() => bulk.close());
  await bulk.write({ statements: [sqlStatement('set search_path = public')], commits: true });
  await bulk.write({ statements: [sqlStatement('create table there (a int)')], commits: true });
  const { rows } = await query<{ name: string }>(
    postgres,
    `select schemaname || '.' || tablename as name from pg_tables where tablename in ('here', 'there') order by 1`,
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['chain_indexer.here', 'chain_indexer.there'],
  );
});
