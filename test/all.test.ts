/** How `npm test` and the stages of `npm run test:all` are called; what they run is tested by running them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { groupModule, groupsOf, longTestFiles, shortTestFiles } from './support/test-groups.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function runNode(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  // A test run in a test's process would take itself for a part of this one.
  const { NODE_TEST_CONTEXT: _, ...own } = process.env;
  return new Promise<{ status: number; output: string }>((resolve) => {
    const child = execFile(process.execPath, args, { cwd: ROOT, env: { ...own, ...env } }, (_, out, err) =>
      resolve({ status: child.exitCode ?? -1, output: out + err }),
    );
  });
}

const runAll = (args: readonly string[], env?: Readonly<Record<string, string>>) =>
  runNode(['test/all.ts', ...args], env);

test('test:all lists its stages, and refuses one that it does not have', async () => {
  const help = await runAll(['--help']);
  assert.equal(help.status, 0);
  for (const stage of ['tests', 'browser', 'golden', 'attacks', 'faults', 'sql', 'package'])
    assert.match(help.output, new RegExp(`^  ${stage} `, 'm'));
  const typo = await runAll(['pakage']);
  assert.equal(typo.status, 2);
  assert.match(typo.output, /there is no stage pakage\. See --help\./);
});

test('test:all leaves a stage out that would end after the time limit, and says so', async () => {
  const { status, output } = await runAll(['package'], { TEST_LIMIT_SECONDS: '60' });
  assert.equal(status, 0);
  assert.match(output, /package: left out, it was too late for it after \d+ s/);
});

test('test:all leaves the browser tests out where there is no browser, and says why', async () => {
  const { status, output } = await runAll(['browser'], { CHROMIUM: '/no/such/chromium' });
  assert.equal(status, 0);
  assert.match(output, /browser: left out, there is no program \/no\/such\/chromium/);
});

test('the stages tests and browser of test:all run every test file between them', () => {
  const browser = globSync('test/browser/**/*.test.ts', { cwd: ROOT });
  assert.ok(browser.length > 0);
  const all = globSync('test/**/*.test.ts', { cwd: ROOT });
  assert.deepEqual([...shortTestFiles(), ...longTestFiles(), ...browser].sort(), all.sort());
});

test('npm test runs every test file but the long ones, each once', () => {
  const all = globSync('test/**/*.test.ts', { cwd: ROOT });
  const long = all.filter((file) => file.endsWith('.long.test.ts'));
  assert.ok(long.length > 0);
  const groups = [...groupsOf(shortTestFiles()).values()];
  assert.deepEqual([...groups.flat(), ...long].sort(), all.sort());
});

test('neither a file of a group nor a module of src waits at its top: Node may count the tests to another file', () => {
  const waiting = [...shortTestFiles(), ...globSync('src/**/*.ts', { cwd: ROOT })].filter((file) =>
    /^((export )?(const|let) [^=\n]*= [^>\n]*)?\bawait /m.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  assert.deepEqual(waiting, []);
});

test('npm test runs the files that it is given, and refuses one that does not exist', async (t) => {
  const folder = await temporaryDirectory(t);
  const file = join(folder, 'one.test.mjs');
  await writeFile(file, "import { test } from 'node:test'; test('one', () => {});");
  const passed = await runNode(['test/run.ts', file, '--test-reporter=tap']);
  assert.equal(passed.status, 0, passed.output);
  assert.match(passed.output, /^# pass 1$/m);
  const unknown = await runNode(['test/run.ts', join(folder, 'two.test.mjs')]);
  assert.equal(unknown.status, 2);
  assert.match(unknown.output, /there is no file .*two\.test\.mjs/);
});

test('files of a group have their own hooks, and one that fails or cannot be loaded fails the run without the others', async (t) => {
  const folder = await temporaryDirectory(t);
  const texts = {
    passes: `let calls = 0; beforeEach(() => { calls++; }); test('passes', () => { if (calls !== 1) throw new Error(calls); });`,
    fails: `beforeEach(() => {}); test('fails', () => { throw new Error('as it should'); });`,
    broken: `throw new Error('not loaded');`,
  };
  const files: string[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const path = join(folder, `${name}.test.mjs`);
    await writeFile(path, `import { beforeEach, test } from 'node:test'; ${text}`);
    files.push(relative(ROOT, path));
  }
  const module = groupModule('sample', files, 0);
  t.after(() => rm(module));
  const { status, output } = await runNode(['--test', '--test-reporter=tap', module]);
  assert.equal(status, 1);
  assert.match(output, /^ {4}ok 1 - passes$/m);
  assert.match(output, /^ {4}not ok 1 - fails$/m);
  assert.match(output, /^not ok 3 - .*broken\.test\.mjs$/m);
  assert.match(output, /not loaded/);
});

test('what failed is said again in a few lines: the place, the name and the error of each test, not of its suite', async (t) => {
  const folder = await temporaryDirectory(t);
  const file = join(folder, 'one.test.mjs');
  await writeFile(
    file,
    `import { describe, test } from 'node:test';
     describe('suite', () => { test('passes', () => {}); test('fails', () => { throw new Error('as it should'); }); });`,
  );
  const { output } = await runNode(['--test', '--test-reporter=./test/support/failures-reporter.ts', file]);
  assert.match(output, /^\S+one\.test\.mjs:\d+ {2}fails\n {4}as it should\n$/);
});

test('npm test writes a line for each file that passes, and the whole error and output of one that fails', async (t) => {
  const folder = await temporaryDirectory(t);
  const texts = {
    fails: `console.log('what it wrote'); test('fails', () => { throw new Error('as it should'); });`,
    passes: `console.log('of no interest'); for (let i = 0; i < 100; i++) test('passes ' + i, () => {});`,
  };
  const files: string[] = [];
  for (const [name, text] of Object.entries(texts)) {
    files.push(join(folder, `${name}.test.mjs`));
    await writeFile(files.at(-1)!, `import { test } from 'node:test'; ${text}`);
  }
  const { status, output } = await runNode(['test/run.ts', ...files]);
  assert.equal(status, 1);
  assert.match(output, /^✖ .*fails\.test\.mjs: 0 of 1 tests passed, [\d.]+ s\nwhat it wrote\n/m);
  assert.match(output, /^✔ .*passes\.test\.mjs: 100 of 100 tests passed, [\d.]+ s$/m);
  assert.match(output, /Error: as it should\n\s+at /);
  assert.match(output, /^ℹ tests 101$/m);
  assert.doesNotMatch(output, /of no interest|passes 1/);
  assert.ok(output.split('\n').length < 40, output);
});
