import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from '../../src/embedded/child-processes.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { startHttpServer } from '../support/http-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { eventually, until } from '../support/until.ts';

const workersModule = new URL('../../src/processes/cluster-workers.ts', import.meta.url).href;
const siblingsModule = new URL('../../src/processes/sibling-workers.ts', import.meta.url).href;

/** A program of three workers; each answers with its process id, or with what the others say, and does `inWorker` first. */
async function program(t: TestContext, port: number, inWorker = '') {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'program.mjs');
  await writeFile(
    file,
    `import cluster from 'node:cluster';
    import { createServer } from 'node:http';
    import { IpcSiblingWorkers } from ${JSON.stringify(siblingsModule)};
    import { runWorkers, workerNumber } from ${JSON.stringify(workersModule)};
    if (cluster.isPrimary) {
      const stop = new AbortController();
      process.on('SIGTERM', () => stop.abort());
      const logger = { warn: (fields, message) => console.log(message) };
      await runWorkers(3, stop.signal, logger).catch((error) => { console.log(error.message); process.exitCode = error.exitCode; });
    } else {
      ${inWorker}
      process.on('SIGTERM', () => process.exit(0));
      const by = workerNumber();
      const siblings = new IpcSiblingWorkers(by, 3);
      siblings.onQuestion('pid', async (content) => process.pid + ' ' + content.length);
      const answer = async (request, response) => {
        let text = String(process.pid);
        if (request.method === 'POST') {
          const content = (await request.toArray()).join('');
          text = JSON.stringify({ by, said: await siblings.ask('pid', content) });
        }
        response.setHeader('connection', 'close').end(text);
      };
      // A client that gives up in the middle is no reason to end.
      createServer((...both) => answer(...both).catch(() => {})).listen(${port}, '127.0.0.1');
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
  const haveAnswered = async () => {
    // A connection that was handed to a worker as it died is lost.
    const signal = AbortSignal.timeout(1_000);
    const answer = await fetch(`http://127.0.0.1:${port}`, { signal }).catch(() => undefined);
    const pid = Number(await answer?.text().catch(() => undefined));
    if (pid > 0 && !without.has(pid)) seen.add(pid);
    return seen.size >= count;
  };
  await until(haveAnswered, `answers of ${count} workers`, { explain: () => `only ${[...seen]} answered` });
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
  for (const pid of [...workers, replacement]) assert.equal(isProcessAlive(pid), false);
});

test('a connection that was sent to a worker as it died is closed', async (t) => {
  const port = await freePort();
  await program(t, port);
  const workers = await workersAt(port, 3);
  for (const pid of workers) process.kill(pid, 'SIGSTOP');
  const clients = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  await Promise.all(clients.map((client) => once(client.resume(), 'connect')));
  for (const client of clients) client.on('error', () => {}).end('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
  // Until the primary has sent one to each.
  await sleep(500);
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  await until(() => clients.every(({ closed }) => closed), 'all clients are answered, or their connections closed');
});

interface Said {
  readonly worker: number;
  readonly content?: string;
}

/** What some worker is told by the others about this; asked again when the connection went to one that does not answer. */
function saidAt(port: number, content = ''): Promise<{ readonly by: number; readonly said: readonly Said[] }> {
  let patienceMs = 1_250;
  return eventually('what a worker is told', async () => {
    // Many large questions at once take a busy machine long.
    patienceMs *= 2;
    const signal = AbortSignal.timeout(patienceMs);
    const answer = await fetch(`http://127.0.0.1:${port}/ask`, { signal, method: 'POST', body: content }).catch(
      () => {},
    );
    const text = await answer?.text().catch(() => undefined);
    return text === undefined ? undefined : JSON.parse(text);
  });
}

/** The same from a worker whom all others answered in time. */
function saidByAll(port: number, content?: string) {
  return eventually('what all others say', async () => {
    const told = await saidAt(port, content);
    return told.said.every((each) => each.content !== undefined) ? told : undefined;
  });
}

test('each worker can ask the others, and knows them by their numbers; the number of one that ended goes to the one that replaces it', async (t) => {
  const port = await freePort();
  await program(t, port);
  const pids = await workersAt(port, 3);
  const content = 'x'.repeat(1_000_000);
  for (let i = 0; i < 6; i++) {
    const { by, said } = await saidByAll(port, content);
    assert.deepEqual(
      said.map(({ worker }) => worker),
      [1, 2, 3].filter((worker) => worker !== by),
    );
    for (const { content: text } of said) {
      const [pid, length] = text!.split(' ').map(Number);
      assert.ok(pids.has(pid!));
      assert.equal(length, content.length);
    }
  }

  const { said } = await saidByAll(port);
  const { worker, content: told } = said[0]!;
  const victim = Number(told!.split(' ')[0]);
  process.kill(victim, 'SIGKILL');
  const replaced = async () => {
    const { said: now } = await saidAt(port);
    assert.ok(now.length === 2, 'both are named, whether they run or not');
    return now.some((each) => each.worker === worker && each.content && Number(each.content.split(' ')[0]) !== victim);
  };
  await until(replaced, 'another one');
});

test('a worker that hangs is waited for a second, and is not written to without end', async (t) => {
  const port = await freePort();
  const { child } = await program(t, port);
  const [victim = 0] = await workersAt(port, 3);
  process.kill(victim, 'SIGSTOP');
  t.after(() => {
    try {
      process.kill(victim, 'SIGKILL');
    } catch {
      // It has ended with the program.
    }
  });
  const silent = ({ said }: { said: readonly Said[] }) => said.filter(({ content }) => content === undefined).length;
  /** On a busy machine another one may be silent as well now and then. */
  const onlyOneIsSilent = (ms: number) =>
    until(async () => {
      const since = performance.now();
      return silent(await saidAt(port)) === 1 && performance.now() - since < ms;
    }, `what the others say within ${ms} ms`);
  await onlyOneIsSilent(4_000);
  const large = 'x'.repeat(4_000_000);
  await Promise.all(Array.from({ length: 20 }, () => saidAt(port, large)));
  // What has much to read is not asked, nor waited for.
  await onlyOneIsSilent(900);
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => 'VmRSS: 0 kB');
  assert.ok(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) < 400_000, status);
  process.kill(victim, 'SIGCONT');
  await until(async () => silent(await saidAt(port)) === 0, 'its voice');
});

test('all workers come though the first one fails at its start', async (t) => {
  const port = await freePort();
  const directory = await temporaryDirectory(t);
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
  assert.equal(output(), 'no such thing\nA worker process could not start; its line above says why.\n');
});

test('a web server of several processes ends with the status of what they refuse', async (t) => {
  const { port } = await startHttpServer(t, () => {});
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
  assert.deepEqual(await Promise.race([once(child, 'exit'), sleep(120_000, 'it runs on', { ref: false })]), [2, null]);
  assert.match(await said, /cannot listen on 127\.0\.0\.1:\d+: .* in use[\s\S]*A worker process could not start/);
});
