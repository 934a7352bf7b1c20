/** The thread that answers those who watch the scanner: it needs nobody, and nobody needs it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { freePort } from '../../../src/embedded/free-port.ts';
import { startMonitor } from '../../../src/scanner/monitor/monitor-thread.ts';
import { ScannerStatus } from '../../../src/scanner/monitor/status.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { Scrape } from '../../support/prometheus.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { eventually, until } from '../../support/until.ts';

const PROGRAM = new URL('../../../bin/scanner.ts', import.meta.url).pathname;
const moduleUrl = (file: string): string =>
  JSON.stringify(new URL(`../../../src/scanner/monitor/${file}`, import.meta.url).href);
const silent = pino({ level: 'silent' });
const SILENT_SECONDS = 'chain_indexer_scanner_main_thread_heartbeat_age_seconds';

async function asked(port: number, path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return { code: response.status, said: (await response.json()) as { status: string; phase: string } };
}

/** The program as an operator runs it, with a database and a node that are not there. */
async function scanner(t: TestContext, ...args: string[]) {
  const options = {
    network: 'regtest-pos',
    'postgres-host': '127.0.0.1',
    'postgres-port': String(await freePort()),
    'node-rpc-username': 'me',
    'node-rpc-password': 'secret',
  };
  const given = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(process.execPath, [PROGRAM, ...given, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  child.stdout?.resume();
  const said = text(child.stderr!);
  const ended = await Promise.race([once(child, 'exit'), sleep(20_000, undefined, { ref: false })]);
  assert.ok(ended, 'it runs on');
  return { code: ended[0], said: await said };
}

it('a scanner with --metrics-address tells from the start what it waits for, and ends when it is told to', async (t) => {
  const port = await freePort();
  const child = await scanner(t, `--metrics-address=127.0.0.1:${port}`);
  const ended = endOf(child);
  const { code, said } = await eventually('a failure at /ready', async () => {
    const answer = await asked(port, '/ready').catch(() => undefined);
    return answer?.said.status.includes('failed') ? answer : undefined;
  });
  assert.equal(code, 503);
  assert.match(said.status, /^waiting for the database; failed .*\(database\): .*nothing listens there/);
  assert.deepEqual(await asked(port, '/health'), {
    code: 200,
    said: { status: 'alive', phase: 'waiting_for_database' },
  });
  child.kill('SIGTERM');
  assert.equal((await ended).code, 0);
  await assert.rejects(asked(port, '/health'));
});

it('a scanner with --metrics-address ends with status 2 where it cannot listen, and says so', async (t) => {
  const { port } = await startHttpServer(t, () => {});
  for (const [address, reason] of [
    [
      `127.0.0.1:${port}`,
      /^scanner: cannot serve metrics on 127\.0\.0\.1:\d+: the port is in use\. .*--metrics-address/,
    ],
    ['192.0.2.1:9000', /: this machine does not have that address\. /],
    ['no-such-host.invalid:9000', /cannot serve metrics on no-such-host\.invalid:9000: /],
    ['9000', /^scanner: --metrics-address must be HOST:PORT, for example .*, not "9000"/],
  ] as const) {
    const { code, said } = await endOf(await scanner(t, `--metrics-address=${address}`));
    assert.equal(code, 2, said);
    assert.match(said, reason);
    assert.equal(said.trimEnd().split('\n').length, 1);
  }
});

it('a scanner with --metrics-address ends with status 2 for another mistake as well, though somebody watches', async (t) => {
  const child = await scanner(t, `--metrics-address=127.0.0.1:${await freePort()}`, '--postgres-port=0');
  assert.equal((await endOf(child)).code, 2);
});

it('the monitoring thread answers while the main thread is busy, with what that told last and since when it is silent', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = `${directory}/program.mjs`;
  const [beginning, end] = [`${directory}/beginning`, `${directory}/end`];
  await writeFile(
    file,
    `import { existsSync, writeFileSync } from 'node:fs';
      import { startMonitor } from ${moduleUrl('monitor-thread.ts')};
      import { ScannerStatus } from ${moduleUrl('status.ts')};
      const status = new ScannerStatus();
      status.enter('bulk_sync');
      status.opened({ height: 7, blockId: 'ab', timestamps: [5], transactionCount: 3 });
      const monitor = await startMonitor({ host: '127.0.0.1', port: 0 }, status, { info() {}, error() {} });
      process.stdin.on('data', () => {
        writeFileSync('${beginning}', '');
        while (!existsSync('${end}'));
      });
      console.log(monitor.address.port);`,
  );
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  const port = await eventually('the port', () => (output.includes('\n') ? Number(output) : undefined));
  await Scrape.of(port);
  child.stdin.write('be busy\n');
  await until(() => existsSync(beginning), 'the beginning of the work');
  assert.deepEqual(await asked(port, '/health'), { code: 200, said: { status: 'alive', phase: 'bulk_sync' } });
  await until(async () => (await Scrape.of(port)).value(SILENT_SECONDS)! > 0.5, 'the silence of the main thread');
  const scrape = await Scrape.of(port);
  assert.equal(scrape.value('chain_indexer_scanner_height_blocks'), 7);
  assert.ok(scrape.value('process_cpu_seconds_total')! > 0, 'the figures of the process are those from before');
  await writeFile(end, '');
  await until(async () => (await Scrape.of(port)).value(SILENT_SECONDS)! < 2, 'a sign of life');
});

it('the monitoring thread makes the text of the metrics once a second', async (t) => {
  const monitor = await startMonitor({ host: '127.0.0.1', port: 0 }, new ScannerStatus(), silent);
  t.after(() => monitor.close());
  const { port } = monitor.address;
  // That the process figures are told is seen in a text that is a second younger.
  const texts = await Promise.all(Array.from({ length: 20 }, async () => (await Scrape.of(port)).text));
  assert.ok(new Set(texts).size <= 2, 'each was made by itself');
  await sleep(1_100);
  assert.ok(!texts.includes((await Scrape.of(port)).text), 'it is not made anew');
});

it('a monitoring thread that fails ends the process', async (t) => {
  const file = `${await temporaryDirectory(t)}/program.mjs`;
  await writeFile(
    file,
    `import { startMonitor } from ${moduleUrl('monitor-thread.ts')};
      import { ScannerStatus } from ${moduleUrl('status.ts')};
      let thread;
      process.on('worker', (worker) => { thread = worker; });
      await startMonitor({ host: '127.0.0.1', port: 0 }, new ScannerStatus(), { info() {} });
      setInterval(() => {}, 1_000);
      // The thread expects objects.
      thread.postMessage(1);`,
  );
  const { code, said } = await endOf(spawn(process.execPath, [file], { stdio: ['ignore', 'ignore', 'pipe'] }));
  assert.equal(code, 1, said);
});
