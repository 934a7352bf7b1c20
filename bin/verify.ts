#!/usr/bin/env node
import { runProgram } from '../src/config/run-program.ts';
import { SCANNER_PREFIX } from '../src/config/scanner.ts';
import { scannerVariables } from '../src/config/upgrade.ts';
import { readVerifyConfig, verifyOptions } from '../src/config/verify.ts';
import { OperatorError } from '../src/errors/operator-error.ts';
import { programCommand } from '../src/errors/program-command.ts';
import { NodeClient } from '../src/node/client.ts';
import { NodeError } from '../src/node/node-error.ts';
import { explainFinalPostgresError } from '../src/store/postgres/postgres-error.ts';
import { checkResultText, verifyIndex } from '../src/store/verify/verify.ts';

/** The exit status if the database is inconsistent. */
const EXIT_DIFFERENCES = 1;

await runProgram({
  name: 'verify',
  about: `Checks that the tables of an index agree with each other: blocks, transactions, outputs, balances, totals. Reads only,
from one snapshot; the scanner and web servers may run meanwhile. --quick is for an index that was just restored, --against
compares an index with a second one. Exits with status 0 if nothing was found, 1 if there are differences.`,
  options: verifyOptions,
  prefix: SCANNER_PREFIX,
  otherVariables: scannerVariables,
  async main(argv, stop) {
    const { network, node, postgres, quick, against } = readVerifyConfig(argv, process.env);
    const quickWith = quick ? new NodeClient(node) : undefined;
    let wrong = 0;
    try {
      for await (const result of verifyIndex(postgres, network, { signal: stop, quickWith, against })) {
        process.stdout.write(checkResultText(result));
        if (result.differences > 0) wrong++;
      }
    } catch (error) {
      if (stop.aborted) throw new OperatorError('stopped before all was checked', { exitCode: 130 });
      if (error instanceof NodeError) throw new OperatorError(error.message, { exitCode: 1 });
      throw explainFinalPostgresError(error, postgres);
    } finally {
      quickWith?.close();
    }
    if (wrong === 0) return;
    const otherwise = quick
      ? 'do not serve it. If only blocks differ from those of the node, start the scanner, which replaces them after a reorganisation, and check again; otherwise restore another backup'
      : `the index cannot be trusted. Start the scanner once with --resync to build it anew, or fill a second database beside it (${programCommand('upgrade')}, with --rebuild), and report this`;
    const whatToDo = against
      ? 'one of the two indexes is wrong, or two releases made them differently: report this, with the versions'
      : otherwise;
    throw new OperatorError(`${wrong} checks found differences; ${whatToDo}.`, { exitCode: EXIT_DIFFERENCES });
  },
});
