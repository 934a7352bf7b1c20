#!/usr/bin/env node
/**
 * Makes `dist`, which the npm package has instead of the TypeScript sources, because Node strips no types below
 * node_modules. `npm pack` runs it. The repository itself needs no build step, and never runs `dist`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const SHRINKWRAP = join(ROOT, 'npm-shrinkwrap.json');

// Removed after packing: npm would take it for the repository's own lock file.
rmSync(SHRINKWRAP, { force: true });
if (process.argv[2] === '--clean') process.exit(0);

rmSync(DIST, { recursive: true, force: true });
const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '--project', join(ROOT, 'tsconfig.package.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

// Files that programs read beside their code, such as the statements of the schema.
cpSync(join(ROOT, 'src'), join(DIST, 'src'), {
  recursive: true,
  filter: (path) => !/\.ts$|\btsconfig\.json$/.test(path),
});
// The programs read their version and their commit from this file. The image is built without the history: it is told.
const { name, version, type } = readJson('package.json');
const git = spawnSync(
  'git',
  ['-c', 'safe.directory=*', 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
);
const commit = process.env.REVISION || (git.status === 0 ? git.stdout.trim() : null);
writeJson('dist/package.json', { name, version, type, commit });
// The package pins the tested versions, also of the dependencies' dependencies.
const { packages, ...lock } = readJson('package-lock.json');
const { devDependencies: _, ...root } = packages[''];
const needed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
writeJson('npm-shrinkwrap.json', { ...lock, packages: { '': root, ...Object.fromEntries(needed) } });

function readJson(file) {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}

function writeJson(file, value) {
  writeFileSync(join(ROOT, file), `${JSON.stringify(value, null, 2)}\n`);
}
