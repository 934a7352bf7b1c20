/** How far a lock reaches: only on this machine, or to all machines that share the file system. */
import { readFile } from 'node:fs/promises';

export interface FileSystem {
  /** As the kernel names it: `ext4`, `nfs4`, `9p`. */
  readonly type: string;
  /** Whether other machines may have it mounted, and whether they see our locks. */
  readonly locks: 'local' | 'seen by all machines' | 'not seen by other machines';
}

/** The server of such a file system keeps the locks of all machines, unless it is mounted with one of these options. */
const LOCKS_AT_SERVER: Readonly<Record<string, RegExp>> = {
  nfs: /^(nolock|local_lock=(all|posix))$/,
  nfs4: /^(nolock|local_lock=(all|posix))$/,
  cifs: /^nobrl$/,
  smb3: /^nobrl$/,
  ceph: /^$/,
  'fuse.glusterfs': /^$/,
  gfs2: /^localflocks$/,
  ocfs2: /^localflocks$/,
  gpfs: /^$/,
  lustre: /^localflock$/,
};
/** What virtual machines and network clients share, each with locks of its own. */
const LOCKS_HERE_ONLY = /^(9p|virtiofs|vboxsf|prl_fs|afs|fuse\..*|fuse|fakeowner)$/;

/**
 * The file system that `path` (absolute, without symbolic links) is on; `undefined` where the kernel does not tell, as
 * on macOS. `mounts`: Linux's list of what is mounted, see proc_pid_mountinfo(5).
 */
export async function fileSystemOf(path: string, mounts = '/proc/self/mountinfo'): Promise<FileSystem | undefined> {
  const list = await readFile(mounts, 'utf8').catch(() => '');
  let found: { point: string; type: string; options: string[] } | undefined;
  for (const line of list.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const point = unescaped(before.split(' ')[4] ?? '');
    const isAbove = point === '/' || path === point || path.startsWith(`${point}/`);
    // The deepest one counts, and of those at the same point the newest.
    if (point === '' || !isAbove || point.length < (found?.point.length ?? 0)) continue;
    const [type = '', , options = ''] = after.split(' ');
    found = { point, type, options: options.split(',') };
  }
  return found === undefined ? undefined : { type: found.type, locks: locksOf(found) };
}

function locksOf({ type, options }: { type: string; options: readonly string[] }): FileSystem['locks'] {
  const withoutLocks = LOCKS_AT_SERVER[type];
  if (withoutLocks !== undefined)
    return options.some((option) => withoutLocks.test(option)) ? 'not seen by other machines' : 'seen by all machines';
  return LOCKS_HERE_ONLY.test(type) ? 'not seen by other machines' : 'local';
}

/** Blanks and the like are written as three octal digits. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** A warning for the start, where the lock does not reach as far as the files do. */
export function lockWarning(fileSystem: FileSystem | undefined): string | undefined {
  if (fileSystem?.locks !== 'not seen by other machines') return undefined;
  return (
    `The data directory is on a file system (${fileSystem.type}) that other machines may share, and they do not see its ` +
    'lock: never let two machines use it at once.'
  );
}

/** A hint for a directory that is locked, or only seems to be. */
export function lockHint(fileSystem: FileSystem | undefined): string | undefined {
  switch (fileSystem?.locks) {
    case undefined:
    case 'local':
      return undefined;
    case 'seen by all machines':
      return `It may run on another machine; the lock of one that vanished is kept by the file server (${fileSystem.type}) for a minute or two.`;
    case 'not seen by other machines':
      return `It may also be that this file system (${fileSystem.type}) has no locks.`;
  }
}
