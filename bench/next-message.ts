import type { ChildProcess } from 'node:child_process';

/** The next message of a child process that is wanted; rejects when it ends before. */
export function nextMessage(
  child: ChildProcess,
  name: string,
  isWanted: (message: unknown) => boolean = () => true,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${name} ended`));
    const onMessage = (message: unknown) => {
      if (!isWanted(message)) return;
      child.off('exit', onExit);
      child.off('message', onMessage);
      resolve(message);
    };
    child.once('exit', onExit);
    child.on('message', onMessage);
  });
}
