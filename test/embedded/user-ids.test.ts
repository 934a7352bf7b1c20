import assert from 'node:assert/strict';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type UserFiles, usersForDataDirectory } from '../../src/embedded/user-ids.ts';

const isRoot = process.getuid?.() === 0;
const onlyRoot = { skip: isRoot && process.platform === 'linux' ? false : 'only root runs programs as somebody else' };

const ALL_IDS = '0 0 4294967295\n';
const PASSWD = 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n';

/** A machine with these lists. */
async function machine(
  t: TestContext,
  lists: { passwd?: string; group?: string; map?: string; busy?: number[]; capabilities?: string } = {},
) {
  const { passwd = PASSWD, group = 'root:x:0:\n', map = ALL_IDS, busy = [], capabilities = '000001ffffffffff' } = lists;
  const base = await mkdtemp(join(tmpdir(), 'chain-indexer-users-'));
  t.after(() => rm(base, { recursive: true, force: true }));
  const files: UserFiles = {
    passwd: join(base, 'passwd'),
    group: join(base, 'group'),
    uidMap: join(base, 'map'),
    gidMap: join(base, 'map'),
    processes: join(base, 'proc'),
    status: join(base, 'status'),
  };
  await writeFile(files.passwd, passwd);
  await writeFile(files.group, group);
  await writeFile(files.status, `Name:\tnode\nCapEff:\t${capabilities}\n`);
  await writeFile(files.uidMap, map);
  for (const [i, uid] of busy.entries()) {
    await mkdir(join(files.processes, `${i + 1}`), { recursive: true });
    await chown(join(files.processes, `${i + 1}`), uid, uid);
  }
  return { base, files };
}

const firstIn = async (dataDir: string, files: UserFiles) =>
  (await usersForDataDirectory(dataDir, files))!.postgres.uid;

test('PostgreSQL and each program get ids of their own, the same each time', onlyRoot, async (t) => {
  const { base, files } = await machine(t);
  const { postgres, initdb, programs } = (await usersForDataDirectory(join(base, 'data'), files))!;
  const ids = [postgres, programs.scanner, programs['web-server'], programs.devnet].map(({ uid, gid }) => [uid, gid]);
  const first = postgres.uid;
  assert.deepEqual(
    ids,
    [0, 1, 2, 3].map((i) => [first + i, first + i]),
  );
  assert.ok(first >= 65_536 && first + 3 < 100_000, `${first}`);
  assert.equal(initdb.name, 'nobody');
  assert.equal(await firstIn(join(base, 'data'), files), first);
  assert.notEqual(await firstIn(join(base, 'data-2'), files), first);
});

test('ids that somebody has, or runs something with, are not taken', onlyRoot, async (t) => {
  const free = await machine(t);
  const dataDir = join(free.base, 'data');
  const first = await firstIn(dataDir, free.files);
  for (const lists of [
    { passwd: `${PASSWD}ann:x:${first + 2}:100::/:/bin/sh\n` },
    { group: `staff:x:${first + 3}:\n` },
    { busy: [first + 1] },
  ]) {
    const { files } = await machine(t, lists);
    assert.notEqual(await firstIn(dataDir, files), first, JSON.stringify(lists));
  }
});

test("the owner of PostgreSQL's files tells which ids a directory has, wherever it was moved", onlyRoot, async (t) => {
  const { base, files } = await machine(t, { busy: [70_001] });
  const cluster = join(base, 'moved', 'postgres', 'cluster');
  await mkdir(cluster, { recursive: true });
  await chown(cluster, 70_000, 70_000);
  assert.equal(await firstIn(join(base, 'moved'), files), 70_000);
  await writeFile(files.passwd, `${PASSWD}ann:x:70003:100::/:/bin/sh\n`);
  assert.notEqual(await firstIn(join(base, 'moved'), files), 70_000);
});

test('a container with 65,536 ids has some as well; one with fewer takes nobody for all', onlyRoot, async (t) => {
  const small = await machine(t, { map: '0 1000 1\n1 100000 65535\n' });
  const first = await firstIn(join(small.base, 'data'), small.files);
  assert.ok(first >= 60_706 && first + 3 < 61_182, `${first}`);
  const tiny = await machine(t, { map: '0 0 1000\n' });
  const { postgres, programs } = (await usersForDataDirectory(join(tiny.base, 'data'), tiny.files))!;
  assert.deepEqual([postgres.name, programs.scanner.name], ['nobody', 'nobody']);
});

test('root without the rights of root is told which are missing', onlyRoot, async (t) => {
  // Those that Docker gives, and those without two of them.
  const docker = await machine(t, { capabilities: '00000000a80425fb' });
  assert.ok((await firstIn(join(docker.base, 'data'), docker.files)) > 0);
  const { base, files } = await machine(t, { capabilities: '00000000a804253b' });
  await assert.rejects(
    usersForDataDirectory(join(base, 'data'), files),
    /may not run it as another user here: it lacks CAP_SETGID, CAP_SETUID\. Give this container/,
  );
});
