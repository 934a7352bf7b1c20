/** `npm run release` in a scratch clone: one version everywhere, a commit and a tag. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VERSION = '98.7.6';

it('a release has its version in every file that names one, a commit and a tag, and tells both', {
  skip: !existsSync(join(ROOT, '.git')) && 'this is no clone',
}, async (t) => {
  const clone = join(await temporaryDirectory(t), 'clone');
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.org',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.org',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
  };
  const run = async (program: string, ...args: string[]): Promise<string> =>
    (await promisify(execFile)(program, args, { cwd: existsSync(clone) ? clone : ROOT, env })).stdout.trim();
  await run('git', '-c', 'safe.directory=*', 'clone', '--quiet', ROOT, clone);
  const { version: before } = JSON.parse(await readFile(join(clone, 'package.json'), 'utf8')) as { version: string };

  await writeFile(join(clone, 'README.md'), 'changed');
  await assert.rejects(run('npm', 'run', 'release', '--', VERSION), /not clean/);
  await run('git', 'checkout', '--quiet', 'README.md');

  await run('npm', 'run', 'release', '--', VERSION);
  assert.equal(await run('git', 'status', '--porcelain'), '');
  assert.equal(await run('git', 'log', '-1', '--format=%s'), `release: version ${VERSION}`);
  const commit = await run('git', 'rev-parse', 'HEAD');
  assert.equal(await run('git', 'rev-parse', `v${VERSION}^{commit}`), commit);

  const dotted = before.replaceAll('.', '\\.');
  const left = await run(
    ...(['git', 'grep', '--perl-regexp', '--name-only', `(?<![\\d.])${dotted}(?![\\d.]*\\d)`, '--'] as const),
    ...['package.json', 'packages', 'deploy', 'Containerfile', 'bin'],
  ).catch(() => '');
  assert.equal(left, '', 'these files name the previous version');
  const { packages } = JSON.parse(await readFile(join(clone, 'package-lock.json'), 'utf8'));
  assert.equal(packages[''].version, VERSION);
  assert.match(await readFile(join(clone, 'SECURITY.md'), 'utf8'), /^\| 98\.7\.x \| yes \|$/m);
  assert.match(
    await readFile(join(clone, 'CHANGELOG.md'), 'utf8'),
    /^## Unreleased\n\n## 98\.7\.6 - \d{4}-\d\d-\d\d\n/m,
  );
});
