import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { requireOpenFiles } from '../../src/config/process-limits.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const limits = (files: string) =>
  `Max processes  94  94  processes\nMax open files            ${files}   4096   files\n`;

test('a limit of open files below what a program needs is an error with both numbers', () => {
  assert.throws(
    () => requireOpenFiles(limits('64')),
    (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /may have 64 open files .* needs at least 256, .*ulimit -n/);
      return true;
    },
  );
  for (const enough of [limits('256'), limits('1024'), limits('unlimited'), '']) requireOpenFiles(enough);
});

test('each program refuses to start below that limit', { skip: !existsSync('/proc/self/limits') }, () => {
  for (const program of ['scanner', 'web-server', 'verify', 'up']) {
    const command = `ulimit -n 64; exec "${process.execPath}" bin/${program}.ts --network regtest`;
    const { status, stderr } = spawnSync('bash', ['-c', command], { cwd: ROOT, encoding: 'utf8' });
    assert.equal(status, 2, stderr);
    assert.match(stderr, /^[\w-]+: this process may have 64 open files/m);
  }
});
