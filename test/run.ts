/**
 * Runs the tests that `npm test` runs: every test file but the long ones, in groups that share a process, each file as a
 * suite of its own. `npm run test:all` runs the long ones as well, each in a process of its own.
 */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shortTestFiles, testModules } from './support/test-groups.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** More than the cores, because many tests wait for something most of the time. */
const AT_ONCE = 6;
const REPORTER = '--test-reporter=./test/support/progress-reporter.ts';

const HELP = `Runs the tests of the product, without the long ones.

Usage: npm test [-- [OPTION OF node --test …] [FILE …]]

Examples:
  npm test -- test/api/lists.test.ts test/sim/*.test.ts
  npm test -- --test-name-pattern=frozen
  npm test -- --test-reporter=spec            a line for each test`;

/** Gives the exit status. */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return 0;
  }
  const options = args.filter((arg) => arg.startsWith('-'));
  const wanted = args.filter((arg) => !arg.startsWith('-'));
  const missing = wanted.find((file) => !statSync(file, { throwIfNoEntry: false })?.isFile());
  if (missing !== undefined) {
    console.error(`npm test: there is no file ${missing}. See npm test -- --help.`);
    return 2;
  }
  const modules = wanted.length > 0 ? wanted : testModules(shortTestFiles());
  const child = spawn(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${AT_ONCE}`,
      '--test-global-setup=test/support/global-setup.ts',
      ...(options.some((option) => option.startsWith('--test-reporter')) ? [] : [REPORTER]),
      ...options,
      ...modules,
    ],
    { cwd: root, stdio: 'inherit' },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

process.exitCode = await main(process.argv.slice(2));
