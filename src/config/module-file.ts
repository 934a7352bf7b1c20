/** The files of modules that are started by their path: programs and threads. */

import { isPackaged } from '../errors/command.ts';

/**
 * The URL of a module: `path`, its source as the repository has it, relative to `from`, a module's `import.meta.url`.
 */
export function moduleUrl(path: `${string}.ts`, from: string): URL {
  return new URL(isPackaged ? path.replace(/\.ts$/, '.js') : path, from);
}
