import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { prepareEmbeddedPaths } from '../../src/embedded/file-paths.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const isRoot = process.getuid?.() === 0;
const onlyRoot = { skip: isRoot ? false : 'only root runs PostgreSQL as somebody else' };
const somebody = { name: 'somebody', uid: 54_321, gid: 54_321 };

async function directory(t: TestContext): Promise<string> {
  const path = await realpath(await temporaryDirectory(t));
  await chmod(path, 0o755);
  return path;
}

test('the files lie below the data directory where PostgreSQL can get there', async (t) => {
  const dataDir = join(await directory(t), 'data');
  const paths = await prepareEmbeddedPaths(dataDir, undefined);
  assert.equal(paths.cluster, join(dataDir, 'postgres', 'cluster'));
  assert.equal(paths.note, undefined);
  assert.deepEqual(await prepareEmbeddedPaths(dataDir, undefined), paths, 'and are found again');
});

test('the door of the data directory itself is opened, for passing through only', onlyRoot, async (t) => {
  const dataDir = join(await directory(t), 'data');
  await mkdir(dataDir, { mode: 0o700 });
  const paths = await prepareEmbeddedPaths(dataDir, somebody);
  assert.equal(paths.home, join(dataDir, 'postgres'));
  assert.equal((await lstat(dataDir)).mode & 0o777, 0o711);
});

test('behind a closed door they lie elsewhere, and are found again through a link', onlyRoot, async (t) => {
  const base = await directory(t);
  const closed = join(base, 'closed');
  const elsewhere = join(base, 'elsewhere');
  await mkdir(closed, { mode: 0o700 });
  const paths = await prepareEmbeddedPaths(join(closed, 'data'), somebody, elsewhere);
  assert.ok(paths.home.startsWith(elsewhere), paths.home);
  assert.match(paths.note ?? '', /runs as user somebody, who cannot reach/);
  assert.equal(await readlink(join(closed, 'data', 'postgres')), paths.home);
  assert.deepEqual(await prepareEmbeddedPaths(join(closed, 'data'), somebody, elsewhere), paths);

  await rm(paths.home, { recursive: true });
  const anew = await prepareEmbeddedPaths(join(closed, 'data'), somebody, elsewhere);
  assert.notEqual(anew.home, paths.home, 'a link into nothing is replaced');
  assert.ok((await lstat(anew.home)).isDirectory());
});

test('when elsewhere is closed, too, the message says what cannot be reached', onlyRoot, async (t) => {
  const base = await directory(t);
  await mkdir(join(base, 'closed'), { mode: 0o700 });
  await assert.rejects(
    prepareEmbeddedPaths(join(base, 'closed', 'data'), somebody, join(base, 'closed', 'elsewhere')),
    (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /user somebody cannot reach .*closed\/elsewhere/);
      return true;
    },
  );
});
