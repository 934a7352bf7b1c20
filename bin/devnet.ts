#!/usr/bin/env node
import { buildText } from '../src/config/build.ts';
import { DEVNET_HELP, readDevnetSettings } from '../src/config/devnet.ts';
import { ignoreClosedOutput, withGracefulStop } from '../src/config/run-program.ts';
import { runDevnet } from '../src/devnet/run-devnet.ts';
import { OperatorError } from '../src/errors/operator-error.ts';

ignoreClosedOutput();
try {
  const settings = readDevnetSettings(process.argv.slice(2), process.env);
  if (settings === 'help') process.stdout.write(DEVNET_HELP);
  else if (settings === 'version') process.stdout.write(`${buildText()}\n`);
  else await withGracefulStop((stop) => runDevnet(settings, stop));
} catch (error) {
  process.stderr.write(`devnet: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof OperatorError ? error.exitCode : 1;
}
