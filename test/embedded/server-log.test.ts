import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { BoundedServerLog, initdbFailureReason, postgresEndReason } from '../../src/embedded/server-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const sizeOf = async (file: string) => (await stat(file).catch(() => ({ size: 0 }))).size;

test('while a server runs and complains, its log stays small, with the newest lines in it', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'chain-indexer-log-'));
  await chmod(dataDir, 0o711);
  const limits = { bytes: 20_000, everyMs: 20 };
  const server = await startPostgres({ dataDir, temporary: true, logLimits: limits });
  t.after(() => server.stop()); // which removes everything
  const client = new pg.Client({ ...server.options, database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  const complaint = (i: number) => `/* ${'x'.repeat(1_000)} complaint ${i} */ select from nowhere`;
  for (let i = 0; i < 300; i++) {
    await client.query(complaint(i)).catch(() => undefined);
    await sleep(2);
  }
  await client.end();
  await until(async () => (await sizeOf(server.logFile)) <= limits.bytes, 'a log that was put aside');
  const sizes = [await sizeOf(server.logFile), await sizeOf(`${server.logFile}.1`)];
  assert.ok(sizes[0]! + sizes[1]! < 200_000, `${sizes} bytes of more than 300,000`);
  const text = (await readFile(`${server.logFile}.1`, 'utf8')) + (await readFile(server.logFile, 'utf8'));
  assert.match(text, /complaint 299 /);
  assert.doesNotMatch(text, /complaint 0 /);
});

test('what an earlier start said is none of the last words of this one', async (t) => {
  const file = join(await temporaryDirectory(t), 'server.log');
  await writeFile(file, 'FATAL: long ago\n');
  const log = new BoundedServerLog(file, { bytes: 30_000, everyMs: 1_000 });
  assert.equal(log.lastWords(), '');
  await writeFile(file, 'now\n', { flag: 'a' });
  assert.equal(log.lastWords(), 'now\n');
  log.close();
  await writeFile(file, 'x'.repeat(40_000));
  const next = new BoundedServerLog(file, { bytes: 30_000, everyMs: 1_000 });
  assert.deepEqual([await sizeOf(file), await sizeOf(`${file}.1`)], [0, 40_000]);
  assert.equal(next.lastWords(), '');
  next.close();
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
