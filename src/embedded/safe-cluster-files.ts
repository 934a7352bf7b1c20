/**
 * File operations of root in the cluster, a directory of PostgreSQL's user. Root neither follows nor waits for what that
 * user has put there, such as a symbolic link or a pipe.
 */

import { constants } from 'node:fs';
import { lchown, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import { runToEnd, type UnixUser } from './child-processes.ts';

/** Returns the text of a short file; `undefined` if there is none. */
export async function readClusterFile(path: string): Promise<string | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (error.code === 'ELOOP') throw noFile(path);
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) throw noFile(path);
    const { buffer, bytesRead } = await file.read();
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Replaces a file by a new one, owned by `user` if we are root. */
export async function replaceClusterFile(path: string, text: string, user: UnixUser | undefined): Promise<void> {
  const unfinished = `${path}.new`;
  await rm(unfinished, { force: true });
  const file = await open(unfinished, 'wx', 0o600);
  try {
    await file.writeFile(text);
    if (user !== undefined) await file.chown(user.uid, user.gid);
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}

/** Gives the cluster and its contents to `user`; the directory itself last, so that an interruption is noticed next time. */
export async function changeClusterOwner(cluster: string, { uid, gid }: UnixUser): Promise<void> {
  const entries = (await readdir(cluster)).map((name) => join(cluster, name));
  const { code, output } = await runToEnd('chown', ['-hRP', `${uid}:${gid}`, ...entries]);
  if (code !== 0)
    throw new OperatorError(`The files in ${cluster} cannot be given to user id ${uid}: ${output.trim()}.`);
  await lchown(cluster, uid, gid);
}

function noFile(path: string): OperatorError {
  return new OperatorError(`${path} is not a file, as PostgreSQL would have made it. Look who put it there.`);
}
