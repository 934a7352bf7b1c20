import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * A small shell that outlives us. If our end of its pipe closes without a message, because we were killed, it stops the
 * server and removes temporary files, so that nothing is left running.
 */
const SCRIPT = `
read -r word
[ "$word" = done ] && exit 0
server=$1
shift
kill -INT "$server" 2>/dev/null
[ $# -gt 0 ] || exit 0
i=0
while kill -0 "$server" 2>/dev/null && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
rm -rf -- "$@"
`;

export class Watchdog {
  readonly #shell: ChildProcess;

  /** Guards the server with process id `pid`, and its `temporaryDirectories`. */
  constructor(pid: number, temporaryDirectories: readonly string[]) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'postgres-guard', String(pid), ...temporaryDirectories], {
      cwd: '/',
      detached: true, // Ctrl-C must not reach it
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
    this.#shell.unref();
    // An open pipe in the event loop would keep a finished test from ending.
    (this.#shell.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  }

  /** Ends the watchdog after the server has ended. */
  async dismiss(): Promise<void> {
    if (this.#shell.pid === undefined || this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    const ended = once(this.#shell, 'exit');
    this.#shell.ref();
    this.#shell.stdin?.end('done\n');
    await ended;
  }
}
