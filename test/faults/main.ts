/** `npm run test:faults`: what faults by seed do to the programs, their tables, answers and streams, and what they say then. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newScope, type Scope } from '../support/file-scope.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import { FaultyPostgres } from './faulty-postgres.ts';
import { runScenario, SCENARIOS } from './run-scenario.ts';
import { runSeed } from './run-seed.ts';

const listed = (kinds: object) => Object.keys(kinds).join('\n').replace(/^/gm, '  ');

const HELP = `Runs the programs with faults at random moments, and compares with what nobody disturbed. Then it brings them into one of the
rare states of the scenarios: /ready, /status, metrics, banner and alerts must agree there, and be true.

Usage: npm run test:faults [-- OPTION …]

A seed gives the schedule of faults, not the order of what processes and sockets do: a second run of it may differ.

Options:
  --seeds A-B   which [1-5]
  --beside N    so many of them at a time, each with its own PostgreSQL [2]
  --only TEXT   only faults and scenarios whose name contains this
  --help        this text

Faults:
${listed(FAULT_KINDS)}

Scenarios, one for each seed:
${listed(SCENARIOS)}
`;

/** How often there was each kind of fault. */
const counts = new Map<string, number>();

type Run = (scope: Scope) => Promise<{ faults: readonly string[]; problems: string[]; figures: string }>;

/** What is open of the runs that are not over. */
const open = new Set<() => Promise<void>>();

/** Runs one, and says how it went. */
async function passes(seed: number, run: Run): Promise<boolean> {
  const { scope, end } = newScope();
  open.add(end);
  const startedAt = performance.now();
  const { faults, problems, figures } = await run(scope);
  await end().catch((error: Error) => void problems.push(error.stack ?? error.message));
  open.delete(end);
  for (const kind of faults) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`seed ${seed}, ${seconds} s: ${faults.join('; ')}\n  ${figures}`);
  for (const problem of problems) console.log(`  PROBLEM: ${problem}`);
  return problems.length === 0;
}

/** What a seed runs: faults, if any are wanted, and one of the wanted scenarios. */
function runsOf(postgres: FaultyPostgres, seed: number, only: string): Run[] {
  const hasFaults = Object.keys(FAULT_KINDS).some((kind) => kind.includes(only));
  const scenarios = Object.keys(SCENARIOS).filter((name) => name.includes(only));
  const scenario = scenarios[seed % scenarios.length];
  return [
    ...(hasFaults ? [(scope: Scope) => runSeed(scope, postgres, seed, only)] : []),
    ...(scenario === undefined ? [] : [(scope: Scope) => runScenario(scope, postgres, seed, scenario)]),
  ];
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string', default: '1-5' },
      beside: { type: 'string', default: '2' },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(HELP);
  const [first = 1, last = first] = values.seeds.split('-').map(Number);
  const failed: number[] = [];
  let next = first;
  /** One after the other of those that nobody else has begun. */
  const runSome = async (postgres: FaultyPostgres) => {
    while (next <= last) {
      const seed = next++;
      for (const run of runsOf(postgres, seed, values.only)) if (!(await passes(seed, run))) failed.push(seed);
    }
  };
  const databases = await Promise.all(Array.from({ length: Number(values.beside) }, () => FaultyPostgres.open()));
  const close = async () => {
    await Promise.allSettled([...open].map((end) => end()));
    await Promise.all(databases.map((postgres) => postgres.close()));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A PostgreSQL that is being disturbed may not end in time.
    process.once(signal, () => void Promise.race([close(), sleep(5_000)]).finally(() => process.exit(1)));
  }
  if (!databases.every(({ hasDisk }) => hasDisk)) {
    console.log('No file system can be mounted here: the disk is never full.');
  }
  await Promise.all(databases.map(runSome)).finally(close);
  for (const [kind, count] of counts) console.log(`${String(count).padStart(6)} × ${kind}`);
  console.log(failed.length === 0 ? 'all seeds passed' : `seeds with problems: ${failed.join(', ')}`);
  process.exit(failed.length === 0 ? 0 : 1);
}

await main(process.argv.slice(2));
