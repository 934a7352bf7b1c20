import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { initdbFailureReason, postgresEndReason } from '../../src/embedded/data-directory.ts';
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

test("the reason of a failure is picked from PostgreSQL's output", () => {
  assert.equal(
    initdbFailureReason('LOG:  starting\n2026-01-01 00:00:00 UTC [7] FATAL:  lock file is empty\nLOG:  shut down\n'),
    'lock file is empty',
  );
  assert.equal(
    initdbFailureReason(
      'creating ... ok\ninitdb: error: could not write to file: No space left on device\nchild exited',
    ),
    'no space left on the device',
  );
  assert.equal(initdbFailureReason('some words.\n\n'), 'some words');
  assert.equal(initdbFailureReason(''), 'it said nothing');
});

test("the reason of a server's end is what its own processes say, not its clients'", () => {
  const at = '2026-11-22 04:56:58.615 UTC';
  const client = `${at} [9] client backend: FATAL:  database "mine" does not exist\n`;
  const postmaster = (text: string) => `${at} [7] postmaster: ${text}\n`;
  const over = postmaster('LOG:  database system is shut down');
  const lost =
    client +
    postmaster('LOG:  performing immediate shutdown because data directory lock file is invalid') +
    client +
    over;
  assert.equal(postgresEndReason(lost), 'performing immediate shutdown because data directory lock file is invalid');
  const damaged =
    postmaster('LOG:  starting PostgreSQL 18.4') +
    `${at} [8] startup: PANIC:  could not locate a valid checkpoint record at 0/123\n` +
    postmaster('LOG:  startup process (PID 8) was terminated by signal 6: Aborted') +
    postmaster('LOG:  aborting startup due to startup process failure') +
    over;
  assert.equal(postgresEndReason(damaged), 'could not locate a valid checkpoint record at 0/123');
  assert.equal(
    postgresEndReason('postgres: could not access directory "/x": Permission denied\n'),
    'postgres: could not access directory "/x": Permission denied',
  );
  const full = `${at} [8] checkpointer: PANIC:  could not write to file "pg_wal/1": No space left on device\n`;
  assert.equal(postgresEndReason(client + full + client), 'no space left on the device');
  assert.equal(postgresEndReason(client), undefined);
});
