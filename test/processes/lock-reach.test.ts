import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileSystemOf, lockHint, lockWarning } from '../../src/processes/lock-reach.ts';

async function mounts(t: TestContext, ...lines: string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-mounts-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'mountinfo');
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

const root = '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw';

test('the file system of a path is that of the deepest mount above it, and the newest at one point', async (t) => {
  const file = await mounts(
    t,
    root,
    '30 22 0:40 / /mnt rw - tmpfs tmpfs rw',
    '31 30 0:41 / /mnt/my\\040data rw,relatime shared:2 - nfs4 server:/x rw,vers=4.2,local_lock=none',
    '32 22 0:42 / /mnt rw - xfs /dev/sdb rw',
  );
  const typeOf = async (path: string) => (await fileSystemOf(path, file))?.type;
  assert.equal(await typeOf('/mnt/my data/lock'), 'nfs4');
  assert.equal(await typeOf('/mnt/my data'), 'nfs4');
  assert.equal(await typeOf('/mnt/my data 2'), 'xfs');
  assert.equal(await typeOf('/home'), 'ext4');
});

test('whether other machines see the lock follows from the file system and its options', async (t) => {
  const cases: [string, string, string][] = [
    ['ext4', 'rw', 'local'],
    ['overlay', 'rw,lowerdir=/a', 'local'],
    ['nfs4', 'rw,vers=4.2,local_lock=none', 'seen by all machines'],
    ['nfs', 'rw,vers=3,nolock', 'not seen by other machines'],
    ['nfs', 'rw,vers=3,local_lock=all', 'not seen by other machines'],
    ['nfs', 'rw,vers=3,local_lock=flock', 'seen by all machines'],
    ['cifs', 'rw,nobrl', 'not seen by other machines'],
    ['ceph', 'rw', 'seen by all machines'],
    ['9p', 'rw', 'not seen by other machines'],
    ['virtiofs', 'rw', 'not seen by other machines'],
    ['fuse.sshfs', 'rw', 'not seen by other machines'],
  ];
  for (const [type, options, locks] of cases) {
    const file = await mounts(t, root, `31 22 0:41 / /data rw - ${type} source ${options}`);
    assert.deepEqual(await fileSystemOf('/data/x', file), { type, locks });
  }
});

test('the operator is told only where the lock does not reach as far as the files', async (t) => {
  const local = await fileSystemOf('/x', await mounts(t, root));
  assert.deepEqual([lockWarning(local), lockHint(local)], [undefined, undefined]);
  const shared = await fileSystemOf('/x', await mounts(t, '22 1 0:9 / / rw - nfs4 server:/ rw'));
  assert.equal(lockWarning(shared), undefined);
  assert.match(lockHint(shared) ?? '', /may run on another machine; .*\(nfs4\) for a minute or two/);
  const apart = await fileSystemOf('/x', await mounts(t, '22 1 0:9 / / rw - 9p share rw'));
  assert.match(lockWarning(apart) ?? '', /\(9p\) that other machines may share, .* never let two machines use it/);
  assert.match(lockHint(apart) ?? '', /has no locks/);
  assert.equal(await fileSystemOf('/x', '/nowhere'), undefined);
});
