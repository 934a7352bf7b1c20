/** Common parts of all programs: `--help`, one line for a failure, a graceful stop. */
import cluster from 'node:cluster';
import { OperatorError } from '../errors/operator-error.ts';
import { programCommand } from '../errors/program-command.ts';
import { environmentNames, type OptionTable, optionsHelp } from './option.ts';
import { requireOpenFiles } from './process-limits.ts';
import { buildText } from './this-build.ts';

interface Program {
  readonly name: string;
  /** Description of the program for `--help`. */
  readonly about: string;
  readonly options: OptionTable;
  /** Prefix of the environment names. */
  readonly prefix: string;
  /** Environment names with this prefix that are for other programs. */
  readonly otherVariables?: readonly string[];
  /** Does the work. `stop` is aborted when the program is asked to end. */
  readonly main: (argv: readonly string[], stop: AbortSignal) => Promise<void>;
}

const REPEATED_AFTER_MS = 1_000;
const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a program to its end and sets the exit status: 0, the exit code of an `OperatorError`, or 1 for an unexpected
 * failure. SIGINT, SIGTERM, SIGHUP and the death of the parent program request a graceful stop; a second request ends
 * the program at once.
 */
export async function runProgram(program: Program): Promise<void> {
  const { name, about, options, prefix, main } = program;
  ignoreClosedOutput();
  const argv = process.argv.slice(2);
  if (argv.includes('--help') || argv.includes('-h')) {
    return console.log(
      `${about}\n\nUsage: ${programCommand(name, '[options]')}\n\nOptions:\n${optionsHelp(options, prefix)}`,
    );
  }
  if (argv.includes('--version')) return console.log(buildText());
  if (!cluster.isWorker) warnOfUnknownVariables(program, process.env);
  try {
    requireOpenFiles();
    await withGracefulStop((stop) => main(argv, stop));
  } catch (error) {
    process.stderr.write(failureText(name, error));
    process.exitCode = error instanceof OperatorError ? error.exitCode : 1;
  }
}

/** Runs a program's work. `stop` is aborted by SIGINT, SIGTERM, SIGHUP, and when the parent program has died. */
async function withGracefulStop(work: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  let askedAt = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    // One Ctrl-C may arrive twice: from the terminal, and forwarded by npm.
    if (stopping.signal.aborted && performance.now() - askedAt > REPEATED_AFTER_MS)
      process.exit(signal === 'SIGINT' ? 130 : 143);
    if (!stopping.signal.aborted) askedAt = performance.now();
    stopping.abort();
  };
  for (const signal of END_SIGNALS) process.on(signal, onSignal);
  // `up` starts programs with an IPC channel; if it closes, `up` has died.
  const onOrphaned = () => stopping.abort();
  process.once('disconnect', onOrphaned);
  try {
    await work(stopping.signal);
  } finally {
    for (const signal of END_SIGNALS) process.removeListener(signal, onSignal);
    process.removeListener('disconnect', onOrphaned);
    // The channel would keep the process alive; closing it would end a worker process with status 0.
    process.channel?.unref();
  }
}

/** Survives the exit of a reader of our output (`| head`): later output is lost, and the work continues. */
function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Prints a line for each variable that looks like one of the program and is none, perhaps because it is misspelt. */
function warnOfUnknownVariables({ name, prefix, options, otherVariables = [] }: Program, env: NodeJS.ProcessEnv): void {
  const known = new Set([...environmentNames(prefix, options), ...otherVariables]);
  for (const [variable, value] of Object.entries(env)) {
    if (variable.startsWith(prefix) && value !== '' && !known.has(variable))
      process.stderr.write(`${name}: ${variable} is not an option and has no effect. See --help.\n`);
  }
}

/** Returns a line for each mistake of the operator, or the whole stack for a defect. */
function failureText(program: string, error: unknown): string {
  if (error instanceof OperatorError) return `${program}: ${error.message.replaceAll('\n', `\n${program}: `)}\n`;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${program}: ended by an unforeseen failure, please report it: ${detail}\n`;
}

/** Resolves when `signal` is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
