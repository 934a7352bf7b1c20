import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../bin/run.mjs', import.meta.url));

async function run(...args: string[]) {
  const child = spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { output, code, signal };
}

test('a program gets its arguments, and its exit status is that of the launcher', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-run-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'program.ts');
  await writeFile(
    file,
    `const args: string[] = process.argv.slice(2); console.log(args.join()); process.exitCode = 3;`,
  );
  assert.deepEqual(await run(file, '--a', 'b'), { output: '--a,b\n', code: 3, signal: null });
});

test('other arguments are for Node, and the launcher ends as Node does', async () => {
  assert.deepEqual(await run('--eval', 'process.exit(7)'), { output: '', code: 7, signal: null });
  const killed = await run('--eval', `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)`);
  assert.equal(killed.signal, 'SIGTERM');
});
