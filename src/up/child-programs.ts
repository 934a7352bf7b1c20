/** The programs that `up` runs, each in a separate process. */
import { fileURLToPath } from 'node:url';
import { readableLogLine } from '../config/logger.ts';
import { SCANNER_PREFIX } from '../config/scanner.ts';
import { WEB_SERVER_PREFIX } from '../config/web-server.ts';
import type { UnixUser } from '../embedded/child-processes.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { moduleUrl, programCommand } from '../errors/program-command.ts';
import { SupervisedProgram } from '../processes/supervised-program.ts';
import type { StatusConsole } from './console.ts';

/** The rights and paths to start a program with. */
export interface ProgramRights {
  /** Undefined: the current user. */
  readonly user: UnixUser | undefined;
  /** The working directory of the program; undefined: the current one. */
  readonly cwd?: string;
  /** The Node executable. */
  readonly node: string;
  readonly nodeArgs: readonly string[];
  /** Translates a path to one that the program can use. */
  path(path: string): string;
  readonly env: Readonly<Record<string, string>>;
}

export interface ProgramStart {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly rights: ProgramRights;
  /** Called with each line of its output. */
  readonly onLine?: (line: string) => void;
}

export class ChildPrograms {
  readonly #output: StatusConsole;
  readonly #refused = Promise.withResolvers<never>();

  /** `output`: receives the programs' logs in readable form. */
  constructor(output: StatusConsole) {
    this.#output = output;
    this.refused.catch(() => undefined);
  }

  /** Rejected with an `OperatorError` if a program cannot work as configured. */
  get refused(): Promise<never> {
    return this.#refused.promise;
  }

  /** Starts a program of `bin`. Returns the function that stops it. */
  start(name: string, { args = [], env = {}, rights, onLine }: ProgramStart): () => Promise<void> {
    let lastLine = '';
    const child = new SupervisedProgram({
      ...rights,
      name,
      file: rights.path(programFile(name)),
      args,
      env: { ...withoutOurs(process.env), ...rights.env, ...env },
      onLine: (from, line) => {
        lastLine = line;
        this.#tell(from, line);
        onLine?.(line);
      },
    });
    void child.refused.then(() => {
      const text = `The ${name} could not start; its last line above says why.`;
      // It knows only how the scanner is started by itself.
      const advice = lastLine.includes('--resync')
        ? ` To start with --resync: ${programCommand('up', '--resync')}`
        : '';
      this.#refused.reject(new OperatorError(text + advice));
    });
    child.start();
    return () => child.stop();
  }

  #tell(from: string, line: string): void {
    const text = readableLogLine(line.replace(`${from}: `, ''), { program: from });
    if (STATUS_MESSAGES.test(line)) this.#output.status(text);
    else this.#output.line(text);
  }
}

/** Returns the path of a program in `bin`. */
export function programFile(name: string): string {
  return fileURLToPath(moduleUrl(`../../bin/${name}.ts`, import.meta.url));
}

/** Messages of every block, or step of a sync, are shown as a status; the rest as lines. */
const STATUS_MESSAGES = /"msg":"(?:new tip|sync progress|sync phase)"/;

/** Removes our variables: those for programs that run separately must not mix with the settings that `up` passes. */
function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = [SCANNER_PREFIX, WEB_SERVER_PREFIX];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.some((prefix) => name.startsWith(prefix))));
}
