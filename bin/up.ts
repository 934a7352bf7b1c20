#!/usr/bin/env node
import { environmentNames } from '../src/config/option.ts';
import { runProgram, untilAborted } from '../src/config/run-program.ts';
import { DEVNET_PREFIX, devnetOptions } from '../src/devnet/options.ts';
import { StatusConsole } from '../src/up/console.ts';
import { waitForExampleRequests } from '../src/up/example-requests.ts';
import { readUpConfig, UP_PREFIX, upOptions } from '../src/up/options.ts';
import { startStack } from '../src/up/stack.ts';

const output = new StatusConsole(process.stdout);

await runProgram({
  name: 'up',
  about: `Runs everything: an embedded PostgreSQL, a devnet that simulates a chain or replays a recorded one (or a node of yours),
the scanner and the web server. Ctrl-C stops everything; the next start continues from the data.`,
  options: upOptions,
  prefix: UP_PREFIX,
  otherVariables: environmentNames(DEVNET_PREFIX, devnetOptions),
  async main(argv, stop) {
    const config = readUpConfig(argv, process.env);
    // The variables of PostgreSQL's clients are for servers of the operator, not for ours.
    if (config.database.type === 'embedded')
      for (const name of Object.keys(process.env)) if (name.startsWith('PG')) delete process.env[name];
    const ended = new AbortController();
    const ending = AbortSignal.any([stop, ended.signal]);
    ending.addEventListener('abort', () => {
      output.end();
      output.line('Stopping ...');
    });
    output.line('Starting PostgreSQL, the node, the scanner and the web server ...');
    const stack = await startStack(config, output, stop);
    if (stack === undefined) return output.line('Stopped.');
    try {
      for (const line of stack.lines) output.line(`  ${line}`);
      const showTour = async () => {
        const lines = await waitForExampleRequests(stack.baseUrl, ending);
        if (lines === undefined) return untilAborted(stop);
        output.line('');
        for (const line of ['Try:', ...lines.map((each) => `  ${each}`)]) output.line(line);
        output.line(`Ctrl-C stops everything; the next start goes on from the data in ${config.dataDir}.\n`);
        await untilAborted(stop);
      };
      await Promise.race([showTour(), stack.failed]);
    } finally {
      ended.abort();
      await stack.stop();
      output.line('Stopped.');
    }
  },
});
