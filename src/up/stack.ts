/** Composes PostgreSQL, the devnet, the scanner and the web server, each in a separate process. */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { regtestPos } from '../chain/networks/known-networks.ts';
import type { Id } from '../chain/types.ts';
import { isNetworkFile } from '../config/network.ts';
import { environmentName } from '../config/option.ts';
import { DEFAULT_MAX_CONNECTIONS, MIN_CONNECTIONS } from '../config/postgres.ts';
import { SCANNER_PREFIX } from '../config/scanner.ts';
import { WEB_SERVER_PREFIX } from '../config/web-server.ts';
import { DEVNET_PREFIX } from '../devnet/options.ts';
import { startTimeText } from '../devnet/start-time.ts';
import type { UnixUser } from '../embedded/child-processes.ts';
import { freePort, probePort } from '../embedded/free-port.ts';
import { type EmbeddedPostgres, startPostgres, WEB_SERVER_CONNECTIONS } from '../embedded/postgres.ts';
import { unprivilegedUser } from '../embedded/unprivileged-user.ts';
import { OperatorError, systemErrorText } from '../errors/operator-error.ts';
import { type HostPort, hostPortText } from '../node/host-port.ts';
import { lockDataDirectory } from '../processes/data-directory-lock.ts';
import type { PostgresOptions } from '../store/postgres/connect.ts';
import { STORAGE_VERSION } from '../store/schema/database-identity.ts';
import { type NetworkWithArgument, readRecordedNetwork } from './chain-file-network.ts';
import { ChildPrograms, type ProgramRights, type ProgramStart } from './child-programs.ts';
import type { StatusConsole } from './console.ts';
import { ensureRoles } from './database-roles.ts';
import { type BlockSource, shortenDatabaseName, simulatedChainName, type UpConfig } from './options.ts';
import { createMissingDatabase, dropOlderIndex, indexedTipId } from './prepare-database.ts';
import { assignProgramRights } from './program-users.ts';

const GB = 1e9;
const MIN_FREE_BYTES = GB / 2;
/** For 2 million transactions, with the write-ahead log and the files of index builds: docs/operation.md#memory-and-disk */
const SYNC_FREE_BYTES = 16 * GB;
const DEVNET_LISTENS = /"msg":"devnet is listening"/;
const DEVNET_PATIENCE_MS = 10_000;
/**
 * Starts everything in the necessary order. `output`: receives the programs' logs in readable form. Throws an
 * `OperatorError` if something cannot be started, and returns `undefined` if `signal` is aborted meanwhile, in both cases after
 * stopping everything started before.
 */
export async function startStack(config: UpConfig, output: StatusConsole, signal: AbortSignal) {
  const started: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let end = started.pop(); end !== undefined; end = started.pop()) await end();
  };
  try {
    checkWorkers(config);
    const lock = await lockDataDirectory(config.dataDir);
    started.push(() => lock.release());
    await checkFree(config.bindAddress);
    const stack = await start(config, output, started, stop, signal);
    return lock.note === undefined ? stack : { ...stack, lines: [...stack.lines, lock.note] };
  } catch (error) {
    await stop();
    // Ctrl-C on a terminal also reaches the programs that prepare the database; then their failure is no news.
    if (signal.aborted) return undefined;
    throw error;
  }
}

async function start(
  config: UpConfig,
  output: StatusConsole,
  started: (() => Promise<void>)[],
  stop: () => Promise<void>,
  signal: AbortSignal,
) {
  const { source, dataDir } = config;
  const chain = await chainOf(source, dataDir);

  const user = await unprivilegedUser(dataDir).catch((error: unknown) => {
    // Only the embedded PostgreSQL needs the user.
    if (config.database.type === 'embedded') throw error;
    return undefined;
  });
  const diskNote = await checkDisk(config);
  const server = await startDatabase(config, user);
  if (server.embedded !== undefined) started.push(server.embedded.stop);
  signal.throwIfAborted();
  const postgres: PostgresOptions = { ...server.options, database: config.databaseName(chain.network) };
  const logins = await prepareDatabase(server, postgres);
  signal.throwIfAborted();

  const chainFile = source.type === 'node' ? undefined : chainFileOf(source, dataDir);
  const { networkArgument } = chain;
  // PostgreSQL has opened the data directory for others by now, where that was needed.
  const { rights, notes } = await assignProgramRights(config, { networkArgument, chainFile }, user);
  const programs = new ChildPrograms(output);
  const run = (name: string, how: ProgramStart) => void started.push(programs.start(name, how));
  const node =
    source.type === 'node'
      ? nodeSettings(source)
      : await startDevnet(
          run,
          await devnetArguments(source, rights.devnet.path(chainFileOf(source, dataDir)), () => indexedTipId(postgres)),
          rights.devnet,
          programs.refused,
          config.bindAddress.port,
          signal,
        );
  signal.throwIfAborted();
  // The data directory is this program's own; about another PostgreSQL its operator decides.
  const older = server.embedded && (await dropOlderIndex(postgres, chain.network));
  if (older !== undefined) {
    output.line(
      `The index in ${dataDir} had storage version ${older}, this release needs ${STORAGE_VERSION}: it is built again from the node.`,
    );
  }
  const runOnIndex = (name: 'scanner' | 'web-server', prefix: string, own: Environment, args: string[] = []) => {
    const network = isNetworkFile(networkArgument) ? rights[name].path(networkArgument) : networkArgument;
    const settings = { network, ...node, 'log-level': config.logLevel, 'log-format': 'json', ...own };
    run(name, { args, env: environmentVariables(prefix, settings), rights: rights[name] });
  };
  const scannerSettings = { ...postgresSettings(logins.scanner), 'max-memory': String(config.memory.scanner) };
  runOnIndex('scanner', SCANNER_PREFIX, scannerSettings, config.resync ? ['--resync'] : []);
  runOnIndex('web-server', WEB_SERVER_PREFIX, { ...postgresSettings(logins.webServer), ...webServerSettings(config) });

  const baseUrl = `http://${hostPortText(config.bindAddress)}`;
  return {
    /** The running parts, a line each. */
    lines: [
      ...describeDatabase(server, postgres, dataDir),
      `node        ${describeNode(source, node['node-rpc-address'])}`,
      `network     ${chain.network.name}`,
      `web server  ${baseUrl} (response profile ${config.contract})`,
      ...(diskNote === undefined ? [] : [diskNote]),
      ...notes,
    ],
    baseUrl,
    /** Rejected with an `OperatorError` if a program ended that is not restarted. */
    failed: Promise.race([programs.refused, ...(server.embedded === undefined ? [] : [endOf(server.embedded)])]),
    /** Stops the programs first, then what they use. */
    stop,
  };
}

/** Rejected when the embedded PostgreSQL ends unexpectedly. */
function endOf({ ended }: EmbeddedPostgres): Promise<never> {
  return ended.then((reason): never => {
    throw new OperatorError(
      `The embedded PostgreSQL ended: ${reason}. What was committed is kept; start again when that is mended.`,
      { exitCode: 1 },
    );
  });
}

type RealNode = Extract<BlockSource, { type: 'node' }>;
type DevnetSource = Exclude<BlockSource, RealNode>;
type Environment = Readonly<Record<string, string>>;
/** The settings with which the scanner and the web server reach the node. */
type NodeSettings = Environment & { readonly 'node-rpc-address': string };

/** Resolves with its addresses when it listens. `reservedPort`: the web server's. */
async function startDevnet(
  run: (name: string, how: ProgramStart) => void,
  args: readonly string[],
  rights: ProgramRights,
  refused: Promise<never>,
  reservedPort: number,
  signal: AbortSignal,
): Promise<NodeSettings> {
  const address = `127.0.0.1:${await freePort(reservedPort)}`;
  const username = 'devnet';
  const password = randomBytes(12).toString('hex');
  const listening = Promise.withResolvers<void>();
  run('devnet', {
    args: [...args, `--rpc-bind-address=${address}`, `--rpc-username=${username}`],
    env: environmentVariables(DEVNET_PREFIX, { 'rpc-password': password }),
    rights,
    onLine: (line) => DEVNET_LISTENS.test(line) && listening.resolve(),
  });
  // The scanner would wait as well, but its log would begin with a warning.
  await Promise.race([listening.promise, refused, sleep(DEVNET_PATIENCE_MS, undefined, { ref: false, signal })]);
  return { 'node-rpc-address': address, 'node-rpc-username': username, 'node-rpc-password': password };
}

/** Settings for the web server only. */
export function webServerSettings({ workers, serving, memory }: Pick<UpConfig, 'workers' | 'serving' | 'memory'>) {
  return {
    ...serving,
    'max-memory': String(memory.webServer),
    'postgres-max-connections': String(Math.max(DEFAULT_MAX_CONNECTIONS, MIN_CONNECTIONS * workers)),
  };
}

/** Checks, before anything is started, that the embedded PostgreSQL has connections for all workers. */
function checkWorkers({ database, workers }: UpConfig): void {
  const most = Math.floor(WEB_SERVER_CONNECTIONS / MIN_CONNECTIONS);
  if (database.type === 'external' || workers <= most) return;
  throw new OperatorError(
    `--workers ${workers} is more than the embedded PostgreSQL has connections for. Give --workers ${most} at most, or ` +
      'a PostgreSQL of your own with --postgres-host.',
  );
}

async function chainOf(source: BlockSource, dataDir: string): Promise<NetworkWithArgument> {
  switch (source.type) {
    case 'node':
      return source;
    case 'replay':
      return readRecordedNetwork(source.file, dataDir);
    case 'simulation':
      return { network: regtestPos, networkArgument: regtestPos.name };
  }
}

/** Returns the settings for a real node. */
function nodeSettings({ settings, node }: RealNode): NodeSettings {
  const { others = [] } = node;
  const cookie = settings['node-rpc-cookie-file'];
  const files = others.length === 0 ? [cookie!] : (cookie ?? '').split(',');
  return {
    ...settings,
    'node-rpc-address': [node, ...others].map(({ address }) => address).join(','),
    // A program may be started in another directory.
    ...(cookie === undefined ? {} : { 'node-rpc-cookie-file': files.map((file) => file && resolve(file)).join(',') }),
  };
}

/** Returns the file with the devnet's chain, which a recorded one reads and a simulated one keeps. */
function chainFileOf(source: DevnetSource, dataDir: string): string {
  return source.type === 'replay'
    ? source.file
    : join(dataDir, `${shortenDatabaseName(`devnet-${simulatedChainName(source)}`)}.ndjson`);
}

/**
 * Returns the arguments of a devnet that continues where the last one ended: a simulated one from its file, a recorded
 * one at the tip of the index.
 */
async function devnetArguments(
  source: DevnetSource,
  chainFile: string,
  indexedTip: () => Promise<Id | undefined>,
): Promise<string[]> {
  const interval = `--block-interval=${source.blockIntervalMs}`;
  if (source.type === 'simulation') {
    const { preset, seed, blocks, startTime, reorgProbability } = source;
    return [
      `--preset=${preset}`,
      `--seed=${seed}`,
      `--blocks=${blocks}`,
      `--start-time=${startTimeText(startTime)}`,
      interval,
      // Writes 0.0000001 rather than 1e-7.
      `--reorg-probability=${reorgProbability.toLocaleString('en', { maximumFractionDigits: 20 })}`,
      `--chain-file=${chainFile}`,
    ];
  }
  const tip = await indexedTip();
  return [
    `--replay=${chainFile}`,
    interval,
    ...(source.upto === undefined ? [] : [`--upto=${source.upto}`]),
    ...(tip === undefined ? [] : [`--resume-at=${tip}`]),
  ];
}

/**
 * Checks, before anything is started, that the web server's address is free. The web server itself would notice last,
 * after another program had answered on its port.
 */
async function checkFree({ host, port }: HostPort): Promise<void> {
  await probePort(port, host).catch((error: unknown) => {
    throw new OperatorError(
      `The web server cannot listen on ${hostPortText({ host, port })}: ${systemErrorText(error)}. ` +
        'Choose another address with --bind-address.',
      { cause: error },
    );
  });
}

/**
 * Checks the free space for the embedded PostgreSQL, before it starts. Returns a warning if it may be too little for a
 * sync.
 */
async function checkDisk({ database, source, dataDir }: UpConfig): Promise<string | undefined> {
  if (database.type === 'external') return undefined;
  const isSync = source.type === 'node' && !existsSync(join(dataDir, 'postgres'));
  const { bavail, bsize } = await statfs(dataDir);
  return diskWarning(bavail * bsize, isSync, dataDir);
}

/** `isSync`: an index of a real network is begun. Throws an OperatorError if the space is too little for any index. */
export function diskWarning(freeBytes: number, isSync: boolean, dataDir: string): string | undefined {
  const has = `${dataDir} has ${(freeBytes / GB).toFixed(1)} GB of free disk space`;
  if (freeBytes < MIN_FREE_BYTES) {
    throw new OperatorError(`${has}, and PostgreSQL needs at least 0.5 GB. Free some, or give another --data-dir.`);
  }
  if (!isSync || freeBytes >= SYNC_FREE_BYTES) return undefined;
  return `Warning: ${has}; a sync may need ${SYNC_FREE_BYTES / GB} GB, and stops when the disk is full.`;
}

type Server = { readonly options: Omit<PostgresOptions, 'database'>; readonly embedded?: EmbeddedPostgres };

async function startDatabase(
  { database: source, dataDir, memory, bindAddress }: UpConfig,
  user: UnixUser | undefined,
): Promise<Server> {
  if (source.type === 'external') {
    const { type: _, ...options } = source;
    return { options: { ...options, maxConnections: DEFAULT_MAX_CONNECTIONS } };
  }
  const embedded = await startPostgres({
    dataDir,
    port: source.port,
    reservedPort: bindAddress.port,
    user,
    memoryBytes: memory.postgres,
  });
  return { options: { ...embedded.options, maxConnections: DEFAULT_MAX_CONNECTIONS }, embedded };
}

/** Creates the database if it is missing. Returns how the scanner and the web server log in to it. */
async function prepareDatabase({ embedded }: Server, postgres: PostgresOptions) {
  await createMissingDatabase(postgres);
  // The operator of an external PostgreSQL decides about its roles.
  return embedded === undefined ? { scanner: postgres, webServer: postgres } : ensureRoles(postgres);
}

export function postgresSettings({ host, port, user, password, database }: PostgresOptions): Environment {
  return {
    'postgres-host': host,
    'postgres-port': String(port),
    'postgres-user': user,
    ...(password === undefined ? {} : { 'postgres-password': password }),
    'postgres-database': database,
  };
}

/** Passwords are passed in the environment, because other users can see the command line. */
export function environmentVariables(prefix: string, settings: Environment): Environment {
  const entries = Object.entries(settings);
  return Object.fromEntries(entries.map(([option, value]) => [environmentName(prefix, option), value]));
}

function describeDatabase({ embedded }: Server, { host, port, database }: PostgresOptions, dataDir: string): string[] {
  const where = embedded === undefined ? 'PostgreSQL' : `embedded PostgreSQL, kept in ${relative('', dataDir) || '.'},`;
  const line = `database    ${where} at ${embedded?.address ?? host}:${port}, database ${database}`;
  return embedded?.note === undefined ? [line] : [line, `            ${embedded.note}`];
}

function describeNode(source: BlockSource, address: string): string {
  if (source.type === 'node') return `the one at ${address}`;
  const pace = source.blockIntervalMs === 0 ? 'all blocks at once' : `a block every ${source.blockIntervalMs / 1000} s`;
  const chain =
    source.type === 'replay'
      ? `replays ${relative('', source.file)}`
      : `simulates the ${source.preset} chain of seed ${source.seed}`;
  return `devnet at ${address}, ${chain}, ${pace}`;
}
