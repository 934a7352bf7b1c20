/** The programs as supervisors run them: through npm. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = new URL('../..', import.meta.url);

test('a program that npm started ends with npm, and leaves nothing behind', async (t) => {
  const devnet = ['run', '--silent', 'devnet', '--', '--preset=demo', '--blocks=3', '--rpc-bind-address=127.0.0.1:0'];
  const npm = spawn('npm', devnet, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  t.after(() => {
    try {
      process.kill(-npm.pid!, 'SIGKILL');
    } catch {}
  });
  // What it says ends when everybody is gone who could say something.
  const ended = once(npm.stdout, 'end').then(() => 'all ended');
  const began = once(npm.stdout, 'data').then(() => 'began');
  const late = (): Promise<string> => sleep(120_000, 'something runs on', { ref: false });
  assert.equal(await Promise.race([began, ended, late()]), 'began');
  npm.kill('SIGTERM');
  assert.equal(await Promise.race([ended, late()]), 'all ended');
});
