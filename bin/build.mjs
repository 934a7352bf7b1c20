#!/usr/bin/env node
/**
 * Makes `dist`, what the npm package has instead of the TypeScript sources: Node strips no types below node_modules.
 * `npm pack` runs it; the repository itself needs no build step, and never runs what is in `dist`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');

rmSync(DIST, { recursive: true, force: true });
const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '--project', join(ROOT, 'tsconfig.package.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

// What programs read beside their code, such as the statements of the schema.
cpSync(join(ROOT, 'src'), join(DIST, 'src'), { recursive: true, filter: (path) => !path.endsWith('.ts') });
// Where the programs look for their version.
const { name, version, type } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`);
