/** The options and the environment variables of libpq that say where PostgreSQL is, and how to connect to it. */
import { existsSync } from 'node:fs';
import type { Network } from '../chain/networks/network.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { PostgresOptions, PostgresServer } from '../store/postgres/connect.ts';
import { type Option, type OptionValues, textOption, wholeNumberOption } from './option.ts';

/** The values of PGSSLMODE. Those that prove less in libpq prove as much as `verify-full` here. */
const SSL_MODES: Readonly<Record<string, PostgresOptions['tls']>> = {
  disable: undefined,
  prefer: 'verified',
  require: 'verified',
  'verify-ca': 'verified',
  'verify-full': 'verified',
  'no-verify': 'unverified',
};

/** Variables that name the server. They are refused where the option is not given, because they would be expected to count. */
const OF_OPTIONS = {
  'postgres-host': 'PGHOST',
  'postgres-port': 'PGPORT',
  'postgres-user': 'PGUSER',
  'postgres-database': 'PGDATABASE',
} as const;

/** Other variables of libpq and of the driver that would change a connection: their values without effect, and what to do. */
const REFUSED: Readonly<Record<string, readonly [harmless: RegExp, remedy: string]>> = {
  PGHOSTADDR: [/^$/, 'give --postgres-host'],
  PGSERVICE: [/^$/, 'give the --postgres- options'],
  PGOPTIONS: [/^$/, 'set it for the role or the database: alter role … set …'],
  PGREQUIRESSL: [/^0$/, 'give PGSSLMODE=require'],
  PGSSLROOTCERT: [/^$/, 'give the file in NODE_EXTRA_CA_CERTS'],
  PGSSLCERT: [/^$/, 'give a password: client certificates cannot be used'],
  PGSSLKEY: [/^$/, 'give a password: client certificates cannot be used'],
  PGSSLCERTMODE: [/^(disable|allow)$/, 'give a password: client certificates cannot be used'],
  PGSSLCRL: [/^$/, 'revoked certificates cannot be refused'],
  PGSSLCRLDIR: [/^$/, 'revoked certificates cannot be refused'],
  PGSSLSNI: [/^1$/, 'the host name is always sent'],
  PGSSLNEGOTIATION: [/^postgres$/, 'encryption is always negotiated'],
  PGSSLMINPROTOCOLVERSION: [/^TLSv1(\.[12])?$/, 'give NODE_OPTIONS=--tls-min-v1.3'],
  PGSSLMAXPROTOCOLVERSION: [/^TLSv1\.3$/, 'give NODE_OPTIONS=--tls-max-v1.2'],
  PGGSSENCMODE: [/^(disable|prefer)$/, 'encrypt by PGSSLMODE'],
  PGCHANNELBINDING: [/^(disable|prefer)$/, 'prove the server by PGSSLMODE=verify-full'],
  PGREQUIREAUTH: [/^$/, 'prove the server by PGSSLMODE=verify-full'],
  PGREQUIREPEER: [/^$/, "the server's user is not checked"],
  PGTARGETSESSIONATTRS: [/^any$/, 'the programs choose among the hosts of --postgres-host'],
  PGLOADBALANCEHOSTS: [/^disable$/, 'the programs choose among the hosts of --postgres-host'],
  PGMINPROTOCOLVERSION: [/^3\.0$/, 'protocol 3.0 is spoken'],
  PGBINARY: [/^$/, 'results are read as text'],
  PGREPLICATION: [/^$/, 'there is no replication'],
  PGCLIENT_ENCODING: [/^UTF-?8$/i, 'the encoding is UTF8'],
};

/** The variables of {@link OF_OPTIONS} and {@link REFUSED}, for the documents. */
export const REFUSED_VARIABLES: readonly string[] = [...Object.values(OF_OPTIONS), ...Object.keys(REFUSED)];

/**
 * Returns the encryption that the environment asks for. `given`: the options that were given. Throws an `OperatorError` with a
 * line for each variable that would weaken or change the connection if it were libpq's.
 */
export function readPostgresEnvironment(
  env: NodeJS.ProcessEnv,
  given: Readonly<Record<string, unknown>>,
): PostgresOptions['tls'] {
  const mistakes: string[] = [];
  const { PGSSLMODE: mode = '' } = env;
  if (mode !== '' && !Object.hasOwn(SSL_MODES, mode)) {
    const words = Object.keys(SSL_MODES);
    mistakes.push(`PGSSLMODE must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}, not "${mode}".`);
  }
  if (env.PGPASSFILE && !existsSync(env.PGPASSFILE)) mistakes.push(`PGPASSFILE: there is no file ${env.PGPASSFILE}.`);
  for (const [option, variable] of Object.entries(OF_OPTIONS)) {
    if (env[variable] && given[option] === undefined)
      mistakes.push(`${variable} is not used: give --${option}, or unset the variable.`);
  }
  for (const [variable, [harmless, remedy]] of Object.entries(REFUSED)) {
    const { [variable]: value = '' } = env;
    if (value !== '' && !harmless.test(value)) mistakes.push(`${variable} is not used: ${remedy}. Unset the variable.`);
  }
  if (mistakes.length > 0) throw new OperatorError(mistakes.join('\n'));
  return SSL_MODES[mode];
}

/** Connections to PostgreSQL that each process of a web server needs: one for the tip, one for short reads, one for long ones. */
export const MIN_CONNECTIONS = 3;
/** The connections of a web server to PostgreSQL, unless an option gives their number. */
export const DEFAULT_MAX_CONNECTIONS = 15;
const DEFAULTS = { host: 'localhost', port: '5432', user: 'postgres' };
const onePort = wholeNumberOption('', [1, 65_535]);
const portList: Option<string | undefined> = {
  placeholder: 'PORT,…',
  help: 'PostgreSQL port, or one for each host',
  fallback: undefined,
  fallbackText: DEFAULTS.port,
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
  'postgres-host': {
    ...textOption(
      'HOST,…',
      'PostgreSQL host, or the directory of its Unix socket; several: a primary and its replicas',
    ),
    fallbackText: DEFAULTS.host,
  },
  'postgres-port': portList,
  'postgres-user': { ...textOption('NAME', 'PostgreSQL user'), fallbackText: DEFAULTS.user },
  'postgres-password': textOption('TEXT', 'Password of that user'),
  'postgres-database': textOption('NAME', 'PostgreSQL database [default: mintlayer- and the name of the network]'),
  'postgres-max-connections': wholeNumberOption(
    'Maximum PostgreSQL connections of a web server, shared by its workers; the scanner uses 2, up to 4 in a bulk sync and while it adds an index in place',
    [1, 1000],
    DEFAULT_MAX_CONNECTIONS,
  ),
};

/** Returns the options for the database of `network`. Throws as `readPostgresEnvironment` does. */
export function postgresOptionsOf(
  values: OptionValues<typeof postgresOptions>,
  network: Network,
  env: NodeJS.ProcessEnv,
): PostgresOptions {
  const tls = readPostgresEnvironment(env, values);
  const { 'postgres-host': hosts = DEFAULTS.host, 'postgres-port': ports = DEFAULTS.port } = values;
  const [first, ...others] = serversOf(hosts.split(','), ports.split(','));
  return {
    ...first!,
    ...(others.length === 0 ? {} : { others }),
    ...(tls && { tls }),
    user: values['postgres-user'] ?? DEFAULTS.user,
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
