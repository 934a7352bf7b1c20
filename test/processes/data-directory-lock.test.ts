import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockDataDirectory, sharedFileSystemWarning } from '../../src/processes/data-directory-lock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MODULE = JSON.stringify(new URL('../../src/processes/data-directory-lock.ts', import.meta.url).href);

test('a data directory has one user at a time, by whatever path', async (t) => {
  const base = await temporaryDirectory(t);
  const dataDir = join(base, 'data');
  const lock = await lockDataDirectory(dataDir);
  await symlink(dataDir, join(base, 'link'));
  for (const path of [dataDir, join(base, 'link'), `${dataDir}/../data/`])
    await assert.rejects(lockDataDirectory(path), /Another chain-indexer uses the data directory/);
  await lock.release();
  await (await lockDataDirectory(dataDir)).release();
});

test('who has it is told, and its lock is out of reach for other users', async (t) => {
  const dataDir = join(await temporaryDirectory(t), 'data');
  const lock = await lockDataDirectory(dataDir);
  await assert.rejects(
    lockDataDirectory(dataDir),
    new RegExp(`\\(process ${process.pid} on host ${hostname()}, since 20`),
  );
  // Who can open a file for reading can hold a lock on it as well.
  assert.equal((await stat(join(dataDir, 'lock'))).mode & 0o777, 0o700);
  await lock.release();
  await chmod(join(dataDir, 'lock'), 0o755);
  await (await lockDataDirectory(dataDir)).release();
  assert.equal((await stat(join(dataDir, 'lock'))).mode & 0o777, 0o700);
});

test('of many that start at once one gets it', async (t) => {
  const dataDir = await temporaryDirectory(t);
  const script = `import { lockDataDirectory } from ${MODULE};
    process.stdin.once('data', async (start) => {
      while (Date.now() < Number(start));
      try {
        await lockDataDirectory(${JSON.stringify(dataDir)});
        process.stdout.write('locked');
      } catch (error) {
        process.stdout.write(error.message.slice(0, 7));
      }
    });
    process.stdout.write('ready');`;
  const args = ['--input-type=module-typescript', '--eval', script];
  for (let round = 0; round < 2; round++) {
    const programs = Array.from({ length: 6 }, () => {
      const program = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      t.after(() => program.kill('SIGKILL'));
      const ended = once(program, 'close');
      const says = () => Promise.race([once(program.stdout, 'data'), ended]).then(([text]) => String(text));
      return { program, ended, says };
    });
    await Promise.all(programs.map(({ says }) => says()));
    const words = Promise.all(programs.map(({ says }) => says()));
    const start = String(Date.now() + 100);
    for (const { program } of programs) program.stdin.write(start);
    const said = (await words).toSorted();
    assert.deepEqual(said, ['Another', 'Another', 'Another', 'Another', 'Another', 'locked']);
    // Only now: a late one must not get what another one has had. What is killed leaves the lock to the next round.
    for (const { program } of programs) program.kill('SIGKILL');
    await Promise.all(programs.map(({ ended }) => ended));
  }
});

test('the operator is warned where other machines may have the files, but do not see the lock', async (t) => {
  const lock = await lockDataDirectory(await temporaryDirectory(t));
  assert.equal(lock.note, undefined);
  await lock.release();
  const [ext4, nfs, plan9, fuse] = [0xef53, 0x6969, 0x01021997, 0x65735546];
  for (const type of [ext4, nfs]) assert.equal(sharedFileSystemWarning(type), undefined);
  for (const type of [plan9, fuse])
    assert.match(sharedFileSystemWarning(type) ?? '', /never let two machines use it at once/);
});

test('different directories do not disturb each other', async (t) => {
  const base = await temporaryDirectory(t);
  const locks = await Promise.all(['a', 'b'].map((name) => lockDataDirectory(join(base, name))));
  for (const lock of locks) await lock.release();
});

test('a killed program leaves no lock behind', async (t) => {
  const dataDir = await temporaryDirectory(t);
  const script = `import { lockDataDirectory } from ${MODULE};
    await lockDataDirectory(${JSON.stringify(dataDir)});
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const program = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([once(program.stdout, 'data'), once(program, 'close')]);
  await assert.rejects(lockDataDirectory(dataDir), /Another chain-indexer/);
  program.kill('SIGKILL');
  await once(program, 'exit');
  await (await lockDataDirectory(dataDir)).release();
});

test('a data directory that cannot be made is refused', async (t) => {
  const file = join(await temporaryDirectory(t), 'file');
  await writeFile(file, '');
  await assert.rejects(lockDataDirectory(join(file, 'data')), /cannot be used: .* Choose another with --data-dir/);
  // It takes no new directories and says that they are not there, which `mkdir` with `recursive` tries for ever.
  if (process.platform === 'linux') await assert.rejects(lockDataDirectory('/proc/x/y'), /cannot be used/);
});

const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

test('a data directory on a read-only file system is refused for that reason', {
  skip: mayMount ? false : 'needs root, and unshare of util-linux',
}, async (t) => {
  const dataDir = await temporaryDirectory(t);
  const script = `import { lockDataDirectory } from ${MODULE};
    await lockDataDirectory(${JSON.stringify(dataDir)}).catch(({ message }) => console.log(message));`;
  const readOnly = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"`;
  const node = [process.execPath, '--input-type=module-typescript', '--eval', script];
  const { stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', readOnly, dataDir, ...node]);
  assert.equal(
    String(stdout),
    `The data directory ${dataDir} cannot be used: the file system is read-only. Choose another with --data-dir.\n`,
    String(stderr),
  );
});
