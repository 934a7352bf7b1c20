import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from '../../src/embedded/child-processes.ts';
import { SupervisedProgram } from '../../src/processes/supervised-program.ts';
import { until } from '../support/until.ts';

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'chain-indexer-child-'));
});
after(() => rm(directory, { recursive: true, force: true }));

const pauses = { firstMs: 10, maxMs: 40 };

async function childOf(script: string, options: { stopTimeoutMs?: number } = {}) {
  const file = join(directory, `${Math.random().toString(36).slice(2)}.mjs`);
  await writeFile(file, script);
  const lines: string[] = [];
  const onLine = (name: string, line: string) => lines.push(`${name}: ${line}`);
  const child = new SupervisedProgram({ name: 'it', file, args: ['a'], env: process.env, onLine, pauses, ...options });
  const firstLines = async (count: number) => {
    await until(() => lines.length >= count, `${count} lines`, { withinMs: 60_000, explain: () => lines.join('\n') });
    return lines.slice(0, count);
  };
  return { child, lines, firstLines };
}

test('the output of a child is passed on line by line', async () => {
  const { child, firstLines } = await childOf(
    `console.log('one\\ntwo'); console.error('three'); setInterval(() => {}, 1000)`,
  );
  child.start();
  assert.deepEqual((await firstLines(3)).toSorted(), ['it: one', 'it: three', 'it: two']);
  await child.stop();
});

test('a child is stopped though a program that it started keeps its output open', async () => {
  const { child, firstLines } = await childOf(
    `import { spawn } from 'node:child_process';
     spawn('sleep', ['60'], { stdio: ['ignore', 'inherit', 'inherit'], detached: true }).unref();
     console.log('started'); setInterval(() => {}, 1000)`,
  );
  child.start();
  await firstLines(1);
  const since = performance.now();
  await child.stop();
  assert.ok(performance.now() - since < 30_000);
});

test('a child that fails is started again after growing pauses', async () => {
  const { child, firstLines } = await childOf('console.log(process.argv.slice(2).join()); process.exit(1)');
  child.start();
  assert.deepEqual(await firstLines(8), [
    'it: a',
    'it: ended (exit status 1), starting it again in 0.01 s',
    'it: a',
    'it: ended (exit status 1), starting it again in 0.02 s',
    'it: a',
    'it: ended (exit status 1), starting it again in 0.04 s',
    'it: a',
    'it: ended (exit status 1), starting it again in 0.04 s',
  ]);
  await child.stop();
});

test('a child that cannot work as it was told to is not started again', async () => {
  const { child, lines } = await childOf(`console.error('no such thing'); process.exit(2)`);
  child.start();
  assert.equal(await child.refused, 2);
  await sleep(60);
  assert.deepEqual(lines, ['it: no such thing']);
});

test('stopping a child sends SIGTERM first', async () => {
  const { child, firstLines } = await childOf(`
    process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });
    setInterval(() => {}, 1000);
    console.log('ready');`);
  child.start();
  await firstLines(1);
  await child.stop();
  assert.deepEqual(await firstLines(2), ['it: ready', 'it: bye']);
});

test('stopping kills a child that ignores SIGTERM', async () => {
  const { child, firstLines } = await childOf(
    `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready');`,
    { stopTimeoutMs: 50 },
  );
  child.start();
  await firstLines(1);
  const pid = child.pid ?? 0;
  await child.stop();
  assert.equal(isProcessAlive(pid), false);
});

test('a child learns of the death of its parent', async () => {
  const mark = join(directory, 'mark');
  const orphan = join(directory, 'orphan.mjs');
  await writeFile(
    orphan,
    `import { writeFileSync } from 'node:fs';
    process.on('disconnect', () => { writeFileSync(${JSON.stringify(mark)}, 'alone'); process.exit(); });
    console.log('ready');`,
  );
  const parent = await childOf(`
    import { SupervisedProgram } from ${JSON.stringify(new URL('../../src/processes/supervised-program.ts', import.meta.url).href)};
    const onLine = (name, line) => console.log(line);
    new SupervisedProgram({ name: 'orphan', file: ${JSON.stringify(orphan)}, args: [], env: process.env, onLine }).start();`);
  parent.child.start();
  assert.deepEqual(await parent.firstLines(1), ['it: ready']);
  const restarts = parent.child.stop();
  const { pid } = parent.child;
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGKILL');
  await restarts;
  await until(async () => (await readFile(mark, 'utf8').catch(() => '')) === 'alone', 'what the child writes');
});
