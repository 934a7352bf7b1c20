/** Child processes of the embedded PostgreSQL. */
import { execFile, type SpawnOptions } from 'node:child_process';
import type { UnixUser } from './unprivileged-user.ts';

/**
 * Spawn options for a PostgreSQL program: as `user`, from a directory that every user may enter if no other is given, with
 * English messages.
 */
export function asUser(user: UnixUser | undefined, cwd = '/'): SpawnOptions {
  return {
    cwd,
    // Ctrl-C on the terminal is for us, who know in which order to stop.
    detached: true,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
  };
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  /** Both outputs. */
  readonly output: string;
}

/** Runs a program to its end. A program that cannot be started has no `code` and says why in `output`. */
export function run(program: string, args: readonly string[], user?: UnixUser, cwd?: string): Promise<Ended> {
  return new Promise<Ended>((resolve) => {
    const options = { ...asUser(user, cwd), encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      const isStarted = child.pid !== undefined;
      resolve({ code, stdout, output: isStarted ? stdout + stderr : `${error?.message}` });
    });
    // Thrown at once where no such user can be.
  }).catch((error: Error) => ({ code: null, stdout: '', output: error.message }));
}

/** Whether a process with this id exists, whosever it is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
