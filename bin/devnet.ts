#!/usr/bin/env node
import { NetworkError } from '../src/chain/networks/network.ts';
import { DEVNET_HELP, readDevnetSettings } from '../src/config/devnet.ts';
import { ignoreClosedOutput, programVersion, withGracefulStop } from '../src/config/run-program.ts';
import { ChainFileError } from '../src/devnet/chain-file-reader.ts';
import { runDevnet } from '../src/devnet/run-devnet.ts';
import { OperatorError } from '../src/errors/operator-error.ts';

ignoreClosedOutput();
try {
  const settings = readDevnetSettings(process.argv.slice(2), process.env);
  if (settings === 'help') process.stdout.write(DEVNET_HELP);
  else if (settings === 'version') process.stdout.write(`${programVersion()}\n`);
  else await withGracefulStop((stop) => runDevnet(settings, stop));
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof OperatorError || error instanceof NetworkError;
  // A retry would not help.
  const isDamaged = error instanceof ChainFileError;
  process.stderr.write(isUsage ? `devnet: ${reason}. See --help.\n` : `devnet: ${reason}\n`);
  process.exitCode = isUsage || isDamaged ? 2 : 1;
}
