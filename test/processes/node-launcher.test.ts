import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../support/temporary-directory.ts';

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
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'program.ts');
  await writeFile(
    file,
    `const args: string[] = process.argv.slice(2); console.log(args.join()); process.exitCode = 3;`,
  );
  assert.deepEqual(await run(file, '--a', 'b'), { output: '--a,b\n', code: 3, signal: null });
});

test('a program gives freed buffers back to the machine, unless its environment says otherwise', async () => {
  const settings = async (env: NodeJS.ProcessEnv) => {
    const program = 'console.log(process.env.MALLOC_MMAP_THRESHOLD_, process.env.MALLOC_ARENA_MAX)';
    const child = spawn(process.execPath, [launcher, '--eval', program], { env });
    const [said] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    return said.trim();
  };
  const { MALLOC_MMAP_THRESHOLD_: _, MALLOC_ARENA_MAX: __, ...others } = process.env;
  assert.equal(await settings(others), '262144 2');
  assert.equal(await settings({ ...others, MALLOC_ARENA_MAX: '1' }), '262144 1');
});

test('other arguments are for Node, and the launcher ends as Node does', async () => {
  assert.deepEqual(await run('--eval', 'process.exit(7)'), { output: '', code: 7, signal: null });
  const killed = await run('--eval', `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)`);
  assert.equal(killed.signal, 'SIGTERM');
});

test('an installed Node is used while it is new enough and gets security updates, otherwise the one of npm install', async (t) => {
  const directory = await temporaryDirectory(t);
  const installed = join(directory, 'node');
  await writeFile(installed, '#!/bin/sh\necho installed\n', { mode: 0o755 });
  const chosen = async (version: string, day: string) => {
    const pretence = `
      Object.defineProperty(process.versions, 'node', { value: '${version}' });
      process.execPath = '${installed}';
      Date.now = () => Date.parse('${day}');`;
    const preload = join(directory, 'pretence.mjs');
    await writeFile(preload, pretence);
    const child = spawn(process.execPath, ['--import', preload, launcher, '--eval', 'console.log("bundled")']);
    const [said] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    await once(child, 'close');
    return said.trim();
  };
  for (const [version, day, expected] of [
    ['20.20.2', '2026-01-01', 'bundled'],
    ['23.1.0', '2026-11-01', 'bundled'],
    ['24.11.0', '2026-11-01', 'installed'],
    ['24.11.0', '2028-05-01', 'bundled'],
    ['25.2.0', '2026-11-01', 'bundled'],
    ['26.10.0', '2026-11-01', 'installed'],
    ['28.0.0', '2030-01-01', 'installed'],
  ] as const)
    assert.equal(await chosen(version, day), expected, `Node ${version} at ${day}`);
});
