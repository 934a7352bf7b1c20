/** The tables of folders in ARCHITECTURE.md against what the files of `src` import. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OUTPUT_KINDS } from '../src/chain/input-and-output-kinds.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What a pure folder may import of what is not ours: no files, no network, no clock. Schemas are values of typebox. */
const PURE_FOLDERS = ['chain', 'ledger', 'render'];
const PURE_MODULES = ['@noble/secp256k1', '@scure/base', 'node:buffer', 'node:crypto', 'typebox'];

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

/** A folder with a table of what the folders in it may import of each other; paths are below `src`. */
interface Layers {
  readonly parent: string;
  /** Is a folder imported only by those above it in the table? */
  readonly isOrdered: boolean;
}

const LAYERS: readonly Layers[] = [
  { parent: '', isOrdered: false },
  { parent: 'serving/', isOrdered: true },
  { parent: 'api/', isOrdered: true },
];

/** The folder in the parent that a path is in; null for a path elsewhere, and for the parent's own files. */
function folderIn({ parent }: Layers, path: string): string | null {
  const [folder, ...rest] = path.startsWith(parent) ? path.slice(parent.length).split('/') : [];
  return rest.length === 0 ? null : folder!;
}

/** The file that an import leads to; null for what is not ours. */
const targetOf = ({ file, module }: Import) => (module.startsWith('.') ? normalize(join(file, '..', module)) : null);

/** By folder, in the order of the table: the folders of its row, and what they may import, as `store` or `store's types`. */
function table({
  parent,
}: Layers): Map<string, { readonly row: readonly string[]; readonly allowed: readonly string[] }> {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const name = `\`src/${parent}([a-z0-9-]+)\``;
  const rows = [...text.matchAll(new RegExp(`^\\| (${name}[^|]*) \\|.*\\| ([^|]*) \\|$`, 'gm'))].map(
    ([, names, , allowed]) => ({
      row: [...names!.matchAll(new RegExp(name, 'g'))].map(([, folder]) => folder!),
      allowed: allowed!
        .replace(/\([^)]*\)/g, '')
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '–'),
    }),
  );
  return new Map(rows.flatMap((row) => row.row.map((folder) => [folder, row] as const)));
}

for (const layers of LAYERS) {
  test(`each folder of src/${layers.parent} imports what the table says, and no other`, () => {
    const rows = table(layers);
    const known = readdirSync(join(ROOT, 'src', layers.parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    assert.deepEqual([...rows.keys()].sort(), known.sort());
    const order = [...rows.keys()];
    const used = new Map<readonly string[], Map<string, boolean>>();
    for (const found of imports()) {
      const from = folderIn(layers, found.file);
      const path = targetOf(found);
      const target = path === null ? null : folderIn(layers, path);
      if (from === null || target === null) continue;
      const { row, allowed } = rows.get(from)!;
      if (row.includes(target)) continue;
      const isAllowed = allowed.includes(target) || (found.isType && allowed.includes(`${target}'s types`));
      assert.ok(isAllowed, `src/${found.file} imports ${found.module}, which ARCHITECTURE.md does not allow`);
      assert.ok(!layers.isOrdered || order.indexOf(target) > order.indexOf(from), `src/${found.file} imports upwards`);
      const targets = used.get(row) ?? new Map<string, boolean>();
      used.set(row, targets.set(target, found.isType && (targets.get(target) ?? true)));
    }
    for (const { row, allowed } of new Set(rows.values())) {
      const targets = [...(used.get(row) ?? [])].map(([name, isType]) => (isType ? `${name}'s types` : name));
      assert.deepEqual([...allowed].sort(), targets.sort(), `what ARCHITECTURE.md says of ${row.join(' and ')}`);
    }
  });
}

test('no file imports itself through others, not even for a type', () => {
  const targets = Map.groupBy(imports(), ({ file }) => file);
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || finished.has(file)) return;
    for (const found of targets.get(file) ?? []) {
      const target = targetOf(found);
      if (target !== null) visit(target, [...path, file]);
    }
    finished.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  assert.deepEqual(circles, []);
});

test('no two files of src export the same name', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const exported = /^export (?:abstract |async )*(?:function\*?|class|interface|type|const|let) (\w+)/gm;
  const names = files.flatMap((file) =>
    [...new Set([...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(exported)].map(([, name]) => name!))].map(
      (name) => ({ name, file }),
    ),
  );
  const byName = [...Map.groupBy(names, ({ name }) => name)];
  assert.deepEqual(
    byName.filter(([, places]) => places.length > 1),
    [],
  );
});

test('what is pure knows neither files nor the network', () => {
  for (const found of imports()) {
    if (!PURE_FOLDERS.includes(found.file.split('/', 1)[0]!) || targetOf(found) !== null) continue;
    assert.ok(PURE_MODULES.includes(found.module), `src/${found.file} imports ${found.module}`);
  }
});

test('what is started by its path is found in the npm package as well, where it is JavaScript', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  for (const file of files) {
    const text = readFileSync(join(ROOT, 'src', file), 'utf8');
    assert.doesNotMatch(
      text,
      /new URL\([^)]*\.ts['"`]/,
      `src/${file}: errors/program-command.ts has moduleUrl for that`,
    );
  }
});

test('no file compares the kind of an output with a name, where the compiler would not find the place for a new kind', () => {
  const comparison = new RegExp(`[!=]== '(?:${OUTPUT_KINDS.join('|')})'`);
  for (const file of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const text = readFileSync(join(ROOT, 'src', file), 'utf8');
    assert.doesNotMatch(
      text,
      comparison,
      `src/${file}: a switch, or a fact of chain/input-and-output-kinds.ts, asks for it`,
    );
  }
});

test('durations are of the monotonic clock: only what needs the date asks the wall clock', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const asking = files.filter(
    (file) => /(?<!public.*)\.ts$/.test(file) && readFileSync(join(ROOT, 'src', file), 'utf8').includes('Date.now'),
  );
  assert.deepEqual(asking.sort(), [
    'config/logger.ts',
    'devnet/sim/block-times.ts',
    'explorer/chain-status.ts',
    'mempool/pending-reconciler.ts',
    'monitoring/monitor-server.ts',
    'up/console.ts',
  ]);
});
