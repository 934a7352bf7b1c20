/** The options of `upgrade`. */
import { logOptions } from './logger.ts';
import { networkOption } from './network.ts';
import { nodeAndPostgresOptionsOf, nodeAndPostgresOptionTable } from './node-and-postgres.ts';
import { environmentNames, flagOption, readOptions, textOption } from './option.ts';
import { defaultMemory, maxMemoryOption } from './process-limits.ts';
import { SCANNER_PREFIX, scannerOptions } from './scanner.ts';

/** Options that only this program has. */
export const upgradeOnlyOptions = {
  'new-database': textOption(
    'NAME',
    'Second database to fill, created if missing [default: the name of the served database and the storage version]',
  ),
  rebuild: flagOption('Fill a second database even if the served one already has the tables of this release'),
  'until-ready': flagOption(
    'Exit when the second database is complete; without this option, the program then keeps it at the tip',
  ),
};

export const upgradeOptions = {
  network: networkOption,
  ...nodeAndPostgresOptionTable,
  ...upgradeOnlyOptions,
  'max-memory': maxMemoryOption,
  ...logOptions,
};

/** The environment names of the scanner, of `upgrade` and of `verify`, which may have the same environment file. */
export const scannerVariables = environmentNames(SCANNER_PREFIX, { ...scannerOptions, ...upgradeOnlyOptions });

/**
 * Returns the configuration of `upgrade`. The program is a scanner for a second database, so it uses the scanner's
 * environment names. Throws an `OperatorError` with one line for each mistake.
 */
export function readUpgradeConfig(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const values = readOptions(upgradeOptions, SCANNER_PREFIX, argv, env);
  return {
    /** `postgres`: the database that is served. */
    ...nodeAndPostgresOptionsOf(values.network, values, env),
    /** The database to fill, if it was named. */
    newDatabase: values['new-database'],
    rebuild: values.rebuild,
    untilReady: values['until-ready'],
    /** In bytes. */
    maxMemory: values['max-memory'] ?? defaultMemory(),
    log: { 'log-level': values['log-level'], 'log-format': values['log-format'] },
  };
}
