/** What `up` is on its host: who runs what, who may do what in the database, what other users can see. */
import assert from 'node:assert/strict';
import { chmod, cp, mkdir, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runToEnd } from '../../src/embedded/child-processes.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { query } from '../support/running-scanner.ts';
import { memoryDirectory, temporaryMemoryDirectory } from '../support/temporary-directory.ts';
import { processesBelow, type RunningProcess, Up } from '../support/up-program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const isRoot = process.getuid?.() === 0;
const onlyLinux = { skip: process.platform === 'linux' ? false : 'processes are looked at in /proc' };
const onlyRoot = { skip: isRoot && process.platform === 'linux' ? false : 'only root can run programs as others' };

const PREFIX = 'chain-indexer-host-';

const nameOf = ({ command }: RunningProcess) =>
  /bin\/(devnet|scanner|web-server)\.ts/.exec(command)?.[1] ??
  (/bin\/postgres -D/.test(command) ? 'postgres' : undefined);

/** Who runs what, by name. */
function usersIn(processes: readonly RunningProcess[]): Record<string, number[]> {
  const users: Record<string, number[]> = {};
  for (const each of processes) {
    const name = nameOf(each);
    if (name !== undefined) users[name] = [...new Set([...(users[name] ?? []), each.uid])];
  }
  return users;
}

/** Gives who runs all programs. */
function theOneUser(processes: readonly RunningProcess[], text: string): number {
  const users = usersIn(processes);
  assert.deepEqual(Object.keys(users).toSorted(), ['devnet', 'postgres', 'scanner', 'web-server'], text);
  const [uid, ...others] = new Set(Object.values(users).flat());
  assert.deepEqual(others, [], `one user for all: ${JSON.stringify(users)}\n${text}`);
  assert.ok(uid !== undefined && uid >= 60_000 && uid !== 65_534, `neither root nor nobody: ${uid}\n${text}`);
  return uid;
}

describe('up on its host', onlyLinux, () => {
  let dataDir: string;
  let up: Up;
  let processes: RunningProcess[];

  before(async () => {
    dataDir = await memoryDirectory(PREFIX);
    const address = `127.0.0.1:${await freePort()}`;
    // As mkdtemp makes it, nobody else can pass.
    await chmod(dataDir, 0o700);
    up = new Up([`--data-dir=${dataDir}`, `--bind-address=${address}`, '--blocks=10', '--workers=2']);
    await up.says(/the next start goes on from the data in/);
    await up.says(/Listening on \S+ worker=2/);
    processes = await processesBelow(up.pid);
  });
  after(async () => {
    await up.end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  });

  test('no password is on any command line', async () => {
    const passwords = processes
      .flatMap(({ environment }) => environment)
      .filter((line) => /^(ML_|CHAIN_INDEXER_)[A-Z_]*PASSWORD=/.test(line))
      .map((line) => line.slice(line.indexOf('=') + 1));
    passwords.push((await readFile(join(dataDir, 'postgres', 'password'), 'utf8')).trim());
    // Of the scanner, the web server, the node and the superuser.
    assert.equal(new Set(passwords).size, 4);
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      for (const password of passwords) assert.ok(!command.includes(password), command.replaceAll('\0', ' '));
    }
  });

  test('the scanner and the web server log in with roles of their own, neither of them a superuser', async () => {
    const [, port] = await up.says(/embedded PostgreSQL, kept in .* at 127\.0\.0\.1:(\d+)/);
    const password = await readFile(join(dataDir, 'postgres', 'password'), 'utf8');
    const admin = { host: '127.0.0.1', port: Number(port), user: 'chain_indexer', password, maxConnections: 1 };
    const { rows } = await query<{ program: string; role: string; superuser: boolean }>(
      { ...admin, database: 'postgres' },
      `select distinct substring(application_name from 'scanner|web server') as program, usename as role,
              rolsuper as superuser
         from pg_stat_activity join pg_roles on rolname = usename
        where application_name ~ 'scanner|web server' order by 1`,
    );
    assert.deepEqual(rows, [
      { program: 'scanner', role: 'chain_indexer_scanner', superuser: false },
      { program: 'web server', role: 'chain_indexer_web_server', superuser: false },
    ]);
  });

  test('as root, up runs every program as one user without rights', onlyRoot, () => {
    theOneUser(processes, up.output);
    assert.doesNotMatch(up.output, /as root/);
  });

  test('as an ordinary user, up runs everything as that user', { skip: isRoot }, () => {
    assert.deepEqual(new Set(processes.map(({ uid }) => uid)), new Set([process.getuid?.()]));
  });
});

describe('up as root', onlyRoot, () => {
  test('up as root runs programs as a user without rights also where that cannot go to, as below /root', async (t) => {
    const base = await temporaryMemoryDirectory(t, PREFIX);
    const closed = join(base, 'closed');
    const project = join(closed, 'project');
    await mkdir(project, { recursive: true });
    for (const part of ['src', 'bin', 'package.json'])
      await cp(join(ROOT, part), join(project, part), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'));
    // The data directory in the project, but PostgreSQL's files in reach.
    const data = join(project, 'data');
    await mkdir(join(base, 'postgres'));
    await mkdir(data);
    await symlink(join(base, 'postgres'), join(data, 'postgres'));
    await chmod(closed, 0o700);
    const up = new Up(
      [`--data-dir=${data}`, `--bind-address=127.0.0.1:${await freePort()}`, '--blocks=10', '--workers=2'],
      { file: join(project, 'bin', 'up.ts') },
    );
    t.after(() => up.end('SIGTERM'));
    await up.says(/the next start goes on from the data in/);
    await up.says(/Listening on \S+ worker=2/);
    theOneUser(await processesBelow(up.pid), up.output);
    assert.doesNotMatch(up.output, /as root/);
    assert.equal(await up.end('SIGTERM'), 0);
  });

  test('up as root says which program runs as root, and why, and warns when that one listens for other machines', async (t) => {
    const base = await temporaryMemoryDirectory(t, PREFIX);
    const cookie = join(base, 'closed', '.cookie');
    await mkdir(join(base, 'closed'), { mode: 0o700 });
    const up = new Up([
      `--data-dir=${join(base, 'data')}`,
      `--bind-address=0.0.0.0:${await freePort()}`,
      '--network=regtest',
      `--node-rpc-address=127.0.0.1:${await freePort()}`,
      `--node-rpc-cookie-file=${cookie}`,
    ]);
    t.after(() => up.end('SIGTERM'));
    for (const name of ['scanner', 'web-server'])
      await up.says(
        new RegExp(`Running as root: ${name}, because a user without its rights cannot read \\S+closed/\\.cookie`),
      );
    await up.says(/WARNING: the web server runs as root and listens on 0\.0\.0\.0 for other machines\./);
    assert.equal(await up.end('SIGTERM'), 0);
  });

  test('up as root goes on with the data of 0.2.0, where each program had a user of its own', async (t) => {
    const dataDir = await temporaryMemoryDirectory(t, PREFIX);
    const home = join(dataDir, 'postgres');
    const start = async () => {
      const up = new Up([`--data-dir=${dataDir}`, `--bind-address=127.0.0.1:${await freePort()}`, '--blocks=10']);
      t.after(() => up.end('SIGTERM'));
      await up.says(/the next start goes on from the data in/);
      return up;
    };
    assert.equal(await (await start()).end('SIGTERM'), 0);
    // As 0.2.0 left it: a block of four ids, for PostgreSQL, the scanner, the web server and the devnet.
    const first = 65_536 + 4 * 500;
    const chown = (path: string, uid: number) => runToEnd('chown', ['-R', `${uid}:${uid}`, path]);
    await rm(join(home, 'cache'), { recursive: true });
    for (const [i, name] of ['scanner', 'web-server', 'devnet'].entries()) {
      await mkdir(join(home, 'cache', name), { recursive: true });
      await chown(join(home, 'cache', name), first + 1 + i);
    }
    await chown(join(home, 'cluster'), first);
    await chown(join(home, 'socket'), first);
    await chmod(join(home, 'socket'), 0o711);
    await chown(join(dataDir, 'devnet-demo-1.ndjson'), first + 3);

    const up = await start();
    assert.match(up.output, /the index is open height=[1-9]/);
    assert.doesNotMatch(up.output, /as root|creating the index| (WARN|ERROR) /);
    assert.equal(theOneUser(await processesBelow(up.pid), up.output), first);
    assert.equal((await stat(join(dataDir, 'devnet-demo-1.ndjson'))).uid, first);
    const isKept = (await readdir(join(home, 'cache'))).some((name) => name.startsWith('v'));
    assert.ok(isKept, 'compiled code is kept');
    assert.equal(await up.end('SIGTERM'), 0);
  });

  test('up as root runs the web server as root for a port that others may not listen on, and says so', async (t) => {
    const dataDir = await temporaryMemoryDirectory(t, PREFIX);
    const up = new Up([`--data-dir=${dataDir}`, '--bind-address=127.0.0.1:7', '--blocks=10'], {
      within: ['unshare', '--net', 'sh', '-c', 'ip link set lo up; exec "$@"', 'sh'],
    });
    t.after(() => up.end('SIGTERM'));
    await up.says(/Running as root: web-server, because a user without its rights may not listen on port 7\./);
    await up.says(/Listening on/);
    const { 'web-server': web, scanner } = usersIn(await processesBelow(up.pid));
    assert.deepEqual(web, [0]);
    assert.notDeepEqual(scanner, [0]);
    assert.equal(await up.end('SIGTERM'), 0);
  });
});
