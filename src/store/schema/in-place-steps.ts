/**
 * What releases have added since the storage version was raised: indexes, and columns and tables that are filled from stored
 * rows. The scanner adds it in place while it follows the chain: see docs/decisions/additions-in-place.md.
 */
import type pg from 'pg';
import type { Columns } from '../postgres/column-values.ts';

/** One addition. Its number is its place in {@link IN_PLACE_STEPS}, from 1 on. */
export interface InPlaceStep {
  /** What is added, for operators and clients: `column outputs.kind`. */
  readonly name: string;
  /**
   * Statements that add a column without a default, or a table, and take no time. They run before the next block is written: from
   * that block on the ledger writes what they add.
   */
  readonly adds?: string;
  /** How stored rows get it. */
  readonly fill?: StepFill;
  /** Statements `create [unique] index if not exists NAME on …`. */
  readonly indexes?: readonly string[];
  /** The names of the queries that need it. They are refused with 503 until it is complete. */
  readonly neededBy: readonly string[];
}

/** How a step is filled: in batches of the rows of a stored table. */
export interface StepFill {
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
 * The steps. New ones are added at the end, none is changed or removed. When the storage version is raised, they become part of
 * the tables and indexes of the SQL files, and the list is empty again.
 */
export const IN_PLACE_STEPS: readonly InPlaceStep[] = [];

/**
 * The table `meta` has in this row the number of steps that were begun, and in a row `step_N` the {@link StepProgress} of each
 * that is not complete.
 */
export const STEPS_BEGUN = 'steps';
export const progressName = (number: number): string => `step_${number}`;

/** How far a step is. */
export interface StepProgress {
  /** What is being done, such as `index outputs_kind is being built`. */
  readonly text: string;
  readonly percent: number;
  /** The last key that was filled, and the number of rows until then. */
  readonly after?: readonly string[];
  readonly rows?: number;
}

/** The steps that are not complete. */
export interface MissingSteps {
  readonly progress: ReadonlyMap<InPlaceStep, StepProgress>;
  /** By the name of each query that needs one of them. */
  readonly byQuery: ReadonlyMap<string, StepProgress>;
}

/** All that {@link missingSteps} needs of the table `meta`, as JSON. */
export const STEP_ROWS = `(select json_object_agg(name, value)::text from meta where name like 'step%')`;

/** Returns the steps that are not complete, given {@link STEP_ROWS}; null if all are. */
export function missingSteps(steps: readonly InPlaceStep[], rows: string | null): MissingSteps | null {
  const stored = JSON.parse(rows ?? '{}') as Readonly<Record<string, string>>;
  const begun = Number(stored[STEPS_BEGUN] ?? 0);
  const progress = new Map<InPlaceStep, StepProgress>();
  for (const [i, step] of steps.entries()) {
    const found = stored[progressName(i + 1)];
    if (found !== undefined) progress.set(step, JSON.parse(found));
    else if (i >= begun) progress.set(step, notBegun(step));
  }
  if (progress.size === 0) return null;
  const byQuery = [...progress].flatMap(([{ neededBy }, how]) => neededBy.map((query) => [query, how] as const));
  return { progress, byQuery: new Map(byQuery) };
}

/** The progress of a step before a scanner has begun it. */
export const notBegun = ({ name }: InPlaceStep): StepProgress => ({
  text: `${name} is added by the scanner of this release`,
  percent: 0,
});

/** Returns the steps that are complete in the database. */
export async function completeSteps(
  client: pg.Client,
  steps: readonly InPlaceStep[] = IN_PLACE_STEPS,
): Promise<InPlaceStep[]> {
  const { rows } = await client.query<{ rows: string | null }>(`select ${STEP_ROWS} as rows`);
  const missing = missingSteps(steps, rows[0]!.rows);
  return steps.filter((step) => !missing?.progress.has(step));
}
