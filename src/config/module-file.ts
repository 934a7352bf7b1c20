/** Where modules of ours lie that are started by their path: programs and threads. */

/** How this module is written: TypeScript in the repository, JavaScript in the npm package. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** Are we run from the npm package? */
export const isPackaged = EXTENSION === 'js';

/** The URL of a module: `path` is relative to `from`, a module's own `import.meta.url`, and has no extension. */
export function moduleUrl(path: string, from: string): URL {
  return new URL(`${path}.${EXTENSION}`, from);
}
