/** Child processes of the embedded PostgreSQL. */
import { execFile, type SpawnOptions } from 'node:child_process';

export interface UnixUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns spawn options for a PostgreSQL program: as `user`, with English messages, and by default from a directory
 * that every user may enter.
 */
export function spawnOptionsFor(user: UnixUser | undefined, cwd = '/'): SpawnOptions {
  return {
    cwd,
    // Ctrl-C on the terminal must reach only us, because we know the right order.
    detached: true,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
  };
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  /** The standard output, followed by the error output. */
  readonly output: string;
}

/** Runs a program to its end. If it cannot be started, `code` is null and `output` says why. */
export function runToEnd(program: string, args: readonly string[], user?: UnixUser, cwd?: string): Promise<Ended> {
  return new Promise<Ended>((resolve) => {
    const options = { ...spawnOptionsFor(user, cwd), encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      const isStarted = child.pid !== undefined;
      resolve({ code, stdout, output: isStarted ? stdout + stderr : `${error?.message}` });
    });
    // Thrown at once if the user does not exist.
  }).catch((error: Error) => ({ code: null, stdout: '', output: error.message }));
}

/** Does a process with this id exist, of any user? */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
