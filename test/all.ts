/**
 * All tests, one stage after the other: `npm run test:all`. Names of stages run those only, as
 * `npm run test:all -- golden package`. See `--help` for the environment.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserObstacle } from './browser/chromium.ts';
import { longTestFiles, shortTestFiles, testModules } from './support/test-groups.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where Debian puts the oldest PostgreSQL that docs/operation.md promises. */
const OLDEST_POSTGRES = process.env.OLDEST_POSTGRES || '/usr/lib/postgresql/15/bin';
const LIMIT_SECONDS = Number(process.env.TEST_LIMIT_SECONDS || Number.POSITIVE_INFINITY);

interface Stage {
  readonly name: string;
  readonly what: string;
  /** A script of package.json, or the test files with options of Node. */
  readonly run: { readonly script: string } | { readonly tests: readonly string[] };
  readonly env?: Readonly<Record<string, string>>;
  /** It is only begun when so much of the limit is left: it and what follows are over then, on a slow machine too. */
  readonly secondsLeft?: number;
  /** Why it cannot run on this machine. */
  readonly obstacle?: string | undefined;
}

const NODE_TEST = [
  // Once in hundreds of files Node hung at its end, after all tests had passed. The likely cause: a thread that compiles waits
  // for a garbage collection that does not come any more (github.com/nodejs/node/issues/54918). So no other thread compiles.
  '--no-concurrent-recompilation',
  '--no-concurrent-sparkplug',
  '--test',
  // The files of a group are suites, which this holds for as well.
  '--test-timeout=900000',
  '--test-global-setup=test/support/global-setup.ts',
];

const stages: readonly Stage[] = [
  {
    name: 'tests',
    what: 'all test files, long ones as well, with more seeds, kills and fuzzing',
    run: {
      // Those of the stage `browser` are not among them.
      tests: ['--test-concurrency=4', ...testModules(shortTestFiles()), ...longTestFiles()],
    },
    env: { SEEDS: '3', KILLS: '4', FUZZ: '4' },
  },
  {
    name: 'browser',
    what: 'the pages of the explorer in Chromium: every one, hostile texts, the keyboard; pictures of all',
    // One file after the other: each keeps all processors busy.
    run: { tests: ['--test-concurrency=1', 'test/browser/**/*.test.ts'] },
    env: { SEEDS: '2', TEST_AWAY_SECONDS: '60' },
    secondsLeft: 1_800,
    obstacle: browserObstacle(),
  },
  { name: 'golden', what: 'all recorded requests', run: { script: 'golden' } },
  {
    name: 'attacks',
    what: 'others beside attacks that five seeds compose, with limits for a shared machine',
    run: { script: 'test:attacks' },
    secondsLeft: 1_700,
  },
  {
    name: 'faults',
    what: 'faults of the node, PostgreSQL, networks, clocks and programs at moments that five seeds choose',
    run: { script: 'test:faults' },
    secondsLeft: 1_600,
  },
  {
    name: 'sql',
    what: 'store, API and pages with the oldest PostgreSQL that is supported',
    run: { tests: ['--test-concurrency=4', 'test/{store,api,explorer}/**/*.test.ts'] },
    env: { TEST_POSTGRES_PROGRAMS: OLDEST_POSTGRES },
    secondsLeft: 1_500,
    obstacle: existsSync(join(OLDEST_POSTGRES, 'initdb')) ? undefined : `there is no PostgreSQL in ${OLDEST_POSTGRES}`,
  },
  {
    name: 'package',
    what: 'the package installed, the image built where buildah is, an upgrade through proxies where they are',
    run: { script: 'test:package' },
    secondsLeft: 1_200,
  },
];

const HELP = `Runs all tests.

Usage: npm run test:all [-- STAGE …]

Stages:
${stages.map(({ name, what }) => `  ${name.padEnd(8)}  ${what}`).join('\n')}

Environment:
  SEEDS, KILLS, FUZZ  how many seeds, how many kills in each phase, how many seconds for each fuzzed property [3, 4, 4]
  CHROMIUM            the browser's program [chromium in the path]
  BROWSER_PICTURES    the directory that the pictures of all pages are written to [browser-pictures]
  BROWSER_MOMENTS     the directory for pictures of open pages before and after events; none unless it is given
  OLDEST_POSTGRES     the directory of that PostgreSQL's programs [${OLDEST_POSTGRES}]
  TEST_LIMIT_SECONDS  leave out stages for which there is not enough time left`;

/** Gives the exit status. */
function execute(program: string, args: readonly string[], env: Stage['env']): Promise<number> {
  const child = spawn(program, args, { cwd: root, env: { ...env, ...process.env }, stdio: 'inherit' });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Where the tests of a stage write which of them failed, so that it can be said again after all stages. */
const failures = join(mkdtempSync(join(tmpdir(), 'chain-indexer-')), 'failures');
process.once('exit', () => rmSync(dirname(failures), { recursive: true, force: true }));
const REPORTERS = [
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./test/support/failures-reporter.ts',
  `--test-reporter-destination=${failures}`,
];

/** Gives the exit status. No test gets a second attempt: one that fails now and then has found a fault, here or in itself. */
function run({ run: how, env }: Stage): Promise<number> {
  rmSync(failures, { force: true });
  return 'script' in how
    ? execute('npm', ['run', how.script], env)
    : execute(process.execPath, [...NODE_TEST, ...REPORTERS, ...how.tests], env);
}

const seconds = () => Math.round(performance.now() / 1_000);

/** Gives the exit status: 0 unless a stage that was run has failed. */
async function runAll(wanted: readonly Stage[]): Promise<number> {
  const results: string[] = [];
  let status = 0;
  for (const stage of wanted) {
    const startedAt = seconds();
    const obstacle =
      stage.obstacle ??
      (LIMIT_SECONDS - startedAt < (stage.secondsLeft ?? 0)
        ? `it was too late for it after ${startedAt} s; this machine is slow today`
        : undefined);
    if (obstacle !== undefined) {
      results.push(`${stage.name}: left out, ${obstacle}`);
      continue;
    }
    console.log(`\n${stage.name}: ${stage.what}`);
    const ended = await run(stage);
    if (ended !== 0) status = 1;
    const result = ended === 0 ? 'passed' : `FAILED (exit status ${ended})`;
    results.push(`${stage.name}: ${result}, ${seconds() - startedAt} s`);
    const failed = existsSync(failures) ? readFileSync(failures, 'utf8') : '';
    if (failed !== '') results.push(failed);
  }
  console.log(`\n${results.join('\n')}`);
  return status;
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return 0;
  }
  const unknown = args.find((arg) => !stages.some(({ name }) => name === arg));
  if (unknown !== undefined) {
    console.error(`test:all: there is no stage ${unknown}. See --help.`);
    return 2;
  }
  return runAll(args.length === 0 ? stages : stages.filter(({ name }) => args.includes(name)));
}

process.exitCode = await main(process.argv.slice(2));
