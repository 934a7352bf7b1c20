/** Builds can be told apart: by `--version`, by the first line of the log and by a metric. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { buildLabels, buildText, thisBuild } from '../../src/config/this-build.ts';
import { addBuildInfo } from '../../src/monitoring/process-registry.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = (program: string, ...args: string[]) =>
  spawnSync(process.execPath, [`bin/${program}.ts`, ...args], { cwd: ROOT, encoding: 'utf8' });

test('a clone knows the commit that it is', { skip: !existsSync(`${ROOT}.git`) && 'this is no clone' }, () => {
  const { stdout } = spawnSync('git', ['-c', 'safe.directory=*', 'rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(thisBuild().commit?.replace(/-dirty$/, ''), stdout.trim());
});

test('each program tells version and commit', () => {
  for (const program of ['scanner', 'web-server', 'upgrade', 'verify', 'up', 'devnet'])
    assert.equal(run(program, '--version').stdout, `${buildText()}\n`, program);
});

test('the first line of a log names the version, the commit and the storage version', async () => {
  for (const program of ['scanner', 'upgrade', 'web-server']) {
    // Nothing listens on port 1.
    const args = ['--network', 'regtest', '--postgres-host', '127.0.0.1', '--postgres-port', '1'];
    if (program === 'web-server') args.push('--bind-address', '127.0.0.1:0');
    const child = spawn(process.execPath, [`bin/${program}.ts`, ...args], { cwd: ROOT });
    const lines = createInterface(child.stdout);
    const [line] = (await once(lines, 'line')) as [string];
    child.kill('SIGKILL');
    const { msg, version, commit, storageVersion } = JSON.parse(line);
    assert.deepEqual({ msg, version, commit }, { msg: 'starting', ...thisBuild() }, program);
    assert.match(storageVersion, /^\d+$/);
  }
});

test('the metric of the build has the value 1 and its labels', async () => {
  const registry = new Registry();
  addBuildInfo(registry, 'x_build_info', buildLabels('8'));
  const { version, commit } = thisBuild();
  assert.ok(
    (await registry.metrics()).includes(
      `x_build_info{version="${version}",commit="${commit ?? 'unknown'}",storage_version="8"} 1`,
    ),
  );
});
