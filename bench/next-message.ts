import type { ChildProcess } from 'node:child_process';

/** The next message of a child process; rejects when it ends before. */
export function nextMessage(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${name} ended`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}
