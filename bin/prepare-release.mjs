#!/usr/bin/env node
/**
 * `npm run release -- VERSION` raises the version, commits and tags: npm does it, and runs this script in between. It writes the
 * version of package.json into every other file that names it, and joins the files of `changes` into the changelog
 * (docs/releasing.md#version).
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const [major, minor] = version.split('.');
const edited = [];

function edit(file, pattern, replacement) {
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(pattern, replacement);
  if (changed === text) throw new Error(`${file}: there is no ${pattern} to replace`);
  writeFileSync(file, changed);
  edited.push(file);
}

const previous = JSON.parse(readFileSync('packages/client/package.json', 'utf8')).version;
// Not in 192.0.2.0, a network of examples.
const named = new RegExp(`(?<![\\d.])${previous.replaceAll('.', '\\.')}(?![\\d.]*\\d)`, 'g');
for (const file of [
  'packages/client/package.json',
  'Containerfile',
  'deploy/README.md',
  'packages/client/README.md',
  'deploy/compose/.env.example',
  'deploy/systemd/chain-indexer-scanner.service',
  'deploy/systemd/chain-indexer-web-server@.service',
]) {
  edit(file, named, version);
}
edit('SECURITY.md', /^\| \d+\.\d+\.x \| yes \|$/m, `| ${major}.${minor}.x | yes |`);
const today = new Date().toISOString().slice(0, 10);
edit('CHANGELOG.md', /^(## Unreleased\n\n[^#]*)/m, `$1## ${version} - ${today}\n\n${joinedChanges()}\n`);

/** The files of `changes` by their group, in the order of their names; a file is one entry, or a list of them. They are removed. */
function joinedChanges() {
  const groups = {
    operators: 'For operators',
    clients: 'For clients of the API',
    visitors: 'For visitors of the pages',
  };
  const files = readdirSync('changes').filter((file) => file.endsWith('.md'));
  const stray = files.find((file) => !Object.hasOwn(groups, file.split('.').at(-2)));
  if (stray !== undefined)
    throw new Error(`changes/${stray}: a name ends with .operators.md, .clients.md or .visitors.md`);
  const sections = Object.entries(groups).flatMap(([group, heading]) => {
    const entries = files
      .filter((file) => file.endsWith(`.${group}.md`))
      .sort()
      .map(entriesOf);
    return entries.length === 0 ? [] : [`### ${heading}\n\n${entries.join('')}`];
  });
  if (sections.length === 0) throw new Error('changes: there is nothing to release');
  return sections.join('\n');
}

function entriesOf(file) {
  const path = `changes/${file}`;
  const text = readFileSync(path, 'utf8').trim();
  rmSync(path);
  edited.push(path);
  return text.startsWith('* ') ? `${text}\n` : `* ${text.replaceAll('\n', '\n  ')}\n`;
}

const { status } = spawnSync('git', ['add', ...edited], { stdio: 'inherit' });
process.exit(status ?? 1);
