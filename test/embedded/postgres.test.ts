import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isProcessAlive, runToEnd } from '../../src/embedded/child-processes.ts';
import { type EmbeddedPostgres, memorySettings, startPostgres } from '../../src/embedded/postgres.ts';
import { socketFile } from '../../src/embedded/postgres-sockets.ts';
import { removePreviousServer } from '../../src/embedded/previous-server.ts';
import { anyNamedUser } from '../../src/embedded/unprivileged-user.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { startHttpServer } from '../support/http-server.ts';
import { memoryDirectory, temporaryMemoryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const onlyRoot = {
  skip: process.getuid?.() === 0 && process.platform === 'linux' ? false : 'only root runs PostgreSQL as somebody else',
};

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function ask(server: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ ...server.options, database: 'postgres' });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.map((row) => row[0]);
  } finally {
    await client.end();
  }
}

/** Stops it after that. */
async function assertWorks(server: EmbeddedPostgres): Promise<void> {
  assert.deepEqual(await ask(server, 'select 1'), [1]);
  await server.stop();
}

test('the settings of memory follow from the memory of the server, within bounds', () => {
  const settings = [0.2, 1, 8].map((gigabytes) => Object.values(memorySettings(gigabytes * 1024 ** 3)));
  assert.deepEqual(settings, [
    ['51MB', '16MB', '1024MB'],
    ['256MB', '64MB', '4096MB'],
    ['1024MB', '256MB', '4096MB'],
  ]);
});

const PREFIX = 'chain-indexer-embedded-';
const emptyDirectory = (t: TestContext) => temporaryMemoryDirectory(t, PREFIX);

/** A server that another program has started, which is `program`. */
async function startElsewhere(dataDir: string, temporary = false): Promise<{ program: ChildProcess; pid: number }> {
  const source = new URL('../../src/embedded/postgres.ts', import.meta.url);
  const script = `import { startPostgres } from ${JSON.stringify(source.href)};
    const server = await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, temporary: ${temporary} });
    console.log(server.pid);
    setInterval(() => {}, 1000);`;
  const program = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = (await once(program.stdout, 'data')) as [Buffer];
  return { program, pid: Number(output.toString()) };
}

/** The process that stops a server when the program that started it dies. */
async function guardOf(program: number): Promise<number> {
  for (const pid of (await readFile(`/proc/${program}/task/${program}/children`, 'utf8')).split(' ').filter(Boolean)) {
    if ((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('postgres-guard')) return Number(pid);
  }
  return assert.fail('no guard');
}

function refusal(pattern: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof OperatorError, String(error));
    assert.match(error.message, pattern);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  };
}

let dataDir: string;
const servers: EmbeddedPostgres[] = [];
const start = async (port?: number) => {
  const server = await startPostgres({ dataDir, port });
  servers.push(server);
  return server;
};

before(async () => {
  dataDir = await memoryDirectory(PREFIX);
  const server = await start();
  await ask(server, 'create table kept as select 42 as answer');
  await server.stop();
});
after(async () => {
  for (const server of servers) await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test('an embedded PostgreSQL with a history goes on from its data after a stop, and wants a password', async () => {
  const server = await start();
  assert.deepEqual(await ask(server, 'select answer from kept'), [42]);
  const stranger = { ...server, options: { ...server.options, password: 'guess' } };
  await assert.rejects(ask(stranger, 'select 1'), /password authentication failed/);
  await server.stop();
  assert.equal(isProcessAlive(server.pid), false);
});

test('an embedded PostgreSQL with a history is asked through a socket in its directory, and listens for TCP on the same port', async () => {
  const server = await start();
  const { host, port } = server.options;
  assert.equal(host, join(await realpath(dataDir), 'postgres', 'socket'));
  const overSocket = await ask(server, 'select inet_server_addr()');
  const overTcp = await ask({ ...server, options: { ...server.options, host: server.address } }, 'select 1');
  assert.deepEqual([overSocket, overTcp], [[null], [1]]);
  await server.stop();
  assert.equal(await exists(socketFile({ sockets: host }, port)), false);
});

test('an embedded PostgreSQL with a history takes no notice of the lock of a socket that a killed predecessor left', async () => {
  const before = await start();
  const { port } = before.options;
  await before.stop();
  const lock = `${socketFile({ sockets: join(dataDir, 'postgres', 'socket') }, port)}.lock`;
  await writeFile(lock, `${process.pid}\n/elsewhere\n0\n${port}\n\n\n`);
  const server = await start(port);
  await assertWorks(server);
  assert.equal(await exists(lock), false);
});

test('an embedded PostgreSQL with a history recovers after kill -9, and says that it ended', async () => {
  const killed = await start();
  await ask(killed, 'insert into kept values (43)');
  process.kill(killed.pid, 'SIGKILL');
  await killed.ended;
  const server = await start();
  assert.deepEqual(await ask(server, 'select answer from kept where answer = 43'), [43]);
  await server.stop();
});

for (const [what, text] of [
  ['whose process is another by now', `${process.pid}\n/elsewhere\n0\n5432\n\n\n`],
  ['that a power cut left empty', ''],
] as const) {
  test(`an embedded PostgreSQL with a history takes no notice of a pid file ${what}`, async () => {
    await writeFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), text);
    await assertWorks(await start());
  });
}

test('an embedded PostgreSQL with a history replaces a server that a dead program left running', {
  skip: process.platform !== 'linux',
}, async () => {
  const { program, pid } = await startElsewhere(dataDir);
  // With both gone nobody is left who would stop the server.
  process.kill(await guardOf(program.pid!), 'SIGKILL');
  program.kill('SIGKILL');
  await once(program, 'exit');
  assert.ok(isProcessAlive(pid));
  const server = await start();
  assert.equal(isProcessAlive(pid), false);
  await assertWorks(server);
});

test('an embedded PostgreSQL with a history leaves the server of a living program alone, and says which it is', async () => {
  const running = await start();
  await assert.rejects(
    start(),
    refusal(
      new RegExp(`did not start \\(process ${running.pid}\\) uses .*/cluster; .* Nothing was touched\\. Stop it`),
    ),
  );
  await assertWorks(running);
});

test('an embedded PostgreSQL with a history leaves a server alone that only answers, as one in another container does', async () => {
  const running = await start();
  const cluster = join(dataDir, 'postgres', 'cluster');
  const pidFile = join(cluster, 'postmaster.pid');
  const text = await readFile(pidFile, 'utf8');
  // Its process is another one here, or none.
  for (const pid of [process.pid, 4_194_303]) {
    await writeFile(pidFile, text.replace(/^\d+/, `${pid}`));
    const patience = { shutdownMs: 1_000, strangerMs: 100 };
    const refused = refusal(/did not start answers at .*\.s\.PGSQL\.\d+ and uses .* program or container\. Nothing/);
    await assert.rejects(
      removePreviousServer({ cluster, sockets: join(cluster, '..', 'socket') }, undefined, patience),
      refused,
    );
    assert.equal(await readFile(pidFile, 'utf8'), text.replace(/^\d+/, `${pid}`));
  }
  await writeFile(pidFile, text);
  await assertWorks(running);
});

test('an embedded PostgreSQL with a history waits until the processes of a server that was killed are gone', {
  skip: process.platform !== 'linux',
}, async () => {
  const killed = await start();
  const client = new pg.Client({ ...killed.options, database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  const backend = (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number;
  process.kill(backend, 'SIGSTOP');
  process.kill(killed.pid, 'SIGKILL');
  await killed.ended;
  const starting = start();
  await sleep(1_500);
  assert.ok(isProcessAlive(backend));
  process.kill(backend, 'SIGKILL');
  assert.deepEqual(await ask(await starting, 'select answer from kept where answer = 42'), [42]);
  await servers.at(-1)!.stop();
});

test('an embedded PostgreSQL with a history says why it ended, and not what went wrong for a client', async () => {
  const server = await start();
  await assert.rejects(ask(server, 'select from nowhere'), /does not exist/);
  const other = { ...server.options, database: 'nowhere' };
  await assert.rejects(new pg.Client(other).connect(), /database "nowhere" does not exist/);
  process.kill(server.pid, 'SIGKILL');
  assert.equal(await server.ended, 'it was ended by SIGKILL');
});

test('an embedded PostgreSQL with a history says so when the port that it must take is in use', async (t) => {
  const { port } = await startHttpServer(t, () => {});
  await assert.rejects(start(port), refusal(new RegExp(`^Port ${port} .* is in use\\. Choose another`)));
});

test('an embedded PostgreSQL with a history takes over files that belong to root or nobody', onlyRoot, async () => {
  const cluster = join(dataDir, 'postgres', 'cluster');
  const foreign = join(dataDir, 'foreign');
  await writeFile(foreign, '');
  for (const former of [0, (await anyNamedUser()).uid]) {
    await runToEnd('chown', ['-R', `${former}`, cluster]);
    await symlink(foreign, join(cluster, 'link'));
    const server = await start();
    assert.deepEqual(await ask(server, 'select answer from kept where answer = 42'), [42]);
    const { uid } = await stat(cluster);
    assert.ok(uid >= 65_536, `${uid}`);
    assert.equal((await runToEnd('find', [cluster, '!', '-user', `${uid}`])).stdout, '');
    await server.stop();
    assert.equal((await stat(foreign)).uid, 0, 'links are not followed');
    await rm(join(cluster, 'link'));
  }
});

test(
  'an embedded PostgreSQL with a history does not have root write through a link, or wait at a pipe',
  onlyRoot,
  async () => {
    const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
    const foreign = join(dataDir, 'foreign');
    await writeFile(foreign, 'kept');
    // A pid file whose process is another by now is replaced: by way of a file that might be there already.
    const forged = `${process.pid}\nroot::0:0:::\n0\n5432\n\n\n`;
    for (const plant of [() => symlink(foreign, `${pidFile}.new`), () => runToEnd('mkfifo', [`${pidFile}.new`])]) {
      await writeFile(pidFile, forged);
      await plant();
      const server = await start();
      assert.deepEqual(await ask(server, 'select 1'), [1]);
      await server.stop();
      assert.equal(await readFile(foreign, 'utf8'), 'kept');
      assert.equal((await stat(foreign)).uid, 0);
    }
    const refused = refusal(/postmaster\.pid is not a file, as PostgreSQL would have made it/);
    for (const plant of [() => symlink(foreign, pidFile), () => runToEnd('mkfifo', [pidFile])]) {
      await plant();
      await assert.rejects(start(), refused);
      await rm(pidFile);
    }
  },
);

for (const [what, name, change, reason] of [
  [
    'leaves the files of another version alone',
    'PG_VERSION',
    () => '12\n',
    /was made by PostgreSQL 12, this program brings PostgreSQL \d+\. Nothing was/,
  ],
  [
    'names the reason when damaged files keep it from starting',
    'global/pg_control',
    (intact: Buffer) => intact.subarray(0, 100),
    /did not start: .*pg_control.* Its log is .*server\.log/,
  ],
] as const) {
  test(`an embedded PostgreSQL with a history ${what}`, async () => {
    const file = join(dataDir, 'postgres', 'cluster', name);
    const intact = await readFile(file);
    await writeFile(file, change(intact));
    await assert.rejects(start(), refusal(reason));
    await writeFile(file, intact);
  });
}

test('where the path of its socket would be too long it is asked over TCP', async (t) => {
  const dataDir = join(await emptyDirectory(t), 'deep'.repeat(20));
  const server = await startPostgres({ dataDir, temporary: true });
  assert.equal(server.options.host, server.address);
  await assertWorks(server);
});

test('a directory that is not empty and no database is not touched', async (t) => {
  const dataDir = await emptyDirectory(t);
  await mkdir(join(dataDir, 'postgres', 'cluster'), { recursive: true });
  await writeFile(join(dataDir, 'postgres', 'cluster', 'letters.txt'), 'dear');
  await assert.rejects(startPostgres({ dataDir }), refusal(/not empty, but no PostgreSQL data directory/));
  assert.equal(await readFile(join(dataDir, 'postgres', 'cluster', 'letters.txt'), 'utf8'), 'dear');
});

test('a data directory that is a file is refused', async (t) => {
  const dataDir = join(await emptyDirectory(t), 'file');
  await writeFile(dataDir, '');
  await assert.rejects(startPostgres({ dataDir }), refusal(/cannot be used/));
});

test('an interrupted first start is begun anew', async (t) => {
  const dataDir = await emptyDirectory(t);
  const half = join(dataDir, 'postgres', 'cluster.new');
  await mkdir(half, { recursive: true });
  await writeFile(join(half, 'PG_VERSION'), '18\n');
  const server = await startPostgres({ dataDir, temporary: true });
  await assertWorks(server);
  assert.equal(await exists(dataDir), false, 'temporary data goes with the server');
});

test('nobody else of the name that initdb runs as gets into the cluster while it is made', onlyRoot, async (t) => {
  const dataDir = await emptyDirectory(t);
  const unfinished = join(dataDir, 'postgres', 'cluster.new');
  const starting = startPostgres({ dataDir, temporary: true });
  const nobody = await anyNamedUser();
  const seen: (number | null)[] = [];
  while (!(await exists(join(unfinished, 'cluster', 'PG_VERSION')))) await sleep(1);
  while ((await stat(join(unfinished, 'cluster', 'PG_VERSION')).catch(() => undefined))?.uid === nobody.uid) {
    seen.push((await runToEnd('cat', [join(unfinished, 'password')], nobody)).code);
    seen.push((await runToEnd('ls', [join(unfinished, 'cluster')], nobody)).code);
    seen.push((await runToEnd('ls', [unfinished], nobody)).code);
  }
  assert.ok(seen.length > 0 && !seen.includes(0), `${seen}`);
  const server = await starting;
  assert.equal(await exists(unfinished), false);
  await server.stop();
});

test(
  'the password that initdb had is valid no more, also when the start that changed it was killed',
  onlyRoot,
  async (t) => {
    const dataDir = await emptyDirectory(t);
    const home = join(dataDir, 'postgres');
    const passwordIn = (name: string) => readFile(join(home, name), 'utf8');
    const starting = startPostgres({ dataDir });
    while (!(await exists(join(home, 'cluster')))) await sleep(1);
    const first = await passwordIn('password');
    const next = await passwordIn('password.next');
    const server = await starting;
    assert.equal(server.options.password, next);
    assert.deepEqual([await passwordIn('password'), (await readdir(home)).includes('password.next')], [next, false]);
    assert.deepEqual(await ask(server, 'select 1'), [1]);
    const withFirst = { ...server, options: { ...server.options, password: first } };
    await assert.rejects(ask(withFirst, 'select 1'), /password authentication failed/);
    await server.stop();
    assert.doesNotMatch(await readFile(server.logFile, 'utf8'), /alter role/);

    // As a kill between the change and its note leaves them.
    await rename(join(home, 'password'), join(home, 'password.next'));
    await writeFile(join(home, 'password'), first, { mode: 0o600 });
    const again = await startPostgres({ dataDir });
    assert.deepEqual([await ask(again, 'select 1'), await passwordIn('password')], [[1], next]);
    await again.stop();
  },
);

test('neither server nor temporary files outlive a program that is killed', async (t) => {
  const dataDir = await emptyDirectory(t);
  const { program, pid } = await startElsewhere(dataDir, true);
  assert.ok(isProcessAlive(pid));
  program.kill('SIGKILL');
  await until(async () => !isProcessAlive(pid) && !(await exists(dataDir)), 'the end of server and files');
});
