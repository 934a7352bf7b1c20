#!/usr/bin/env node
/** Makes the types, and `dist`: JavaScript without comments, and declarations with them. `npm pack` runs it. */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const tsc = path('../../node_modules/typescript/bin/tsc');

rmSync(path('dist'), { recursive: true, force: true });
const compile = [tsc, '--project', path('tsconfig.json')];
for (const command of [
  [path('../../bin/run.mjs'), path('generate-types.ts')],
  [...compile, '--emitDeclarationOnly'],
  [...compile, '--declaration', 'false', '--removeComments'],
]) {
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
// The compiler rewrites the names of modules in the JavaScript only.
for (const file of readdirSync(path('dist')).filter((name) => name.endsWith('.d.ts'))) {
  const text = readFileSync(path(`dist/${file}`), 'utf8');
  writeFileSync(path(`dist/${file}`), text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
}
cpSync(path('../../LICENSE'), path('LICENSE'));
