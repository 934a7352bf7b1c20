import type { ChildProcess } from 'node:child_process';

/** Returns the next message of a child process that `isWanted` accepts. Rejects if the process ends before. */
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
