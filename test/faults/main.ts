/** `npm run test:faults`: what faults by seed do to the programs, their tables, answers and streams. */
import { parseArgs } from 'node:util';
import type { Scope } from '../support/file-scope.ts';
import type { SeedScope } from '../support/seeds.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import { runSeed } from './fault-run.ts';
import { FaultyPostgres } from './faulty-postgres.ts';

const HELP = `Runs the programs with faults at random moments, and compares with what nobody disturbed.

Usage: npm run test:faults [-- OPTION …]

A seed gives the schedule of faults, not the order of what processes and sockets do: a second run of it may differ.

Options:
  --seeds A-B   which [1-5]
  --only TEXT   only faults whose name contains this
  --help        this text

Faults:
${Object.keys(FAULT_KINDS)
  .map((kind) => `  ${kind}`)
  .join('\n')}
`;

/** Gives the problems of a seed. */
async function run(postgres: FaultyPostgres, seed: number, only: string): Promise<readonly string[]> {
  const ends: (() => unknown)[] = [];
  const scope: Scope = { after: (end) => void ends.push(end) };
  const startedAt = performance.now();
  try {
    const { faults, problems, figures } = await runSeed(scope as SeedScope, postgres, seed, only);
    console.log(
      `seed ${seed}, ${Math.round((performance.now() - startedAt) / 1_000)} s: ${faults.join('; ')}\n  ${figures}`,
    );
    return problems;
  } catch (error) {
    console.log(`seed ${seed}, ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string', default: '1-5' },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(HELP);
  const [first = 1, last = first] = values.seeds.split('-').map(Number);
  const postgres = await FaultyPostgres.open();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void postgres.close().finally(() => process.exit(1)));
  }
  if (!postgres.hasDisk) console.log('No file system can be mounted here: the disk is never full.');
  const failed: number[] = [];
  try {
    for (let seed = first; seed <= last; seed++) {
      const problems = await run(postgres, seed, values.only);
      if (problems.length > 0) failed.push(seed);
      for (const problem of problems) console.log(`  PROBLEM: ${problem}`);
    }
  } finally {
    await postgres.close();
  }
  console.log(failed.length === 0 ? 'all seeds passed' : `seeds with problems: ${failed.join(', ')}`);
  process.exit(failed.length === 0 ? 0 : 1);
}

await main(process.argv.slice(2));
