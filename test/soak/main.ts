/** `npm run test:soak`: minutes of mixed load on everything, and what becomes of memory, answers, streams and tables. */
import { parseArgs } from 'node:util';
import { FaultyPostgres } from '../faults/faulty-postgres.ts';
import { newScope } from '../support/file-scope.ts';
import { FLATNESS } from './memory.ts';
import { MAX_UNAVAILABLE, soak } from './soak-run.ts';

const HELP = `Runs the programs under a mixed load while the chain grows and reorganises: reads, lists, pages, batches, streams,
submissions and, one after the other, attackers. Prints figures each minute. Fails if

- a process needs more and more memory,
- a client that does not attack gets an error other than 404, or more than ${MAX_UNAVAILABLE * 100} % of its answers are 503,
- a program logs a warning or an error, except what the statuses tell: that a client was refused a shared resource, or
  that the database did not confirm the tip for seconds,
- an answer of one of the tips that are sampled is not what a second, undisturbed index answers there,
- a client of the event stream, cut off all the time, ends with another chain than the node has,
- \`verify\` finds something at the end, or a table differs from that of a fresh index.

${FLATNESS}
Each third has the same attackers. In a run of a few minutes the caches of PostgreSQL still fill, which may look like a leak.

Usage: npm run test:soak [-- OPTION …]

Options:
  --minutes N  how long [15]
  --seed N     the chain, the clients and the attackers [1]
  --help       this text`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '15' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(HELP);
  const { scope, end } = newScope();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void end().finally(() => process.exit(1)));
  const postgres = await FaultyPostgres.open();
  scope.after(() => postgres.close());
  const problems = await soak(scope, postgres, Number(values.seed), Number(values.minutes)).catch((error: Error) => [
    error.stack ?? error.message,
  ]);
  await end();
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  console.log(problems.length === 0 ? 'passed' : `FAILED: ${problems.length} problems`);
  process.exit(problems.length === 0 ? 0 : 1);
}

await main(process.argv.slice(2));
