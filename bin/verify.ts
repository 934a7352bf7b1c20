#!/usr/bin/env node
import { runProgram } from '../src/config/run-program.ts';
import { SCANNER_PREFIX } from '../src/config/scanner.ts';
import { scannerVariables } from '../src/config/upgrade.ts';
import { readVerifyConfig, verifyOptions } from '../src/config/verify.ts';
import { OperatorError } from '../src/errors/operator-error.ts';
import { programCommand } from '../src/errors/program-command.ts';
import { explainFinalPostgresError } from '../src/store/postgres/postgres-error.ts';
import { checkResultText, verifyIndex } from '../src/store/verify/verify.ts';

/** The exit status if the database is inconsistent. */
const EXIT_DIFFERENCES = 1;

await runProgram({
  name: 'verify',
  about: `Checks the consistency of an index: blocks, transactions, outputs, balances, totals. Reads only, from one
snapshot; the scanner and web servers may run meanwhile. Exits with status 0 if nothing was found, 1 if there are differences.`,
  options: verifyOptions,
  prefix: SCANNER_PREFIX,
  otherVariables: scannerVariables,
  async main(argv, stop) {
    const { network, postgres } = readVerifyConfig(argv, process.env);
    let wrong = 0;
    try {
      for await (const result of verifyIndex(postgres, network, stop)) {
        process.stdout.write(checkResultText(result));
        if (result.differences > 0) wrong++;
      }
    } catch (error) {
      if (stop.aborted) throw new OperatorError('stopped before all was checked', { exitCode: 130 });
      throw explainFinalPostgresError(error, postgres);
    }
    if (wrong === 0) return;
    throw new OperatorError(
      `${wrong} checks found differences; the index cannot be trusted. Start the scanner once with --resync to build it anew, or fill a second database beside it (${programCommand('upgrade')}, with --rebuild), and report this.`,
      { exitCode: EXIT_DIFFERENCES },
    );
  },
});
