/** The client package as npm packs it. */
import assert from 'node:assert/strict';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, type RunOptions, run } from '../package/run-as-stranger.ts';

const FOLDER = join(ROOT, 'packages/client');
const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/** Packs it into a directory. Gives the tarball, and the files in it. */
export async function packClient(
  directory: string,
): Promise<{ readonly tarball: string; readonly files: readonly string[] }> {
  // A copy, because others may build it at the same time.
  const copy = join(directory, 'copy');
  const cwd = join(copy, 'packages/client');
  await mkdir(cwd, { recursive: true });
  await cp(FOLDER, cwd, { recursive: true, filter: (path) => path !== join(FOLDER, 'dist') });
  for (const name of ['LICENSE', 'tsconfig.json']) await cp(join(ROOT, name), join(copy, name));
  for (const name of ['node_modules', 'bin', 'src']) await symlink(join(ROOT, name), join(copy, name));
  const pack = await npm(directory, ['pack', '--json', '--pack-destination', directory], { cwd, privileged: true });
  // The compiler may say something before npm does.
  const [{ filename, files }] = JSON.parse(pack.slice(pack.indexOf('[')));
  return { tarball: join(directory, filename), files: files.map(({ path }: { path: string }) => path) };
}

/** Runs npm; gives what it writes. */
export async function npm(home: string, args: readonly string[], options?: RunOptions): Promise<string> {
  const { code, output, stdout } = await run(home, 'npm', [...args, ...QUIET], options);
  assert.equal(code, 0, output);
  return stdout;
}

/** The programs of docs/recipes.md by the names of their files. */
export async function recipes(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(ROOT, 'docs/recipes.md'), 'utf8');
  return new Map(Array.from(text.matchAll(/^```js (\S+)\n(.*?)^```$/gms), ([, name, program]) => [name!, program!]));
}
