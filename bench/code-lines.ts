/**
 * Counts the lines of code by folder, without blank lines and comments: `npm run lines` of the working tree, `npm run lines
 * REVISION` of a commit.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const COUNTED = /\.(?:ts|js|mjs|sql|css)$/;
const NO_CODE = /^\s*(?:\/\/|\*|\/\*|--|$)/;
const GROUPS = ['src', 'bin', 'bench', 'test'] as const;

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 });
}

function codeLines(text: string): number {
  return text.split('\n').filter((line) => !NO_CODE.test(line)).length;
}

/** Counts the lines of each folder, and of the folders of `src`; without a revision those of the working tree. */
function countLines(revision: string | null): Map<string, number> {
  const listed =
    revision === null ? git('ls-files', ...GROUPS) : git('ls-tree', '-r', '--name-only', revision, ...GROUPS);
  const counts = new Map<string, number>();
  for (const file of listed.split('\n').filter((name) => COUNTED.test(name))) {
    const lines = codeLines(revision === null ? readFileSync(file, 'utf8') : git('show', `${revision}:${file}`));
    const [group, folder, ...rest] = file.split('/');
    const names = group === 'src' && rest.length > 0 ? [group, `src/${folder}`] : [group!];
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + lines);
  }
  return counts;
}

const revision = process.argv[2] ?? null;
const counts = countLines(revision);
for (const [name, lines] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`${String(lines).padStart(8)}  ${name}`);
}
console.log(`${String(counts.get('src')! + counts.get('bin')!).padStart(8)}  src and bin`);
