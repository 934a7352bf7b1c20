/** Every command of docs/backups.md, with the programs of a distribution's PostgreSQL, while a scanner runs. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  asPostgres,
  noReplication,
  PostgresServer,
  PROGRAMS,
  startReplicated,
} from '../../bench/replicated-postgres.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { consistentDump, RunningScanner, reached } from '../support/running-scanner.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INDEX = 'mintlayer-test';

/** The commands of a heading, in their order. */
async function commandsOf(heading: string): Promise<string[]> {
  const text = await readFile(join(ROOT, 'docs/backups.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(heading));
  assert.ok(section, `docs/backups.md has no heading ${heading}`);
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands!);
}

/** Runs commands of the page as the user that PostgreSQL runs as; the test's values take the place of those of the page. */
function run(commands: string, env: Readonly<Record<string, string>>): Promise<string> {
  const script = commands
    .replace(/^export .*$/gm, '')
    .replaceAll(
      'npm run verify -- --quick --network mainnet',
      '"$NODE" "$VERIFY" --quick --network regtest-pos $NODE_ACCESS',
    );
  return new Promise((resolve, reject) => {
    const options = {
      ...asPostgres,
      cwd: '/',
      env: { ...asPostgres.env, PATH: `${PROGRAMS}:${process.env.PATH}`, ...env },
    };
    execFile('bash', ['--norc', '-euo', 'pipefail', '-c', script], options, (error, stdout, stderr) =>
      error === null ? resolve(`${stdout}${stderr}`) : reject(new Error(`${script}\n${error.message}\n${stdout}`)),
    );
  });
}

async function directoryFor(t: TestContext, ...names: string[]): Promise<string[]> {
  const home = await temporaryDirectory(t);
  await chmod(home, 0o755);
  return Promise.all(
    names.map(async (name) => {
      const path = join(home, name);
      await mkdir(path, { mode: 0o700 });
      if (asPostgres.uid !== undefined) await chown(path, asPostgres.uid, asPostgres.gid!);
      return path;
    }),
  );
}

it('an index is backed up while the scanner writes, restored, compared with the node, and continued; as docs/backups.md says', {
  skip: noReplication,
}, async (t) => {
  const chain = lightChain(1_200, 12);
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.add(chain);
  node.setTip(chain[1_049]!.id);
  const [{ primary: old }, { primary: fresh }] = await Promise.all([startReplicated(t, 0), startReplicated(t, 0)]);
  const [backups, archive] = await directoryFor(t, 'backups', 'archive');
  const variables = (server: PostgresServer) => ({
    PGHOST: '127.0.0.1',
    PGPORT: String(server.port),
    PGUSER: 'postgres',
    INDEX,
    BACKUP: join(backups!, 'dump'),
    FILES: join(backups!, 'files'),
    ARCHIVE: archive!,
    NODE: process.execPath,
    VERIFY: join(ROOT, 'bin/verify.ts'),
    NODE_ACCESS: `--node-rpc-address ${node.address} --node-rpc-username a --node-rpc-password b`,
  });
  const inIndex = (server: PostgresServer): PostgresOptions => ({
    ...server.options,
    database: INDEX,
    user: 'scanner',
  });

  await appendFile(
    join(old.directory, 'postgresql.conf'),
    `archive_mode = on\narchive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'\n`,
  );
  await old.kill();
  await old.start();
  await old.query('create role scanner login');
  await old.query(`create database "${INDEX}" owner scanner encoding 'UTF8' template template0`);
  const scanner = await RunningScanner.start(t, {
    node: { address: node.address, network: SIMULATED_NETWORK },
    postgres: inIndex(old),
  });
  await scanner.reaches(chain[1_049]!.id);

  // The scanner writes meanwhile.
  let next = 1_050;
  const grow = () => node.setTip(chain[next++]!.id);
  const growing = setInterval(() => next < 1_150 && grow(), 20);
  t.after(() => clearInterval(growing));
  for (const commands of await commandsOf('Back up')) await run(commands, variables(old));
  const [copyFiles, restoreFiles] = await commandsOf('Return to a point in time');
  await run(copyFiles!, variables(old));
  clearInterval(growing);
  const tipThen = chain[next - 1]!;
  await scanner.reaches(tipThen.id);
  const [moment] = await old.query<{ now: string }>('select clock_timestamp()::text as now');
  node.setTip(chain[1_160]!.id);
  await scanner.reaches(chain[1_160]!.id);
  await old.query('select pg_switch_wal()');

  for (const commands of await commandsOf('Restore on a new host')) await run(commands, variables(fresh));
  const [compare] = await commandsOf('Compare with the node');
  const matches = /^ok {5}the newest blocks are those of the node.*\(1000\)$/m;
  assert.match(await run(compare!, variables(fresh)), matches);
  const { address } = node;
  const postgres = inIndex(fresh);
  const restored = await RunningScanner.start(t, { node: { address, network: SIMULATED_NETWORK }, postgres });
  await restored.reaches(chain[1_160]!.id);
  assert.deepEqual(
    await consistentDump(inIndex(fresh), SIMULATED_NETWORK),
    await consistentDump(inIndex(old), SIMULATED_NETWORK),
  );
  await restored.stop();

  for (const commands of await commandsOf('A drill')) assert.match(await run(commands, variables(fresh)), matches);
  assert.deepEqual(await fresh.query(`select datname from pg_database where datname like '%drill'`), []);

  await run(restoreFiles!, { ...variables(old), MOMENT: moment!.now });
  const returned = new PostgresServer(`${variables(old).FILES}-restored`, await freePort());
  t.after(() => returned.kill());
  await returned.start();
  await until(async () => {
    const [row] = await returned.query<{ recovers: boolean }>('select pg_is_in_recovery() as recovers');
    return !row!.recovers;
  }, 'the server has returned to the moment');
  await reached(inIndex(returned), tipThen.id);
  assert.match(await run(compare!, variables(returned)), matches);
});
