/** Programs as strangers run them: as an ordinary user, with nothing in the environment that this repository put there. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { anyNamedUser } from '../../src/embedded/unprivileged-user.ts';

/**
 * For the `skip` of the slow tests of what is handed out, which pack, install and build for minutes: false when `npm run
 * test:package` asks for them, otherwise what to do to run them.
 */
export const skipped: string | false = !process.env.TEST_PACKAGE && 'slow: npm run test:package runs it';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Ran {
  readonly code: number;
  /** What it said on both outputs. */
  readonly output: string;
  readonly stdout: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As ourselves, who may be root. */
  readonly privileged?: boolean;
  /** Ends it, with the test; SIGTERM does where nothing is said. */
  readonly end?: () => void;
}

/** What does not end with its test by then is killed. */
const MAX_STOP_MS = 10_000;

/** npm puts the Node of the repository's own packages in front; a stranger has what is installed. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((directory) => !directory.includes('node_modules'))
  .join(delimiter);

/** What belongs to this test run, or to what operators say to our programs; how the network is reached stays. */
const OURS = /^(npm_|NODE_(?!EXTRA_CA)|TEST_|PG|ML_|CHAIN_INDEXER_|XDG_)/i;
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name)));

const user = process.getuid?.() === 0 ? await anyNamedUser() : undefined;

/** A directory that is the ordinary user's, who has it as home; it goes away with the test. */
export async function homeDirectory(t: Pick<TestContext, 'after'>): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'chain-indexer-package-'));
  t.after(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(home, 0o755);
  if (user !== undefined) await chown(home, user.uid, user.gid);
  return home;
}

function settings(home: string, { cwd = home, env = {}, privileged = false }: RunOptions) {
  return {
    cwd,
    env: { ...inherited, PATH, HOME: privileged ? (process.env.HOME ?? home) : home, LC_ALL: 'C.UTF-8', ...env },
    ...(user === undefined || privileged ? {} : { uid: user.uid, gid: user.gid }),
  };
}

/** Runs a program to its end. */
export function run(home: string, program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const limits = { maxBuffer: 64 * 1024 * 1024, timeout: 120_000 };
    execFile(program, args, { ...settings(home, options), ...limits }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`;
      if (error === null) resolve({ code: 0, output, stdout });
      else resolve({ code: typeof error.code === 'number' ? error.code : -1, output: output || error.message, stdout });
    });
  });
}

/** Starts a program; it ends with the test. `output` is what it has said so far. */
export function start(
  t: Pick<TestContext, 'after'>,
  home: string,
  program: string,
  args: readonly string[],
  options: RunOptions = {},
) {
  const child: ChildProcess = spawn(program, args, {
    ...settings(home, options),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(-1);
    });
    child.once('close', (code, signal) => resolve(signal ?? code ?? -1));
  });
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  t.after(async () => {
    const kill = setTimeout(() => child.kill('SIGKILL'), MAX_STOP_MS);
    if (options.end === undefined) child.kill();
    else options.end();
    await ended;
    clearTimeout(kill);
  });
  return { output: () => output, ended, stop, pid: child.pid! };
}
