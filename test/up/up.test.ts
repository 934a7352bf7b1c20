import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '../../bench/process-usage.ts';
import { regtestPos } from '../../src/chain/networks/known-networks.ts';
import { isProcessAlive } from '../../src/embedded/child-processes.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { memoryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { eventually } from '../support/until.ts';
import { assertUrlsAnswer, UP_PATIENCE as PATIENCE, Up } from '../support/up-program.ts';

interface Tip {
  readonly block_height: number;
  readonly block_id: string;
}

/** Variables for a PostgreSQL of the operator: the embedded one has nothing to do with them. */
const OF_ANOTHER_SERVER = {
  PGHOST: 'db',
  PGUSER: 'me',
  PGSSLMODE: 'verify-full',
  PGSSLNEGOTIATION: 'direct',
  PGOPTIONS: '-c no_such_setting=1',
};

let dataDir: string;
let base: string;
let args: string[];
let up: Up;
let heightBefore = 0;

const ask = async <T>(path: string): Promise<T> => {
  const answer = await fetch(`${base}${path}`);
  assert.equal(answer.status, 200, `${path}: ${answer.status} ${up.output}`);
  return (await answer.json()) as T;
};
const tip = async (): Promise<Tip | undefined> => {
  const answer = await fetch(`${base}/api/v2/chain/tip`).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as Tip) : void (await answer?.body?.cancel());
};
const tipAbove = (height: number) =>
  eventually(
    `a tip above ${height}`,
    async () => {
      const now = await tip();
      return now !== undefined && now.block_height > height ? now : undefined;
    },
    { ...PATIENCE, explain: () => up.output },
  );

before(async () => {
  dataDir = await memoryDirectory('chain-indexer-up-');
  base = `http://127.0.0.1:${await freePort()}`;
  args = [`--data-dir=${dataDir}`, `--bind-address=${base.slice(7)}`, '--block-interval=200', '--blocks=20'];
  // Too small to matter, and more than a number's own text says in plain digits.
  args.push('--reorg-probability=0.0000001');
  up = new Up(args, { env: OF_ANOTHER_SERVER });
});
after(async () => {
  await up.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

test('up tells which URLs to try, and they answer', async () => {
  await assertUrlsAnswer(up, base);
  // A busy machine's PostgreSQL may be silent for seconds.
  const wrong = / (WARN|ERROR) (?!Waiting for PostgreSQL)/;
  assert.doesNotMatch(up.output, wrong, 'nothing is wrong at a first start');
  const page = await fetch(`${base}/docs`);
  assert.equal(page.status, 200);
  await page.body?.cancel();
});

/** The age of a block in seconds. */
const ageOf = async ({ block_id }: Tip) => {
  const header = await ask<{ timestamp: { timestamp: number } }>(`/api/v2/block/${block_id}/header`);
  return Date.now() / 1_000 - header.timestamp.timestamp;
};

test('up shows a chain that grows, and whose newest blocks have the clock’s time', async () => {
  const { block_height: height } = await tipAbove(2);
  const later = await tipAbove(height + 3);
  assert.equal(await ask(`/api/v2/chain/${later.block_height}`), later.block_id);
  // Blocks that come faster than every second run ahead of the clock.
  const age = await ageOf(later);
  assert.ok(age < 60 && age > -later.block_height, `${age} seconds`);
  const first = await ask<string>('/api/v2/chain/1');
  assert.ok((await ageOf({ block_height: 1, block_id: first })) >= 30 * 86_400, 'the past has 30 days');
});

test('up is alone in its data directory', async () => {
  const second = new Up([`--data-dir=${dataDir}`, `--bind-address=127.0.0.1:${await freePort()}`]);
  assert.equal(await second.end(), 2);
  assert.match(second.output, /^up: Another chain-indexer uses the data directory .* Stop it first, or/m);
});

test('up says so at once when the port of the web server is in use', async () => {
  const second = new Up([`--data-dir=${dataDir}-2`, `--bind-address=${base.slice(7)}`]);
  assert.equal(await second.end(), 2);
  assert.match(second.output, /^up: The web server cannot listen on .*: the port is in use\. Choose another/m);
  await rm(`${dataDir}-2`, { recursive: true, force: true });
});

test('up starts a program again that was killed', { skip: process.platform !== 'linux' }, async () => {
  const { block_height: height } = await tipAbove(0);
  const scanner = (await processes()).find(({ command }) => command.includes('bin/scanner.ts'));
  assert.ok(scanner !== undefined);
  process.kill(scanner.pid, 'SIGKILL');
  await up.says(/scanner\s+ended \(SIGKILL\), starting it again in 0\.5 s/);
  await tipAbove(height + 2);
});

test('up stops everything on Ctrl-C', { skip: process.platform !== 'linux' }, async () => {
  const running = await processes();
  const programs = running
    .map(({ command }) => /bin\/([a-z-]+)\.ts/.exec(command)?.[1] ?? 'other')
    .filter((name) => name !== 'other');
  assert.deepEqual(programs.toSorted(), ['devnet', 'scanner', 'web-server']);
  heightBefore = (await tip())?.block_height ?? 0;
  assert.equal(await up.end('SIGINT'), 0);
  assert.match(up.output, /Stopping \.\.\.[\s\S]*Stopped\.\n$/);
  const alive = running.filter(({ pid }) => isProcessAlive(pid));
  assert.deepEqual(alive, []);
});

test('up goes on from its data at the next start', async () => {
  up = new Up(args);
  const [, height] = await up.says(/the index is open height=(\d+)/);
  assert.ok(Number(height) >= heightBefore, `${height} after ${heightBefore}`);
  assert.ok((await eventually('a tip', tip, { ...PATIENCE, explain: () => up.output })).block_height >= heightBefore);
  await tipAbove(heightBefore + 3);
});

/** The running `up`'s children. */
async function processes(): Promise<{ pid: number; command: string }[]> {
  const found = [];
  for (const pid of childrenOf(up.pid)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    found.push({ pid, command: command.replaceAll('\0', ' ') });
  }
  return found;
}

test('up ends when a program of it cannot work as it was told to', async (t) => {
  const { postgres } = await TestIndex.create(t, regtestPos);
  const dataDir = await temporaryDirectory(t);
  const { host, port, user, password, database } = postgres;
  const up = new Up([
    `--data-dir=${dataDir}`,
    `--bind-address=127.0.0.1:${await freePort()}`,
    '--network=testnet',
    `--node-rpc-address=127.0.0.1:${await freePort()}`,
    ...Object.entries({ host, port, user, password, database }).map(([name, value]) => `--postgres-${name}=${value}`),
  ]);
  t.after(() => up.end('SIGKILL'));
  await up.says(/Stopped\.\n/);
  const ended = await Promise.race([up.end(), sleep(10_000, 'still running', { ref: false })]);
  assert.equal(ended, 2, up.output);
  assert.match(
    up.output,
    // Whichever is first. --resync would not help: it does not drop the index of another network.
    /^up: The (scanner|web-server) could not start; its last line above says why\.$/m,
  );
});

test('up that is stopped while it starts says so at once, and starts nothing more', async (t) => {
  const dataDir = await temporaryDirectory(t);
  const up = new Up([`--data-dir=${dataDir}`, `--bind-address=127.0.0.1:${await freePort()}`]);
  t.after(() => up.end('SIGKILL'));
  await up.says(/^Starting/);
  const ended = up.end('SIGINT');
  await up.says(/Stopping/);
  assert.doesNotMatch(up.output, /Stopped/, 'it says so before it has ended');
  assert.equal(await ended, 0, up.output);
  assert.match(up.output, /^Starting .*\nStopping \.\.\.\nStopped\.\n$/);
});

test('up says what is wrong with its chain file', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'words.ndjson');
  await writeFile(file, 'words\n');
  const address = `127.0.0.1:${await freePort()}`;
  const up = new Up([`--data-dir=${join(directory, 'data')}`, `--bind-address=${address}`, `--replay=${file}`]);
  assert.equal(await up.end(), 2);
  assert.match(up.output, /^up: .*words\.ndjson, line 1: not JSON: words\. Give another file with --replay\.$/m);
});
