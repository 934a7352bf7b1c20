/** How the stages of everything are called; what they run is tested by running them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('all.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));

function runAll(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Promise<{ status: number; output: string }>((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env } }, (_, out, err) =>
      resolve({ status: child.exitCode ?? -1, output: out + err }),
    );
  });
}

test('test:all lists its stages, and refuses one that it does not have', async () => {
  const help = await runAll(['--help']);
  assert.equal(help.status, 0);
  for (const stage of ['tests', 'browser', 'golden', 'sql', 'package'])
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
  const files = (...patterns: string[]) => patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
  const tests = files('test/*.test.ts', 'test/!(browser)/**/*.test.ts');
  const browser = files('test/browser/**/*.test.ts');
  assert.ok(browser.length > 0);
  assert.deepEqual([...tests, ...browser].sort(), files('test/**/*.test.ts').sort());
});

test('npm test runs every test file but the long ones', () => {
  const pattern = 'test/**/!(*.long).test.ts';
  const all = globSync('test/**/*.test.ts', { cwd: ROOT });
  const short = globSync(pattern, { cwd: ROOT });
  const long = all.filter((file) => file.endsWith('.long.test.ts'));
  assert.ok(long.length > 0);
  assert.deepEqual([...short, ...long].sort(), all.sort());
});
