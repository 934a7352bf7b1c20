/** Two containers on one volume: processes that share nothing but the files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../src/embedded/free-port.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { query } from '../support/running-scanner.ts';
import { temporaryMemoryDirectory } from '../support/temporary-directory.ts';
import { processesBelow, Up } from '../support/up-program.ts';

/** Runs what follows with a network, processes, shared memory and mounts of its own, and ends it when it is killed. */
const ALONE = ['unshare', '--net', '--pid', '--fork', '--kill-child', '--ipc', '--mount', '--mount-proc'];
/** The loopback interface of a new network is down. */
const WITH_LOOPBACK = [...ALONE, 'sh', '-c', 'ip link set lo up; "$@"', 'sh'];

const trial = process.platform === 'linux' ? spawnSync(ALONE[0]!, [...ALONE.slice(1), 'true']) : undefined;
const likeContainers = {
  skip: trial?.status === 0 ? false : 'unshare (util-linux) is not there, or this user may not make namespaces',
};

const directory = (t: TestContext) => temporaryMemoryDirectory(t, 'chain-indexer-containers-');

const argsFor = async (dataDir: string) => [
  `--data-dir=${dataDir}`,
  `--bind-address=0.0.0.0:${await freePort()}`,
  '--blocks=10',
];
const answersIn = async ({ pid }: Up) =>
  (await processesBelow(pid)).filter(({ command }) => /bin\/postgres -D/.test(command)).length;

test(
  'a second container on one volume is refused while the first runs, and gets it when that is killed',
  likeContainers,
  async (t) => {
    const dataDir = await directory(t);
    const args = await argsFor(dataDir);
    const first = new Up(args, { within: WITH_LOOPBACK });
    t.after(() => first.end('SIGKILL'));
    await first.says(/the next start goes on from the data in/);

    for (const within of [WITH_LOOPBACK, ALONE.filter((part) => !/pid|proc|fork|kill/.test(part)), []]) {
      const second = new Up(args, { within });
      assert.equal(await second.end(), 2, second.output);
      assert.match(
        second.output,
        /^up: Another chain-indexer uses the data directory .* \(process \d+ on host \S+, since/m,
      );
    }
    assert.equal(await answersIn(first), 1, 'the PostgreSQL of the first runs on');
    assert.doesNotMatch(first.output, /Stopping/);

    await first.end('SIGKILL');
    const next = new Up(args, { within: WITH_LOOPBACK });
    t.after(() => next.end('SIGKILL'));
    await next.says(/the next start goes on from the data in/);
  },
);

test('a PostgreSQL of another container that was started without the lock is left alone', likeContainers, async (t) => {
  const dataDir = await directory(t);
  // As a release before the lock did.
  const server = await startPostgres({ dataDir });
  t.after(() => server.stop());
  const ask = () => query<{ one: number }>({ ...server.options, database: 'postgres' }, 'select 1 as one');
  for (const within of [WITH_LOOPBACK, ['unshare', '--net']]) {
    const up = new Up(await argsFor(dataDir), { within });
    assert.equal(await up.end(), 2, up.output);
    assert.match(
      up.output,
      /^up: A PostgreSQL server that this program did not start .* Nothing was touched\. Stop it/m,
    );
    assert.deepEqual((await ask()).rows, [{ one: 1 }]);
  }
});
