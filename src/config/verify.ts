/** The options of `verify`. */
import { OperatorError } from '../errors/operator-error.ts';
import { parseHostPort } from '../node/host-port.ts';
import { networkOption } from './network.ts';
import { nodeAndPostgresOptionsOf, nodeAndPostgresOptionTable } from './node-and-postgres.ts';
import { flagOption, type Option, readOptions } from './option.ts';
import { SCANNER_PREFIX } from './scanner.ts';

interface SecondDatabase {
  readonly database: string;
  /** The server, if it is not the one of the first. */
  readonly host?: string;
  readonly port?: number;
}

const againstOption: Option<SecondDatabase | undefined> = {
  placeholder: '[HOST:PORT/]NAME',
  help: 'Only compare every table with the index in this second database, such as one that `upgrade --rebuild` has filled',
  fallback: undefined,
  read(text) {
    const [server, database] = text.includes('/') ? text.split('/', 2) : [undefined, text];
    const address = server === undefined ? {} : parseHostPort(server);
    if (address === null || !database) throw new RangeError('must be a database, or host:port/database');
    return { ...address, database };
  },
};

export const verifyOptions = {
  network: networkOption,
  quick: flagOption('Check only the tip, counts, indexes and the newest blocks, against the node; takes seconds'),
  against: againstOption,
  ...nodeAndPostgresOptionTable,
};

/**
 * Returns the configuration of `verify`. The program reads the scanner's database, so it uses the scanner's environment
 * names. Throws an `OperatorError` like the scanner's.
 */
export function readVerifyConfig(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const values = readOptions(verifyOptions, SCANNER_PREFIX, argv, env);
  const { network, node, postgres } = nodeAndPostgresOptionsOf(values.network, values, env);
  const { quick, against: second } = values;
  if (second === undefined) return { network, node, postgres, quick, against: undefined };
  if (quick) throw new OperatorError('give either --quick or --against.');
  const against = { ...postgres, ...second, ...(second.host === undefined ? {} : { others: undefined }) };
  if (against.database === postgres.database && against.host === postgres.host && against.port === postgres.port)
    throw new OperatorError('--against must name another database than --postgres-database.');
  return { network, node, postgres, quick, against };
}
