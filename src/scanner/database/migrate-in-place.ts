/**
 * Adds to an index what it lacks of this program's, in place: the columns and tables of migrations before the next block is written,
 * their contents and all missing indexes while the scanner follows the chain. After a stop it goes on where it was.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { thisBuild } from '../../config/this-build.ts';
import { withRetry } from '../../errors/retry.ts';
import { ADVISORY_LOCKS, type PostgresOptions } from '../../store/postgres/connect.ts';
import { inDatabaseTransaction } from '../../store/postgres/in-transaction.ts';
import { withLongStatementConnection } from '../../store/postgres/long-statement-connection.ts';
import { sqlStateOf } from '../../store/postgres/postgres-error.ts';
import { indexNameOf, keyAndIndexStatements } from '../../store/schema/create-and-drop-tables.ts';
import { MADE_BY_VERSION, readMeta, setMetaStatement } from '../../store/schema/database-identity.ts';
import {
  BEGUN_MIGRATIONS_NAME,
  type InPlaceMigration,
  type MigrationFill,
  type MigrationProgress,
  notBegun,
  progressName,
} from '../../store/schema/in-place-migrations.ts';
import { runStatements, type WriteStatement } from '../../store/write/transferable-statements.ts';
import { WRITER_SETTINGS } from '../../store/write/writer-session.ts';

const LOCK_RETRY_MS = 500;
/**
 * The longest wait for the lock of a table that gets a column. Readers wait meanwhile; after a second PostgreSQL stops an
 * autovacuum that is in the way.
 */
const COLUMN_LOCK_MS = 1_500;
const BATCH_ROWS = 500;
/** The longest wait for rows that a block is changing: less than what PostgreSQL takes to look for a deadlock, and end a block. */
const BATCH_LOCK_MS = 100;
/** Lock not available, deadlock detected. */
const LOCK_FAILURES = ['55P03', '40P01'];
const PROGRESS_MS = 500;
const LOGGED_PERCENT = 10;
const RETRY_PAUSES = { firstMs: 1_000, maxMs: 60_000 };

/** Statements that record for a new index that it has these migrations, and which program made it. */
export function migrationsBegunStatements(migrations: number): WriteStatement[] {
  return [
    setMetaStatement(BEGUN_MIGRATIONS_NAME, `${migrations}`),
    setMetaStatement(MADE_BY_VERSION, thisBuild().version),
  ];
}

/** Adds the columns and tables of the migrations that were not begun yet. Fails when a table is locked for long: nothing is added then. */
export async function beginMigrations(client: pg.Client, migrations: readonly InPlaceMigration[]): Promise<void> {
  const begun = Number((await readMeta(client)).get(BEGUN_MIGRATIONS_NAME) ?? 0);
  if (begun >= migrations.length) return;
  await inDatabaseTransaction(client, async () => {
    await client.query(`set local lock_timeout = ${COLUMN_LOCK_MS}`);
    for (const { adds } of migrations.slice(begun)) if (adds !== undefined) await client.query(adds);
    const progress = migrations.map((migration, i) =>
      setMetaStatement(progressName(i + 1), JSON.stringify(notBegun(migration))),
    );
    await runStatements(client, [...progress.slice(begun), ...migrationsBegunStatements(migrations.length)]);
  });
}

interface MigrateInPlaceOptions {
  readonly postgres: PostgresOptions;
  readonly migrations: readonly InPlaceMigration[];
  /** Memory in PostgreSQL for the sorting of one index build. */
  readonly buildMegabytes: number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Called with what is being added, and with null at the end. */
  onProgress(progress: MigrationProgress | null): void;
}

/** Adds what is missing, until it is complete or `signal` is aborted. Never rejects: a failed attempt is logged and made again. */
export async function migrateInPlace(options: MigrateInPlaceOptions): Promise<void> {
  const { logger, signal, onProgress } = options;
  await withRetry(() => withConnection(options, (client) => new Builder(options, client).run()), {
    ...RETRY_PAUSES,
    signal,
    retryable: () => true,
    onRetry: (err, _, pauseMs) =>
      logger.warn({ err, pauseMs }, 'what is added in place is not complete, trying again; blocks are not held up'),
  }).catch(() => {
    // It was aborted.
  });
  onProgress(null);
}

function withConnection(
  { postgres, signal }: Pick<MigrateInPlaceOptions, 'postgres' | 'signal'>,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  return withLongStatementConnection(postgres, 'chain-indexer additions in place', { givesUp: false, signal }, work);
}

/** A row of `meta` with the progress of a migration. */
interface MigrationRow {
  readonly name: string;
  progress: MigrationProgress;
}

class Builder {
  readonly #options: MigrateInPlaceOptions;
  readonly #client: pg.Client;
  #logged: MigrationProgress | null = null;
  /** Of the migration that is added; null for an index that is no migration's. */
  #row: MigrationRow | null = null;

  constructor(options: MigrateInPlaceOptions, client: pg.Client) {
    this.#options = options;
    this.#client = client;
  }

  async run(): Promise<void> {
    const { buildMegabytes, signal } = this.#options;
    // An index that is built waits for all older transactions, however long those are.
    await this.#client.query(`${WRITER_SETTINGS}; set lock_timeout = 0; set max_parallel_maintenance_workers = 0;
      set maintenance_work_mem = '${buildMegabytes}MB'`);
    // The session of a killed scanner may last a second longer than its lock of the writer. A statement that waits for its
    // lock would be an old transaction for it.
    while (!(await this.#hasLock())) await sleep(LOCK_RETRY_MS, undefined, { signal });
    await this.#addAll();
  }

  async #hasLock(): Promise<boolean> {
    const sql = 'select pg_try_advisory_lock($1) as taken';
    return (await this.#client.query<{ taken: boolean }>(sql, [ADVISORY_LOCKS.builder])).rows[0]!.taken;
  }

  async #addAll(): Promise<void> {
    const { migrations } = this.#options;
    const meta = await readMeta(this.#client);
    for (const [i, { name, fill, indexes = [] }] of migrations.entries()) {
      const row = progressName(i + 1);
      const stored = meta.get(row);
      if (stored === undefined) continue;
      this.#row = { name: row, progress: JSON.parse(stored) };
      if (fill !== undefined) await this.#fill(`${name} is being filled`, fill, this.#row);
      for (const index of indexes) await this.#ensureIndex(index);
      await this.#client.query('delete from meta where name = $1', [row]);
      this.#row = null;
      this.#options.logger.info({ step: i + 1 }, `${name} is complete`);
    }
    // Also those that are no migration's, which somebody has dropped.
    for (const index of keyAndIndexStatements(migrations)) await this.#ensureIndex(index);
  }

  /** Fills from the last key on that was filled. */
  async #fill(text: string, { table, key, statement }: MigrationFill, row: MigrationRow): Promise<void> {
    const columns = Object.keys(key);
    const after = Object.values(key).map((type, i) => `($1::text[])[${i + 1}]::${type}`);
    const batch = `
      with batch as materialized (
        select * from ${table} where $1::text[] is null or (${columns}) > (${after})
         order by ${columns} limit ${BATCH_ROWS} for no key update
      ), filled as (${statement})
      select array[${columns.map((column) => `${column}::text`)}] as after, (select count(*)::int from batch) as rows
        from batch order by ${columns.map((column) => `${column} desc`)} limit 1`;
    const size = await this.#client.query<{ rows: number }>(
      'select greatest(reltuples, 1)::int as rows from pg_class where oid = to_regclass($1)',
      [table],
    );
    row.progress = { ...row.progress, text };
    for (let isMore = true; isMore; ) {
      this.#tell(row.progress);
      const began = performance.now();
      isMore = await this.#fillBatch(batch, row, size.rows[0]!.rows).catch((error: unknown) => {
        if (!LOCK_FAILURES.includes(sqlStateOf(error) ?? '')) throw error;
        return true;
      });
      // As long for others as for the batch.
      await sleep(performance.now() - began, undefined, { signal: this.#options.signal });
    }
    await this.#client.query(`analyze ${table}`);
  }

  /** Fills a batch, and stores how far it came with it. False if there was nothing left. */
  async #fillBatch(batch: string, row: MigrationRow, size: number): Promise<boolean> {
    const { after = null, rows: before = 0, text } = row.progress;
    const filled = await inDatabaseTransaction(this.#client, async () => {
      await this.#client.query(`set local lock_timeout = ${BATCH_LOCK_MS}`);
      const { rows } = await this.#client.query<{ after: string[]; rows: number }>(batch, [after]);
      if (rows[0] === undefined) return null;
      const all = before + rows[0].rows;
      const progress = { text, percent: Math.min(99, Math.floor((100 * all) / size)), after: rows[0].after, rows: all };
      await runStatements(this.#client, [setMetaStatement(row.name, JSON.stringify(progress))]);
      return progress;
    });
    if (filled !== null) row.progress = filled;
    return filled !== null;
  }

  /** Builds an index unless it is there. One that is not valid is left over from a build that was killed. */
  async #ensureIndex(statement: string): Promise<void> {
    const name = indexNameOf(statement);
    const { rows } = await this.#client.query<{ valid: boolean }>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [name],
    );
    if (rows[0]?.valid) return;
    const text = `index ${name} is being built`;
    await this.#report(this.#client, text, 0);
    if (rows[0] !== undefined) await this.#client.query(`drop index concurrently if exists ${name}`);
    const watching = new AbortController();
    const watched = this.#watchIndex(name, text, watching.signal);
    try {
      await this.#client.query(statement.replace('index if not exists', 'index concurrently if not exists'));
    } finally {
      watching.abort();
      await watched;
    }
    this.#options.logger.info({ index: name }, 'an index was built in place');
  }

  /** Reports until `signal` is aborted how far a build is: the first half is building, the second validating. */
  async #watchIndex(name: string, text: string, signal: AbortSignal): Promise<void> {
    const { postgres } = this.#options;
    await withConnection({ postgres, signal }, async (client) => {
      for (;;) {
        await sleep(PROGRESS_MS, undefined, { signal });
        const { rows } = await client.query<{ percent: number }>(
          `select (case when phase ~ 'validation|snapshots|marking|readers' then 50 else 0 end
                   + floor(49 * coalesce(blocks_done::float / nullif(blocks_total, 0), 0)))::int as percent
             from pg_stat_progress_create_index where index_relid = to_regclass($1)`,
          [name],
        );
        if (rows[0] !== undefined) await this.#report(client, text, rows[0].percent);
      }
    }).catch(() => {
      // It was aborted, or the progress cannot be read.
    });
  }

  async #report(client: pg.Client, text: string, percent: number): Promise<void> {
    this.#tell({ text, percent });
    if (this.#row === null) return;
    this.#row.progress = { ...this.#row.progress, text, percent };
    // Not set anew: the migration may be complete by now.
    const values = [this.#row.name, JSON.stringify(this.#row.progress)];
    await client.query('update meta set value = $2 where name = $1', values);
  }

  #tell(progress: MigrationProgress): void {
    const { text, percent } = progress;
    this.#options.onProgress({ text, percent });
    if (this.#logged?.text === text && percent < this.#logged.percent + LOGGED_PERCENT) return;
    this.#logged = progress;
    this.#options.logger.info({ percent }, `${text}, while blocks are indexed`);
  }
}
