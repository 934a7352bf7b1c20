/**
 * A question is one prepared statement that answers many askers at once: each parameter is an array with one element
 * per asker, and each row says by `n` whose it is. Every row also carries the tip that the statement saw, so that an
 * answer and what is computed from the tip (confirmations, the next block's locks) belong to one snapshot.
 */
import type { Id } from '../../chain/types.ts';
import type { Columns, ColumnType } from '../postgres/column-types.ts';

/** The tip that a snapshot belongs to. */
export interface SnapshotTip {
  /** Grows with every commit of the scanner. */
  readonly revision: number;
  readonly height: number;
  readonly id: Id;
}

export interface SnapshotRows<Row> {
  readonly tip: SnapshotTip;
  readonly rows: Row[];
}

export type Parameter = string | number | bigint | boolean | null;

export interface BatchedQuery<Parameters extends readonly Parameter[], Row> {
  readonly name: string;
  readonly types: readonly ColumnType[];
  readonly sql: string;
  /** A column that is null only where nothing was found. */
  readonly presenceColumn: keyof Row & string;
  /** Only for the compiler: what the parameters are. */
  readonly parameters?: Parameters;
}

/** The columns that every row brings along: whose it is, and in the rows of the first asker the tip. */
export interface TipColumns {
  readonly n: number;
  readonly revision: number | null;
  readonly tip_height: number | null;
  readonly tip_id: Id | null;
}

/**
 * Makes a question. `asked` names the parameters as a row type, `q (tx_id bytea, items integer)`; `select` is a subquery
 * over `q` (the asker's parameters) and `t` (the row of `chain_tip`) that gives the asker's rows in their order: a
 * lateral join can only be a nested loop, which keeps it.
 */
export function batchedQuery<Parameters extends readonly Parameter[], Row>(definition: {
  readonly name: string;
  readonly asked: Columns;
  readonly key: keyof Row & string;
  readonly select: string;
}): BatchedQuery<Parameters, Row> {
  const names = Object.keys(definition.asked);
  const types = Object.values(definition.asked);
  const arrays = ['$1::int[]', ...types.map((type, i) => `$${i + 2}::${type}[]`)].join(', ');
  return {
    name: definition.name,
    types,
    presenceColumn: definition.key,
    sql: `
      select q.n, case q.n when 0 then t.revision end as revision, case q.n when 0 then t.height end as tip_height,
             case q.n when 0 then t.block_id end as tip_id, x.*
      from chain_tip t
      cross join unnest(${arrays}) as q (${['n', ...names].join(', ')})
      left join lateral (${definition.select}) x on true`,
  };
}
