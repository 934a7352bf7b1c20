import type { Network } from '../chain/networks/network.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { PostgresOptions, PostgresServer } from '../store/postgres/connect.ts';
import { type Option, type OptionValues, textOption, wholeNumberOption } from './option.ts';

/** Connections to PostgreSQL that each process of a web server needs: one for the tip, one for reading. */
export const MIN_CONNECTIONS = 2;
const onePort = wholeNumberOption('', [1, 65_535]);
const portList: Option<string> = {
  placeholder: 'PORT,…',
  help: 'PostgreSQL port, or one for each host',
  fallback: '5432',
  fallbackText: '5432',
  read(value) {
    try {
      for (const port of value.split(',')) onePort.read(port);
    } catch {
      throw new RangeError('must be whole numbers from 1 to 65535, separated by commas');
    }
    return value;
  },
};

/** The options for PostgreSQL, named as in mintlayer-core's programs. */
export const postgresOptions = {
  'postgres-host': textOption(
    'HOST,…',
    'PostgreSQL host, or the directory of its Unix socket; several: a primary and its replicas',
    'localhost',
  ),
  'postgres-port': portList,
  'postgres-user': textOption('NAME', 'PostgreSQL user', 'postgres'),
  'postgres-password': textOption('TEXT', 'Password of that user'),
  'postgres-database': textOption('NAME', 'PostgreSQL database [default: mintlayer- and the name of the network]'),
  'postgres-max-connections': wholeNumberOption(
    'Maximum PostgreSQL connections of a web server, shared by its workers; the scanner uses 2, up to 4 in a bulk sync',
    [1, 1000],
    10,
  ),
};

/** Returns the options for the database of `network`. */
export function postgresOptionsOf(values: OptionValues<typeof postgresOptions>, network: Network): PostgresOptions {
  const [first, ...others] = serversOf(values['postgres-host'].split(','), values['postgres-port'].split(','));
  return {
    ...first!,
    ...(others.length === 0 ? {} : { others }),
    user: values['postgres-user'],
    password: values['postgres-password'],
    database: values['postgres-database'] ?? defaultDatabaseName(network),
    maxConnections: values['postgres-max-connections'],
  };
}

function serversOf(hosts: readonly string[], ports: readonly string[]): PostgresServer[] {
  if (hosts.includes('')) throw new OperatorError('--postgres-host has an empty host.');
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new OperatorError(
      `--postgres-port has ${ports.length} ports for ${hosts.length} hosts: give one for each, or one.`,
    );
  }
  return hosts.map((host, i) => ({ host, port: Number(ports[i] ?? ports[0]) }));
}

/**
 * Returns the default name of a network's database
 * (docs/configuration.md#options-of-the-scanner-and-of-the-web-server).
 */
export function defaultDatabaseName(network: Network): string {
  return `mintlayer-${network.name}`;
}

/** Throws an `OperatorError` if there are too few connections for the workers of a web server. */
export function checkPostgresConnections(workers: number, maxConnections: number): void {
  const needed = MIN_CONNECTIONS * workers;
  if (maxConnections >= needed) return;
  const most = Math.floor(maxConnections / MIN_CONNECTIONS);
  const fewer = most === 0 ? '' : `, or --workers ${most} at most`;
  const who = workers === 1 ? 'a web server needs' : `${workers} workers need`;
  throw new OperatorError(
    `--postgres-max-connections ${maxConnections} is too few: ${who} ${MIN_CONNECTIONS} connections` +
      `${workers === 1 ? '' : ' each'}. Give --postgres-max-connections ${needed} or more${fewer}.`,
  );
}
