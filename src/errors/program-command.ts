/** The commands that start programs, for messages to operators. */

/** Are we run from the npm package, which has JavaScript where the repository has TypeScript? */
const isPackaged = !import.meta.url.endsWith('.ts');

/** Returns the command of a program with its options, from the repository or the npm package. */
export function programCommand(name: string, options = ''): string {
  if (isPackaged) return `chain-indexer ${name} ${options}`.trimEnd();
  return `${name === 'up' ? 'npm start' : `npm run ${name}`}${options && ` -- ${options}`}`;
}

/**
 * The URL of a module that is started by its path, a program or a thread: `path`, its source as the repository has it, is
 * relative to `from`, a module's `import.meta.url`.
 */
export function moduleUrl(path: `${string}.ts`, from: string): URL {
  return new URL(isPackaged ? path.replace(/\.ts$/, '.js') : path, from);
}
