/** The state of the index in the database: missing, without the indexes for reading, or ready. */
import type pg from 'pg';
import type { Logger } from 'pino';
import { decodeGenesis } from '../../chain/codec/genesis.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { PostgresOptions } from '../../store/postgres/connect.ts';
import { inDatabaseTransaction } from '../../store/postgres/in-transaction.ts';
import { resumeAutovacuum, suspendAutovacuum } from '../../store/schema/autovacuum.ts';
import { buildIndexes } from '../../store/schema/build-indexes.ts';
import {
  dropTables,
  indexStatements,
  keyStatements,
  tableStatements,
} from '../../store/schema/create-and-drop-tables.ts';
import {
  examineDatabase,
  olderStorageError,
  removeResyncRecord,
  resyncDoneAt,
  resyncStatement,
  STORAGE_VERSION,
} from '../../store/schema/database-identity.ts';
import { IN_PLACE_MIGRATIONS, type InPlaceMigration } from '../../store/schema/in-place-migrations.ts';
import { batchStatements } from '../../store/write/block-batch.ts';
import { countDays } from '../../store/write/day-counts.ts';
import { markReady, readChainTipAt, readTip } from '../../store/write/tip.ts';
import { runStatements, sqlStatement, type WriteStatement } from '../../store/write/transferable-statements.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import type { SyncProgress } from '../monitor/progress.ts';
import type { BatchApplier } from '../sync/apply-batches.ts';
import { beginMigrations, migrationsBegunStatements } from './migrate-in-place.ts';

/** The statements that create a new index. The keys are created after the first blocks, when the tables have rows. */
export interface DatabaseBootstrap {
  /** Creates the tables and the genesis, in a separate transaction before the first block. */
  readonly begin: readonly WriteStatement[];
  /** Creates the keys, at the end of the transaction of the first blocks, or with the indexes for reading. */
  readonly keys: readonly WriteStatement[];
  /** The migrations in place that the new index has from the start. */
  readonly migrations: readonly InPlaceMigration[];
  /** Must be called once `begin` is committed. */
  committed(): void;
}

/** How an index is opened. */
interface OpenOptions {
  /** The operator's option `--resync`. */
  readonly resync?: boolean;
  readonly migrations?: readonly InPlaceMigration[];
}

/** Applies the genesis, and returns the statements that store it. */
export async function prepareNewIndex(
  applier: BatchApplier,
  { resync = false, migrations = IN_PLACE_MIGRATIONS }: OpenOptions = {},
): Promise<DatabaseBootstrap> {
  const { network } = applier;
  const { records, json, takeState } = applier.applyGenesis(decodeGenesis(network.genesis), network.genesisId);
  const state = takeState();
  const meta = sqlStatement(
    `insert into meta (name, value) values
       ('storage_version', $1), ('network', $2), ('genesis_id', $3), ('genesis', $4)`,
    STORAGE_VERSION,
    network.name,
    network.genesisId,
    json,
  );
  return {
    begin: [
      ...tableStatements(migrations),
      suspendAutovacuum(),
      meta,
      ...migrationsBegunStatements(migrations.length),
      ...(resync ? [resyncStatement()] : []),
      ...batchStatements(records, state),
    ],
    keys: keyStatements(),
    migrations,
    committed: state.committed,
  };
}

/** Creates an index of only the genesis, with the indexes for reading, if no bulk sync is to follow. */
export async function createGenesisIndex({ writer }: WriterSession, bootstrap: DatabaseBootstrap): Promise<void> {
  await inDatabaseTransaction(writer, async () => {
    await runStatements(writer, [...bootstrap.begin, ...bootstrap.keys]);
    for (const statement of indexStatements(bootstrap.migrations)) await writer.query(statement);
    await openToReaders(writer);
  });
  bootstrap.committed();
}

/** Lets readers use the index, within a transaction: all of its keys and indexes exist. */
async function openToReaders(client: pg.Client): Promise<void> {
  await resumeAutovacuum(client);
  await markReady(client);
}

/** Connections that build indexes at the same time, at the end of a bulk sync. */
const INDEX_CONNECTIONS = 2;

interface DatabaseStateOptions {
  readonly postgres: PostgresOptions;
  /** Memory in PostgreSQL for the sorting of one index build. */
  readonly buildMegabytes: number;
  readonly progress: SyncProgress;
  readonly signal: AbortSignal;
  onStall(what: string, seconds: number): void;
}

export class DatabaseState {
  readonly #session: WriterSession;
  /** What the index has, or will have. */
  readonly migrations: readonly InPlaceMigration[];
  #bootstrap: DatabaseBootstrap | null;
  #isReady: boolean;

  private constructor(
    session: WriterSession,
    migrations: readonly InPlaceMigration[],
    bootstrap: DatabaseBootstrap | null,
    isReady: boolean,
  ) {
    this.#session = session;
    this.migrations = migrations;
    this.#bootstrap = bootstrap;
    this.#isReady = isReady;
  }

  /**
   * Says whether the database is empty. Throws an OperatorError if it has anything but an index of this network that the program
   * can work with, or drop because of `resync`: one of an older storage version.
   */
  static async isEmpty(
    { writer }: WriterSession,
    network: Network,
    { resync = false, migrations = IN_PLACE_MIGRATIONS }: OpenOptions = {},
  ): Promise<boolean> {
    const found = await examineDatabase(writer, network, migrations.length);
    if (found === 'empty') return true;
    if (!resync) await removeResyncRecord(writer);
    if (found === 'ours') return false;
    const doneAt = resync ? await resyncDoneAt(writer) : undefined;
    if (resync && doneAt === undefined) return false;
    throw olderStorageError(found.older, doneAt);
  }

  /**
   * Brings the applier to the tip of the network's index in the database. In an empty database a new index begins: the
   * applier has the genesis, the database nothing yet. Throws an OperatorError if the database has anything else.
   */
  static async open(session: WriterSession, applier: BatchApplier, options: OpenOptions = {}): Promise<DatabaseState> {
    const { migrations = IN_PLACE_MIGRATIONS } = options;
    if (await DatabaseState.isEmpty(session, applier.network, options))
      return new DatabaseState(session, migrations, await prepareNewIndex(applier, options), false);
    await beginMigrations(session.writer, migrations);
    const tip = await readTip(session.writer);
    applier.resumeAt(await readChainTipAt(session.writer, tip.height));
    return new DatabaseState(session, migrations, null, tip.isReady);
  }

  /** Drops the index in the database because of `--resync`, unless the option has already been carried out. */
  static async drop({ writer }: WriterSession, logger: Logger): Promise<void> {
    const begunAt = await resyncDoneAt(writer);
    if (begunAt !== undefined) {
      logger.warn(
        { begunAt },
        '--resync was carried out already, nothing is dropped; take it out of the settings (to build the index anew ' +
          'once more, start the scanner once without it, and then with it again)',
      );
      return;
    }
    logger.warn('dropping the index to build it again, because of --resync');
    await dropTables(writer);
  }

  /** The statements that create a new index; null if the index exists. */
  get bootstrap(): DatabaseBootstrap | null {
    return this.#bootstrap;
  }

  /** Is there no index in the database yet? */
  get isNew(): boolean {
    return this.#bootstrap !== null;
  }

  /** Can readers use the index? */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Notes that the new index is in the database. */
  markCreated(): void {
    this.#bootstrap = null;
  }

  /**
   * Creates the keys for the ledger's reads if they are missing, because the last bulk sync ended before they were
   * created.
   */
  async ensureKeys(): Promise<void> {
    if (this.isNew || this.#isReady) return;
    await runStatements(this.#session.writer, keyStatements());
  }

  /**
   * Creates what readers need and the database lacks: a whole new index, or after a bulk sync the indexes and the planner's
   * statistics.
   */
  async ensureReady(options: DatabaseStateOptions): Promise<void> {
    if (this.#bootstrap !== null) await createGenesisIndex(this.#session, this.#bootstrap);
    else if (!this.#isReady) await this.#build(options);
    // A bulk sync of an index that was ready before.
    else await countDays(this.#session.writer);
    this.#bootstrap = null;
    this.#isReady = true;
  }

  async #build({ postgres, buildMegabytes, progress, signal, onStall }: DatabaseStateOptions): Promise<void> {
    const { writer } = this.#session;
    progress.phase('building indexes');
    await buildIndexes({
      client: writer,
      postgres,
      buildMegabytes,
      migrations: this.migrations,
      connections: INDEX_CONNECTIONS,
      signal,
      onStall: (seconds) => onStall('building an index', seconds),
      onBuilt: (built, all) => progress.part('built index', built, all),
    });
    progress.phase('counting days');
    await countDays(writer);
    await inDatabaseTransaction(writer, () => openToReaders(writer));
    progress.phase('ready');
  }
}
