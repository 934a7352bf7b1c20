import { type ChildProcess, spawn } from 'node:child_process';

/**
 * A shell of a megabyte that outlives us: when our end of its pipe closes without a word, because we were killed, it
 * stops the server and removes what is temporary. Nothing is ever left running.
 */
const SCRIPT = `
read -r word
[ "$word" = done ] && exit 0
kill -INT "$1" 2>/dev/null
[ -n "$2" ] || exit 0
i=0
while kill -0 "$1" 2>/dev/null && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
rm -rf -- "$2"
`;

export class Guard {
  readonly #shell: ChildProcess;

  /** Watches over the server with process id `pid`; `temporaryDirectory` goes with it. */
  constructor(pid: number, temporaryDirectory?: string) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'postgres-guard', String(pid), temporaryDirectory ?? ''], {
      cwd: '/',
      detached: true, // Ctrl-C must not reach it
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
    this.#shell.unref();
    // A pipe that holds the event loop would keep a finished test from ending.
    (this.#shell.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  }

  /** The server has ended, there is nothing left to guard. */
  dismiss(): void {
    this.#shell.stdin?.end('done\n');
  }
}
