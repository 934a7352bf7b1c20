import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/embedded/free-port.ts';
import { isAlive } from '../../src/embedded/spawn.ts';
import { eventually, until } from '../support/until.ts';

const workersModule = new URL('../../src/processes/workers.ts', import.meta.url).href;
const collectModule = new URL('../../src/processes/collect-from-workers.ts', import.meta.url).href;

/** A program of three workers; each answers with its process id, or what all say together, and does `inWorker` first. */
async function program(t: TestContext, port: number, inWorker = '') {
  const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-workers-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'program.mjs');
  await writeFile(
    file,
    `import cluster from 'node:cluster';
    import { createServer } from 'node:http';
    import { collectFromWorkers } from ${JSON.stringify(collectModule)};
    import { runWorkers, workerNumber } from ${JSON.stringify(workersModule)};
    if (cluster.isPrimary) {
      const stop = new AbortController();
      process.on('SIGTERM', () => stop.abort());
      const logger = { warn: (fields, message) => console.log(message) };
      const combine = async (said, ended) => {
        const gone = ended.flat();
        return { text: JSON.stringify({ said, ended: gone }), ended: gone };
      };
      await runWorkers(3, stop.signal, logger, combine).catch((error) => { console.log(error.message); process.exitCode = error.exitCode; });
    } else {
      ${inWorker}
      process.on('SIGTERM', () => process.exit(0));
      const all = collectFromWorkers(async () => [process.pid]);
      const answer = async (request, response) => {
        const text = request.url === '/all' ? await all() : String(process.pid);
        response.setHeader('connection', 'close').end(text);
      };
      createServer(answer).listen(${port}, '127.0.0.1');
    }`,
  );
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return { child, output: () => output, closed: once(child, 'close') };
}

/** Asks until `count` different workers, none of `without`, have answered. */
async function workersAt(port: number, count: number, without: ReadonlySet<number> = new Set()): Promise<Set<number>> {
  const seen = new Set<number>();
  for (const deadline = Date.now() + 20_000; seen.size < count; await sleep(5)) {
    assert.ok(Date.now() < deadline, `only ${[...seen]} answered`);
    // A connection that was handed to a worker as it died is lost.
    const signal = AbortSignal.timeout(1_000);
    const answer = await fetch(`http://127.0.0.1:${port}`, { signal }).catch(() => undefined);
    const pid = Number(await answer?.text().catch(() => undefined));
    if (pid > 0 && !without.has(pid)) seen.add(pid);
  }
  return seen;
}

test('all workers serve on one port, one that dies is replaced, and all end together', async (t) => {
  const port = await freePort();
  const { child, output, closed } = await program(t, port);
  const workers = await workersAt(port, 3);
  const [victim = 0] = workers;
  assert.ok(victim > 0);
  process.kill(victim, 'SIGKILL');
  const [replacement = 0] = await workersAt(port, 1, workers);
  assert.match(output(), /a worker process ended, starting another/);
  child.kill('SIGTERM');
  assert.deepEqual(await closed, [0, null]);
  for (const pid of [...workers, replacement]) assert.equal(isAlive(pid), false);
});

interface All {
  readonly said: readonly {
    readonly worker: number;
    readonly figures?: readonly [pid: number];
    readonly isSilent: boolean;
  }[];
  readonly ended: readonly number[];
}

/** What some worker answers that all say; asked again when the connection was handed to one that does not answer. */
function allAt(port: number): Promise<All> {
  return eventually('what all workers say', async () => {
    const signal = AbortSignal.timeout(2_500);
    const answer = await fetch(`http://127.0.0.1:${port}/all`, { signal }).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as All);
  });
}

test('each worker can say what all say, by their numbers', async (t) => {
  const port = await freePort();
  await program(t, port);
  const pids = await workersAt(port, 3);
  for (let i = 0; i < 6; i++) {
    const { said, ended } = await allAt(port);
    assert.deepEqual(
      said.map(({ worker }) => worker),
      [1, 2, 3],
    );
    assert.deepEqual(new Set(said.map(({ figures }) => figures![0])), pids);
    assert.ok(said.every(({ isSilent }) => !isSilent));
    assert.deepEqual(ended, []);
  }
});

test('a worker that is silent is waited for a second, once, and counts with what it said last', async (t) => {
  const port = await freePort();
  await program(t, port);
  const [victim = 0] = await workersAt(port, 3);
  await allAt(port);
  process.kill(victim, 'SIGSTOP');
  t.after(() => process.kill(victim, 'SIGKILL'));
  const silent = async () => (await allAt(port)).said.filter(({ isSilent }) => isSilent);
  await until(async () => (await silent()).length === 1, 'the silence');
  const since = performance.now();
  for (let i = 0; i < 5; i++) assert.deepEqual((await silent())[0]!.figures, [victim]);
  assert.ok(performance.now() - since < 4_000);
  process.kill(victim, 'SIGCONT');
  await until(async () => (await silent()).length === 0, 'its voice');
});

test('what a worker said last is kept when it has ended, and its number goes to the one that replaces it', async (t) => {
  const port = await freePort();
  await program(t, port);
  await workersAt(port, 3);
  const before = await allAt(port);
  const { worker, figures } = before.said[1]!;
  const victim = figures![0];
  process.kill(victim, 'SIGKILL');
  await until(async () => (await allAt(port)).ended.length === 1, 'the end');
  const replaced = await eventually('another one', async () => {
    const { said, ended } = await allAt(port);
    assert.deepEqual(ended, [victim]);
    return said.find((each) => each.worker === worker && each.figures !== undefined);
  });
  assert.notEqual(replaced.figures![0], victim);
});

test('all workers come though the first one fails at its start', async (t) => {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-workers-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const failed = JSON.stringify(join(directory, 'failed'));
  await program(
    t,
    port,
    `const { existsSync, writeFileSync } = process.getBuiltinModule('node:fs');
    if (!existsSync(${failed})) {
      writeFileSync(${failed}, '');
      process.exit(1);
    }`,
  );
  await workersAt(port, 3);
});

test('what is wrong with the settings is said once', async (t) => {
  const { child, output, closed } = await program(
    t,
    await freePort(),
    "console.log('no such thing'); process.exit(2);",
  );
  await closed;
  assert.equal(child.exitCode, 2);
  assert.equal(output(), 'no such thing\nA worker process cannot work as it was told to; its line above says why.\n');
});

test('a web server of several processes ends with the status of what they refuse', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const options = {
    network: 'regtest-pos',
    'bind-address': `127.0.0.1:${port}`,
    'postgres-port': String(await freePort()),
    ...{ 'node-rpc-username': 'me', 'node-rpc-password': 'secret', workers: '2' },
  };
  const program = new URL('../../bin/web-server.ts', import.meta.url).pathname;
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const said = text(child.stderr);
  assert.deepEqual(await Promise.race([once(child, 'exit'), sleep(15_000, 'it runs on', { ref: false })]), [2, null]);
  assert.match(await said, /cannot listen on 127\.0\.0\.1:\d+: .* in use[\s\S]*A worker process cannot work/);
});
