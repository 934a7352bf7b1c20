/** `npm run test:faults`: what faults by seed do to the programs, their tables, answers and streams. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Scope } from '../support/file-scope.ts';
import type { SeedScope } from '../support/seeds.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import { FaultyPostgres } from './faulty-postgres.ts';
import { runSeed } from './run-seed.ts';

const HELP = `Runs the programs with faults at random moments, and compares with what nobody disturbed.

Usage: npm run test:faults [-- OPTION …]

A seed gives the schedule of faults, not the order of what processes and sockets do: a second run of it may differ.

Options:
  --seeds A-B   which [1-5]
  --beside N    so many of them at a time, each with its own PostgreSQL [2]
  --only TEXT   only faults whose name contains this
  --help        this text

Faults:
${Object.keys(FAULT_KINDS)
  .map((kind) => `  ${kind}`)
  .join('\n')}
`;

/** How often there was each kind of fault. */
const counts = new Map<string, number>();

/** Runs a seed, and says how it went. */
async function passes(postgres: FaultyPostgres, seed: number, only: string): Promise<boolean> {
  const ends: (() => unknown)[] = [];
  const scope: Scope = { after: (end) => void ends.push(end) };
  const startedAt = performance.now();
  const { faults, problems, figures } = await runSeed(scope as SeedScope, postgres, seed, only);
  for (const end of ends.reverse()) {
    await Promise.try(end).catch((error: Error) => void problems.push(error.stack ?? error.message));
  }
  for (const kind of faults) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`seed ${seed}, ${seconds} s: ${faults.join('; ')}\n  ${figures}`);
  for (const problem of problems) console.log(`  PROBLEM: ${problem}`);
  return problems.length === 0;
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
      if (!(await passes(postgres, seed, values.only))) failed.push(seed);
    }
  };
  const databases = await Promise.all(Array.from({ length: Number(values.beside) }, () => FaultyPostgres.open()));
  const close = () => Promise.all(databases.map((postgres) => postgres.close()));
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
