/** How a kind of row of the ledger's state stands in its table: columns, COPY fields, and back. */
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
  /** The columns of each group as COPY has them. */
  keyFields(row: Row): string[];
  fixedFields(row: Row): string[];
  changingFields(row: Row): string[];
  /** A record of the table as `connect.ts` parses it. */
  fromRecord(record: never): Row;
  keyOf(row: Row): string;
}

type Columns = Readonly<Record<string, string>>;

export function columnsOf({ columns: { key, fixed, changing } }: Pick<StateTableSpec<never>, 'columns'>): string[] {
  return Object.keys({ ...key, ...fixed, ...changing });
}

/** The fields of a whole row, in the order of `columnsOf`. */
export function fieldsOf<Row>(spec: StateTableSpec<Row>, row: Row): string[] {
  return spec.keyFields(row).concat(spec.fixedFields(row), spec.changingFields(row));
}
