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
import { isAlive } from '../../src/embedded/process.ts';

const workersModule = new URL('../../src/processes/workers.ts', import.meta.url).href;

/** A program of three workers; each answers with its process id, and does `inWorker` first. */
async function program(t: TestContext, port: number, inWorker = '') {
  const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-workers-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'program.mjs');
  await writeFile(
    file,
    `import cluster from 'node:cluster';
    import { createServer } from 'node:http';
    import { runWorkers } from ${JSON.stringify(workersModule)};
    if (cluster.isPrimary) {
      const stop = new AbortController();
      process.on('SIGTERM', () => stop.abort());
      const logger = { warn: (fields, message) => console.log(message) };
      await runWorkers(3, stop.signal, logger).catch((error) => { console.log(error.message); process.exitCode = error.exitCode; });
    } else {
      ${inWorker}
      process.on('SIGTERM', () => process.exit(0));
      const answer = (request, response) => response.setHeader('connection', 'close').end(String(process.pid));
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
