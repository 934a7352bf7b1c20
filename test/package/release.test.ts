/** `npm run release` in a scratch clone: one version everywhere, the changes in the changelog, a commit and a tag. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VERSION = '98.7.6';

type Run = (program: string, ...args: string[]) => Promise<string>;

/** A clone of this repository, and what runs programs in it. */
async function scratchClone(t: TestContext): Promise<{ readonly clone: string; readonly run: Run }> {
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
  return { clone, run };
}

async function addChange(run: Run, clone: string, file: string, text: string): Promise<void> {
  await mkdir(join(clone, 'changes'), { recursive: true });
  await writeFile(join(clone, 'changes', file), `${text}\n`);
  await run('git', 'add', 'changes');
  await run('git', 'commit', '--quiet', '--message', `changes: add ${file}`);
}

it('a release has its version in every file that names one, a commit and a tag, and tells both', {
  skip: !existsSync(join(ROOT, '.git')) && 'this is no clone',
}, async (t) => {
  const { clone, run } = await scratchClone(t);
  const { version: before } = JSON.parse(await readFile(join(clone, 'package.json'), 'utf8')) as { version: string };

  await writeFile(join(clone, 'README.md'), 'changed');
  await assert.rejects(run('npm', 'run', 'release', '--', VERSION), /not clean/);
  await run('git', 'checkout', '--quiet', 'README.md');

  await addChange(run, clone, 'one.operators.md', 'An entry of two\nlines.');
  await addChange(run, clone, 'two.clients.md', '* The first of a list.\n* The second.');
  await addChange(run, clone, 'three.visitors.md', 'An entry.');
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
  const changelog = await readFile(join(clone, 'CHANGELOG.md'), 'utf8');
  const released = changelog.split(/^## 98\.7\.6 - \d{4}-\d\d-\d\d\n/m)[1]!.split(/^## /m)[0]!;
  assert.match(changelog, /^## Unreleased\n\nOne file for each change [^#]*\n\n## 98\.7\.6 - /m);
  const headings = [...released.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
  assert.deepEqual(headings, ['For operators', 'For clients of the API', 'For visitors of the pages']);
  assert.match(released, /\n\* An entry of two\n {2}lines\.\n/);
  assert.match(released, /\n\* The first of a list\.\n\* The second\.\n/);
  assert.ok(released.indexOf('An entry of two') < released.indexOf('### For clients'));
  assert.equal(await run('git', 'ls-files', 'changes/*.md'), '');
});

it('a release is refused while a file of changes has no group, and while there is none', {
  skip: !existsSync(join(ROOT, '.git')) && 'this is no clone',
}, async (t) => {
  const { clone, run } = await scratchClone(t);
  await addChange(run, clone, 'stray.md', 'What?');
  await assert.rejects(run('npm', 'run', 'release', '--', VERSION), /changes\/stray\.md: a name ends with/);
  await run('git', 'reset', '--quiet', '--hard', 'HEAD~1');
  await run('git', 'rm', '--quiet', 'changes/*.md');
  await run('git', 'commit', '--quiet', '--message', 'none');
  await assert.rejects(run('npm', 'run', 'release', '--', VERSION), /nothing to release/);
});
