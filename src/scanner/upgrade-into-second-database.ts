/**
 * Upgrades an index without an interruption: the scanner of this release fills a second database while the previous one is
 * served, and reports when to switch. After a stop it continues at the next start.
 */
import type { Logger } from 'pino';
import type { Network } from '../chain/networks/network.ts';
import { untilAborted } from '../config/run-program.ts';
import { LastingCondition } from '../errors/lasting-condition.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { NodeClientOptions } from '../node/client.ts';
import type { PostgresOptions } from '../store/postgres/connect.ts';
import { primaryOf } from '../store/postgres/hosts.ts';
import { explainFinalPostgresError } from '../store/postgres/postgres-error.ts';
import { STORAGE_VERSION } from '../store/schema/database-identity.ts';
import {
  copyReadRights,
  createSecondDatabase,
  examineForUpgrade,
  indexedHeight,
} from '../store/schema/second-database-for-upgrade.ts';
import { startScanner } from './scanner.ts';

export interface UpgradeOptions {
  readonly network: Network;
  readonly node: NodeClientOptions;
  /** The database that is served. */
  readonly postgres: PostgresOptions;
  /** The name of the database to fill; by default that of the served one with the storage version. */
  readonly newDatabase: string | undefined;
  /** Also build a new index if the served database has the tables of this release? */
  readonly rebuild: boolean;
  /** End when the second database is complete and at the tip? */
  readonly untilReady: boolean;
  /** The memory of the scanner in bytes. */
  readonly maxMemory?: number;
  readonly logger: Logger;
  readonly terminal: boolean;
  /** Called with lines for the operator. */
  tell(text: string): void;
}

interface Served {
  readonly storageVersion: string;
  readonly bytes: number;
}

/**
 * Fills the second database, says when to switch, and keeps it at the tip until `stop`. Throws an OperatorError if
 * there is nothing to upgrade, or no second database is available.
 */
export async function upgrade(given: UpgradeOptions, stop: AbortSignal): Promise<void> {
  const postgres = await primaryOf(given.postgres, 'chain-indexer upgrade').catch((error: unknown) => {
    throw explainFinalPostgresError(error, given.postgres);
  });
  const options = { ...given, postgres };
  const { rebuild, tell } = options;
  const served = await servedIndex(options);
  if (served.storageVersion === STORAGE_VERSION && !rebuild) {
    tell(
      `The database ${postgres.database} has the tables of this release (storage version ${STORAGE_VERSION}): no second ` +
        'one is needed.\nRestart the scanner and the web servers with this release; keep the database.\n',
    );
    return;
  }
  const second = { ...postgres, database: options.newDatabase ?? secondDatabaseName(postgres.database) };
  await prepareSecond(options, second, served);
  await fill(options, second, served, stop);
}

/** Returns the served index. Throws an OperatorError if there is none, or one of another network or a newer release. */
async function servedIndex({ postgres, network }: UpgradeOptions): Promise<Served> {
  const examined = await examineForUpgrade(postgres, network);
  if (examined === undefined || examined.found === 'empty') {
    throw new OperatorError(
      `the database ${postgres.database} ${examined === undefined ? 'does not exist' : 'holds no index'}: there is ` +
        'nothing to upgrade. Name the one that is served with --postgres-database, or start the scanner to make an index.',
    );
  }
  const { found, bytes } = examined;
  return { storageVersion: found === 'ours' ? STORAGE_VERSION : found.older, bytes };
}

/**
 * Returns the name of the second database: `mintlayer-mainnet-v5` for `mintlayer-mainnet` and `mintlayer-mainnet-v4`.
 */
export function secondDatabaseName(served: string): string {
  const name = `${served.replace(/-v[\w.]+$/, '')}-v${STORAGE_VERSION}`;
  if (name !== served) return name;
  throw new OperatorError(
    `the database that is served is called ${served} already: name the second with --new-database.`,
  );
}

async function prepareSecond(
  { postgres, network, tell }: UpgradeOptions,
  second: PostgresOptions,
  served: Served,
): Promise<void> {
  const { database } = second;
  if (database === postgres.database)
    throw new OperatorError(`--new-database must not be ${database}, the database that is served.`);
  const examined = await examineForUpgrade(second, network);
  if (typeof examined?.found === 'object') {
    throw new OperatorError(
      `the database ${database} holds an index of storage version ${examined.found.older}, not ${STORAGE_VERSION}; ` +
        'nothing was changed. Drop it, or name another with --new-database.',
    );
  }
  if (examined === undefined) await createSecondDatabase(postgres, database);
  const readers = await copyReadRights(postgres, second);
  tell(
    `Filling the database ${database} for storage version ${STORAGE_VERSION}. ${postgres.database} (storage version ` +
      `${served.storageVersion}, ${gigabytes(served.bytes)}) is served meanwhile, and not changed.\n` +
      `Keep free about as much again on PostgreSQL's disk. This may be stopped and started again at any time.\n` +
      (readers.length === 0 ? '' : `Who may read there may read here: ${readers.join(', ')}.\n`),
  );
}

/** Runs the scanner on the second database until `stop`, or until it is complete. */
async function fill(
  options: UpgradeOptions,
  second: PostgresOptions,
  served: Served,
  stop: AbortSignal,
): Promise<void> {
  const { postgres, untilReady, logger, tell } = options;
  const complete = Promise.withResolvers<void>();
  const behind = new LastingCondition(logger, {
    holds: 'the node is behind the index that is served: waiting for it',
    ended: 'the node has reached the index that is served',
  });
  let isTold = false;
  let isLooking = false;
  const atTip = async (height: number): Promise<void> => {
    if (isTold || isLooking) return;
    isLooking = true;
    const servedHeight = await indexedHeight(postgres);
    isLooking = false;
    if (servedHeight !== null && servedHeight > height) {
      behind.holds({ height, servedHeight });
      return;
    }
    behind.ended();
    isTold = true;
    logger.info({ database: second.database, height }, 'the second database is complete');
    tell(switchText(postgres.database, second.database, height, served.bytes, untilReady));
    complete.resolve();
  };
  const onAtTip = ({ height }: { readonly height: number }) => void atTip(height);
  const scanner = startScanner({ ...options, postgres: second, resync: false, onAtTip });
  try {
    await Promise.race([scanner.done, untilAborted(stop), ...(untilReady ? [complete.promise] : [])]);
  } finally {
    await scanner.stop();
  }
}

/** `ends`: does this program end now, so that it does not keep the second database at the tip? */
function switchText(served: string, second: string, height: number, bytes: number, ends: boolean): string {
  const start = `the scanner of this release with --postgres-database ${second} (ML_API_SCANNER_DAEMON_POSTGRES_DATABASE)`;
  const webServers = [
    `Start web servers of this release with --postgres-database ${second} (ML_API_WEB_SRV_POSTGRES_DATABASE),
     beside the old ones, and wait until their /ready answers 200.`,
    'Let the load balancer send requests to them, and stop the old web servers with SIGTERM: they finish their requests.',
  ];
  const steps = [
    ...(ends
      ? [
          `Start ${start}
     now, beside the old one: nothing else keeps ${second} at the tip.`,
          ...webServers,
        ]
      : [...webServers, `Stop this program, which keeps ${second} at the tip until then.\n     Start ${start}.`]),
    'Stop the old scanner. Until then you can go back: let the load balancer use the old web servers again.',
    `When nobody needs it any more, drop the old database, ${gigabytes(bytes)}: dropdb ${served}`,
  ];
  return `
The database ${second} is complete and at the tip, height ${height}. Switch now:

${steps.map((step, i) => `  ${i + 1}. ${step}\n`).join('')}
`;
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(bytes < 1e9 ? 2 : 1)} GB`;
