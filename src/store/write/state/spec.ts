/** How a kind of row of the ledger's state stands in its table: columns, fields, and back. */
import type { Columns, Field } from '../../postgres/column-types.ts';

export interface StateTableSpec<Row> {
  readonly table: string;
  /** Names and types. */
  readonly columns: {
    readonly key: Columns;
    /** What stays as it is while the row exists. */
    readonly fixed: Columns;
    /** What may change while the row exists. */
    readonly changing: Columns;
  };
  /** The fields of each group. */
  keyFields(row: Row): Field[];
  fixedFields(row: Row): Field[];
  changingFields(row: Row): Field[];
  /** A record of the table as `connect.ts` parses it. */
  fromRecord(record: never): Row;
  keyOf(row: Row): string;
}

/** All columns, names and types. */
export function allColumns({ columns: { key, fixed, changing } }: Pick<StateTableSpec<never>, 'columns'>): Columns {
  return { ...key, ...fixed, ...changing };
}

export function columnsOf(spec: Pick<StateTableSpec<never>, 'columns'>): string[] {
  return Object.keys(allColumns(spec));
}
