/** The scripts of deploy/compose that PostgreSQL's image runs, with a distribution's PostgreSQL instead of the image. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  asPostgres,
  PostgresServer,
  PROGRAMS,
  noReplication as skip,
  startReplicated,
} from '../../bench/replicated-postgres.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const COMPOSE = fileURLToPath(new URL('../../deploy/compose', import.meta.url));

it('the replica of the compose file copies the primary once, with a role that can only do that, and follows it', {
  skip,
}, async (t) => {
  const home = await temporaryDirectory(t);
  chmodSync(home, 0o755);
  const { primary } = await startReplicated(t, 0);
  // As the image: nobody is trusted, but whoever is on the machine; a replica is not named.
  const hba = join(primary.directory, 'pg_hba.conf');
  writeFileSync(hba, 'host all postgres 127.0.0.1/32 trust\nhost all all all scram-sha-256\n');
  const PATH = `${PROGRAMS}:${process.env.PATH}`;
  const passwords = { SCANNER_PASSWORD: 'red', WEB_PASSWORD: 'blue', REPLICATION_PASSWORD: 'it’s green' };
  const roles = spawnSync(join(COMPOSE, 'roles.sh'), {
    env: {
      PATH,
      ...passwords,
      DATABASE: 'mainnet',
      PGDATA: primary.directory,
      PGHOST: '127.0.0.1',
      PGPORT: `${primary.port}`,
    },
    encoding: 'utf8',
  });
  assert.equal(roles.status, 0, roles.stderr);
  await primary.query('select pg_reload_conf()');
  await primary.query('create table public.one (n int)');

  // The user of PostgreSQL cannot read the repository everywhere.
  const script = join(home, 'replica.sh');
  copyFileSync(join(COMPOSE, 'replica.sh'), script);
  chmodSync(script, 0o755);
  const data = join(home, 'volume', 'docker');
  mkdirSync(data, { recursive: true });
  for (const each of [join(home, 'volume'), data]) chownSync(each, asPostgres.uid ?? -1, asPostgres.gid ?? -1);
  const port = await freePort();
  let replica: ChildProcess | undefined;
  let said = '';
  const start = () => {
    replica = spawn(script, ['-p', `${port}`], {
      ...asPostgres,
      env: {
        ...asPostgres.env,
        PATH,
        PGDATA: data,
        PRIMARY: `host=127.0.0.1 port=${primary.port} user=replication`,
        REPLICATION_PASSWORD: passwords.REPLICATION_PASSWORD,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [replica.stdout!, replica.stderr!]) stream.on('data', (text) => (said += text));
  };
  const stop = async () => {
    if (replica === undefined || replica.exitCode !== null) return;
    const ended = once(replica, 'exit');
    replica.kill('SIGINT');
    await ended;
  };
  t.after(stop);
  const reader = new PostgresServer(data, port);
  const has = async (table: string) => {
    const rows = await reader.query(`select to_regclass('public.${table}') is not null as "isThere"`).catch(() => []);
    return rows[0]?.isThere === true;
  };

  start();
  await until(() => has('one'), 'the replica has what the primary had', { explain: () => said });
  assert.deepEqual(await reader.query('select pg_is_in_recovery() as r'), [{ r: true }]);
  await primary.query('create table public.two (n int)');
  await until(() => has('two'), 'the replica has what came later', { explain: () => said });

  // It does not need the primary to start again.
  await stop();
  await primary.kill();
  start();
  await until(() => has('two'), 'the replica has kept its copy', { explain: () => said });
});
