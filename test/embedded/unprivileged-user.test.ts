import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { prepareCluster } from '../../src/embedded/data-directory.ts';
import { prepareEmbeddedPaths } from '../../src/embedded/file-paths.ts';
import {
  anyNamedUser,
  canUserAccess,
  type SystemUserFiles,
  unprivilegedUser,
} from '../../src/embedded/unprivileged-user.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const isRoot = process.getuid?.() === 0;
const onlyRoot = { skip: isRoot && process.platform === 'linux' ? false : 'only root runs programs as somebody else' };

const ROOT = 'root:x:0:0:root:/root:/bin/bash\n';
const NOBODY = 'nobody:x:65534:65534::/:/bin/false\n';
const somebody = { name: 'somebody', uid: 54_321, gid: 54_321 };

/** A machine with these lists. */
async function machine(
  t: TestContext,
  { passwd = ROOT + NOBODY, group = 'root:x:0:\n', capabilities = '000001ffffffffff' } = {},
) {
  const base = await temporaryDirectory(t);
  const files: SystemUserFiles = {
    passwd: join(base, 'passwd'),
    group: join(base, 'group'),
    status: join(base, 'status'),
  };
  await writeFile(files.passwd, passwd);
  await writeFile(files.group, group);
  await writeFile(files.status, `Name:\tnode\nCapEff:\t${capabilities}\n`);
  return { base, files };
}

const idFor = async (dataDir: string, files: SystemUserFiles) => (await unprivilegedUser(dataDir, files))!.uid;

/** A cluster of this owner in a directory of root. */
async function clusterOf(base: string, uid: number): Promise<string> {
  const dataDir = await mkdtemp(join(base, 'data-'));
  const cluster = join(dataDir, 'postgres', 'cluster');
  await mkdir(cluster, { recursive: true });
  await chown(cluster, uid, uid);
  return dataDir;
}

test('a new data directory gets an id that no user and no group has', onlyRoot, async (t) => {
  const all = Array.from({ length: 100_000 - 65_536 }, (_, i) => 65_536 + i);
  const list = (ids: readonly number[]) => ids.map((id) => `u${id}:x:${id}:\n`).join('');
  const free = await machine(t);
  const { uid, gid } = (await unprivilegedUser(join(free.base, 'data'), free.files))!;
  assert.ok(uid >= 65_536 && uid < 100_000 && gid === uid, `${uid} ${gid}`);
  for (const lists of [{ passwd: ROOT + NOBODY + list(all) }, { group: list(all) }]) {
    const { base, files } = await machine(t, lists);
    const id = await idFor(join(base, 'data'), files);
    assert.ok(id >= 60_706 && id < 61_182, `${id}`);
  }
});

test('the owner of the cluster is the user, whoever that is, but for root and nobody', onlyRoot, async (t) => {
  const { base, files } = await machine(t, { passwd: `${ROOT}${NOBODY}ann:x:1001:1001::/:/bin/sh\n` });
  for (const uid of [70_001, 1_001]) assert.equal(await idFor(await clusterOf(base, uid), files), uid);
  for (const uid of [0, 65_534]) assert.ok((await idFor(await clusterOf(base, uid), files)) >= 65_536);
});

test("root does not start on an ordinary user's data", onlyRoot, async (t) => {
  const { base, files } = await machine(t);
  const dataDir = await clusterOf(base, 1_001);
  await chown(join(dataDir, 'postgres'), 1_001, 1_001);
  await assert.rejects(
    unprivilegedUser(dataDir, files),
    /postgres belongs to another user \(user id 1001\)\. Start as that user/,
  );
});

/** What Node prints in a user namespace that has the ids below `count` only. */
async function inNamespace(count: number, script: string): Promise<string> {
  const child = spawn('unshare', [
    '--user',
    'sh',
    '-c',
    'echo; read go; exec "$@"',
    'sh',
    process.execPath,
    '--eval',
    script,
  ]);
  let output = '';
  child.stderr.on('data', (text) => {
    output += text;
  });
  await once(child.stdout, 'data');
  for (const map of ['uid_map', 'gid_map']) await writeFile(`/proc/${child.pid}/${map}`, `0 0 ${count}\n`);
  child.stdout.on('data', (text) => {
    output += text;
  });
  child.stdin.end('go\n');
  await once(child, 'close');
  return output.trim();
}

const hasNamespaces = isRoot && spawnSync('unshare', ['--user', 'true']).status === 0;

test('a container with 65,536 ids has some as well, one with fewer takes nobody', {
  skip: hasNamespaces ? false : 'needs root, and unshare of util-linux',
}, async (t) => {
  const { base, files } = await machine(t, { passwd: `${ROOT}nobody:x:534:534::/:/bin/false\n` });
  const module = new URL('../../src/embedded/unprivileged-user.ts', import.meta.url).href;
  const script = `import(${JSON.stringify(module)}).then(async ({ unprivilegedUser }) =>
    console.log((await unprivilegedUser(...${JSON.stringify([join(base, 'data'), files])})).uid))`;
  const id = Number(await inNamespace(65_536, script));
  assert.ok(id >= 60_706 && id < 61_182, `${id}`);
  assert.equal(await inNamespace(1_000, script), '534');
});

test('root without the rights of root is told which are missing', onlyRoot, async (t) => {
  // Those that Docker gives, and those without two of them.
  const docker = await machine(t, { capabilities: '00000000a80425fb' });
  assert.ok((await idFor(join(docker.base, 'data'), docker.files)) > 0);
  const { base, files } = await machine(t, { capabilities: '00000000a804253b' });
  await assert.rejects(
    unprivilegedUser(join(base, 'data'), files),
    /may not run it as another user here: it lacks CAP_SETGID, CAP_SETUID\. Give this container/,
  );
});

test('initdb runs as nobody, or another ordinary user, or root is told what to do', onlyRoot, async (t) => {
  const named = async (passwd: string) => anyNamedUser((await machine(t, { passwd })).files.passwd);
  const games = 'games:x:5:60:games:/:/bin/false\n';
  assert.deepEqual(await named(ROOT + games + NOBODY), { name: 'nobody', uid: 65_534, gid: 65_534 });
  assert.deepEqual(await named(`${ROOT}# comment\n${games}`), { name: 'games', uid: 5, gid: 60 });
  await assert.rejects(named(ROOT), /has no other user\. Start as an ordinary user, or give --postgres-host/);
});

test('a user without a name, whom initdb refuses, is told what to do', async (t) => {
  const base = await temporaryDirectory(t);
  const program = join(base, 'initdb');
  const refusal = 'initdb: error: could not look up effective user ID 1234: user does not exist';
  await writeFile(program, `#!/bin/sh\necho '${refusal}' >&2\nexit 1\n`, { mode: 0o755 });
  const paths = await prepareEmbeddedPaths(join(base, 'data'), undefined);
  await assert.rejects(prepareCluster(paths, { initdb: program, postgres: program }, undefined, true), {
    name: 'OperatorError',
    message:
      /user ID 1234: user does not exist\. The embedded PostgreSQL needs a user that \/etc\/passwd names: add one, or/,
  });
});

test('a directory may be passed, or a file read, by owner, by group or by everybody', onlyRoot, async (t) => {
  const { base } = await machine(t);
  const door = join(base, 'door');
  const file = join(door, 'file');
  await chmod(base, 0o755);
  await mkdir(door);
  await writeFile(file, '');
  const open = async (mode: number, user = somebody) => {
    await chmod(door, mode);
    return canUserAccess(door, user);
  };
  assert.equal(await open(0o701), true);
  assert.equal(await open(0o770), false);
  assert.equal(await open(0o710, { ...somebody, gid: 0 }), true);
  assert.equal(await open(0o701, { ...somebody, gid: 0 }), false);
  assert.equal(await canUserAccess(file, somebody), true);
  await chmod(file, 0o600);
  assert.equal(await canUserAccess(file, somebody), false);
  await chmod(file, 0o644);
  assert.equal(await open(0o700), false);
  assert.equal(await canUserAccess(file, somebody), false);
});
