#!/usr/bin/env node
/**
 * `npm run release -- VERSION` raises the version, commits and tags: npm does it, and runs this script in between. It writes the
 * version of package.json into every other file that names it (docs/releasing.md#version).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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
edit('CHANGELOG.md', /^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${today}`);
const { status } = spawnSync('git', ['add', ...edited], { stdio: 'inherit' });
process.exit(status ?? 1);
