/** The table of folders in ARCHITECTURE.md against what the files of `src` import. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What a pure folder may import of what is not ours: no files, no network, no clock. */
const PURE_FOLDERS = ['chain', 'ledger', 'render'];
const PURE_MODULES = ['node:buffer', 'node:crypto'];

interface Import {
  readonly file: string;
  readonly module: string;
  readonly isType: boolean;
}

/** A statement of its own; for the side effects only, or later. */
const FROM = /^(?:import|export)( type)?\b[^;'"]*?\bfrom '([^']+)';/gm;
const BARE = /\bimport(?: |\()'([^']+)'/g;

function imports(): Import[] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, 'src', file), 'utf8');
      return [
        ...[...text.matchAll(FROM)].map(([, type, module]) => ({ file, module: module!, isType: type !== undefined })),
        ...[...text.matchAll(BARE)].map(([, module]) => ({ file, module: module!, isType: false })),
      ];
    });
}

/** The folder of `src` that a file is in, or that an import of it leads to; null for what is not ours. */
const folderOf = (path: string) => path.split('/', 1)[0]!;
const targetOf = ({ file, module }: Import) =>
  module.startsWith('.') ? folderOf(normalize(join(file, '..', module))) : null;

/** By folder: the folders of its row, and what they may import, as `store` or `store's types`. */
function table(): Map<string, { readonly row: readonly string[]; readonly allowed: readonly string[] }> {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (`src\/[^|]*) \|.*\| ([^|]*) \|$/gm)].map(([, names, allowed]) => ({
    row: [...names!.matchAll(/`src\/([a-z]+)`/g)].map(([, name]) => name!),
    allowed: allowed!
      .replace(/\([^)]*\)/g, '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '–'),
  }));
  return new Map(rows.flatMap((row) => row.row.map((name) => [name, row] as const)));
}

test('each folder imports what the table says, and no other', () => {
  const rows = table();
  const known = readdirSync(join(ROOT, 'src')).sort();
  assert.deepEqual([...rows.keys()].sort(), known);
  const used = new Map<readonly string[], Map<string, boolean>>();
  for (const found of imports()) {
    const target = targetOf(found);
    if (target === null || !known.includes(target)) continue;
    const { row, allowed } = rows.get(folderOf(found.file))!;
    if (row.includes(target)) continue;
    const isAllowed = allowed.includes(target) || (found.isType && allowed.includes(`${target}'s types`));
    assert.ok(isAllowed, `src/${found.file} imports ${found.module}, which ARCHITECTURE.md does not allow`);
    const targets = used.get(row) ?? new Map<string, boolean>();
    used.set(row, targets.set(target, found.isType && (targets.get(target) ?? true)));
  }
  for (const { row, allowed } of new Set(rows.values())) {
    const targets = [...(used.get(row) ?? [])].map(([name, isType]) => (isType ? `${name}'s types` : name));
    assert.deepEqual([...allowed].sort(), targets.sort(), `what ARCHITECTURE.md says of src/${row.join(' and src/')}`);
  }
});

test('what is pure knows neither files nor the network', () => {
  for (const found of imports()) {
    if (!PURE_FOLDERS.includes(folderOf(found.file)) || targetOf(found) !== null) continue;
    assert.ok(PURE_MODULES.includes(found.module), `src/${found.file} imports ${found.module}`);
  }
});

test('what is started by its path is found in the npm package as well, where it is JavaScript', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  for (const file of files) {
    const text = readFileSync(join(ROOT, 'src', file), 'utf8');
    assert.doesNotMatch(text, /new URL\([^)]*\.ts['"`]/, `src/${file}: config/module-file.ts has moduleUrl for that`);
  }
});
