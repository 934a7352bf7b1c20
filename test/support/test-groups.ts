/**
 * The test files that share a process in `npm test`, because starting, importing and warming up takes longer than most
 * tests. A file may belong to a group if it leaves nothing behind that others in its process would see.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The modules that import the files of a group; they are the same in each run. */
const GROUP_MODULES = `${root}node_modules/.cache/test-groups`;

/**
 * A file belongs to the first group that it matches, and runs alone if there is none. They begin in this order: first what
 * takes long, most of it waiting, so that there is always work for every core, and last what is all computing and short.
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  // It measures coverage, which slows down everything in its process.
  'request-path': ['test/api/request-path.test.ts'],
  api: ['test/api/*'],
  scanner: ['test/scanner/**'],
  pending: ['test/api/pending/*'],
  'explorer-live': ['test/explorer/{addresses,home,live-*,mempool,pools,reorganisations,send}.test.ts'],
  explorer: ['test/explorer/*'],
  programs: ['test/{bench,deploy,embedded,package}/**', 'test/*'],
  processes: ['test/{processes,up}/**'],
  stream: ['test/api/stream/*'],
  store: ['test/{mempool,store}/**'],
  sim: ['test/sim/*'],
  'api-parts': ['test/api/{openapi,operator-endpoints,present}/*', 'test/{answers,serving}/**'],
  devnet: ['test/devnet/**'],
  clients: ['test/clients/*'],
  extensions: ['test/api/{extensions,mesh,response-profile}/*'],
  pure: ['test/{chain,config,ledger,monitoring,node,render}/**'],
};

/** The names of the groups with the files of each, and the files that run alone under their own names. */
export function groupsOf(files: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>(Object.keys(GROUPS).map((name) => [name, []]));
  for (const file of files) {
    const name = Object.keys(GROUPS).find((group) => GROUPS[group]!.some((pattern) => matchesGlob(file, pattern)));
    if (name === undefined) groups.set(file, [file]);
    else groups.get(name)!.push(file);
  }
  return new Map([...groups].filter(([, members]) => members.length > 0));
}

/** The test files that are not long, from the project's folder. */
export function shortTestFiles(): string[] {
  return globSync('test/**/!(*.long).test.ts', { cwd: root }).sort();
}

/** The long test files, each for a process of its own: they kill, measure, or need much memory. */
export function longTestFiles(): string[] {
  return globSync('test/!(browser)/**/*.long.test.ts', { cwd: root }).sort();
}

/** What `node --test` runs for these files: a module for each group, and the files that run alone. */
export function testModules(files: readonly string[]): string[] {
  return [...groupsOf(files)].map(([name, members], place) =>
    members.length > 1 ? groupModule(name, members, place) : members[0]!,
  );
}

/**
 * The path of a module that has each of the files as a suite, so that a file's hooks are only its own. `place` is the
 * group's in the order, because Node sorts by path.
 */
export function groupModule(name: string, files: readonly string[], place: number): string {
  const suites = files.map((file) => {
    const url = pathToFileURL(root + file).href;
    return `describe(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(url)}); });\n`;
  });
  const text = `import { describe } from 'node:test';\n${suites.join('')}`;
  const path = `${GROUP_MODULES}/${String(place).padStart(2, '0')}-${name}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.mjs`;
  if (!existsSync(path)) {
    mkdirSync(GROUP_MODULES, { recursive: true });
    // Whole at once, for a second run beside this one.
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  }
  return path;
}
