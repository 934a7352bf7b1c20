/**
 * What releases have added since the storage version was raised: indexes, and columns and tables that are filled from stored
 * rows. The scanner adds it in place while it follows the chain: see docs/decisions/additions-in-place.md.
 */
import type pg from 'pg';
import type { Columns } from '../postgres/column-values.ts';

/** One addition. Its number is its place in {@link IN_PLACE_MIGRATIONS}, from 1 on. */
export interface InPlaceMigration {
  /** What is added, for operators and clients: `column outputs.kind`. */
  readonly name: string;
  /**
   * Statements that add a column without a default, or a table, and take no time. They run before the next block is written: from
   * that block on the ledger writes what they add.
   */
  readonly adds?: string;
  /** How stored rows get it. */
  readonly fill?: MigrationFill;
  /** Statements `create [unique] index if not exists NAME on …`. */
  readonly indexes?: readonly string[];
  /** The names of the queries that need it. They are refused with 503 until it is complete. */
  readonly neededBy: readonly string[];
}

/** How a migration is filled: in batches of the rows of a stored table. */
export interface MigrationFill {
  readonly table: string;
  /** The columns of a unique index of the table, in its order. */
  readonly key: Columns;
  /**
   * An `insert` or `update` for the rows of `batch`, a part of the table. It must leave rows alone that the ledger has written
   * meanwhile, and may be repeated for a batch.
   */
  readonly statement: string;
}

/**
 * The migrations. New ones are added at the end, none is changed or removed. When the storage version is raised, they become part of
 * the tables and indexes of the SQL files, and the list is empty again.
 */
export const IN_PLACE_MIGRATIONS: readonly InPlaceMigration[] = [
  {
    name: 'columns removed_transactions.body and actors',
    adds: 'alter table removed_transactions add column if not exists body text, add column if not exists actors text',
    neededBy: ['removed_transaction_bodies'],
  },
];

/**
 * The table `meta` has in this row the number of migrations that were begun, and in a row `step_N` the {@link MigrationProgress} of each
 * that is not complete.
 */
export const BEGUN_MIGRATIONS_NAME = 'steps';
export const progressName = (number: number): string => `step_${number}`;

/** How far a migration is. */
export interface MigrationProgress {
  /** What is being done, such as `index outputs_kind is being built`. */
  readonly text: string;
  readonly percent: number;
  /** The last key that was filled, and the number of rows until then. */
  readonly after?: readonly string[];
  readonly rows?: number;
}

/** The migrations that are not complete. */
export interface MissingMigrations {
  readonly progress: ReadonlyMap<InPlaceMigration, MigrationProgress>;
  /** By the name of each query that needs one of them. */
  readonly byQuery: ReadonlyMap<string, MigrationProgress>;
}

/** All that {@link missingMigrations} needs of the table `meta`, as JSON. */
export const MIGRATION_PROGRESS_SQL = `(select json_object_agg(name, value)::text from meta where name like 'step%')`;

/** Returns the migrations that are not complete, given {@link MIGRATION_PROGRESS_SQL}; null if all are. */
export function missingMigrations(
  migrations: readonly InPlaceMigration[],
  rows: string | null,
): MissingMigrations | null {
  const stored = JSON.parse(rows ?? '{}') as Readonly<Record<string, string>>;
  const begun = Number(stored[BEGUN_MIGRATIONS_NAME] ?? 0);
  const progress = new Map<InPlaceMigration, MigrationProgress>();
  for (const [i, migration] of migrations.entries()) {
    const found = stored[progressName(i + 1)];
    if (found !== undefined) progress.set(migration, JSON.parse(found));
    else if (i >= begun) progress.set(migration, notBegun(migration));
  }
  if (progress.size === 0) return null;
  const byQuery = [...progress].flatMap(([{ neededBy }, how]) => neededBy.map((query) => [query, how] as const));
  return { progress, byQuery: new Map(byQuery) };
}

/** The progress of a migration before a scanner has begun it. */
export const notBegun = ({ name }: InPlaceMigration): MigrationProgress => ({
  text: `${name} is added by the scanner of this release`,
  percent: 0,
});

/** Returns the migrations that are complete in the database. */
export async function listCompletedMigrations(client: pg.Client): Promise<InPlaceMigration[]> {
  const { rows } = await client.query<{ rows: string | null }>(`select ${MIGRATION_PROGRESS_SQL} as rows`);
  const missing = missingMigrations(IN_PLACE_MIGRATIONS, rows[0]!.rows);
  return IN_PLACE_MIGRATIONS.filter((migration) => !missing?.progress.has(migration));
}
