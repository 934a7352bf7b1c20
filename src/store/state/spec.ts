/** How a kind of row of the ledger's state stands in its table: columns, COPY fields, and back. */
export interface StateTableSpec<Row> {
  readonly table: string;
  /** Names and types, in the order of the fields; the key comes first. */
  readonly columns: Readonly<Record<string, string>>;
  readonly keyLength: number;
  /** As COPY has them. */
  fields(row: Row): string[];
  /** The first `keyLength` fields. */
  keyFields(row: Row): string[];
  /** A record of the table as `connect.ts` parses it. */
  fromRecord(record: never): Row;
  keyOf(row: Row): string;
}

export function columnsOf(spec: Pick<StateTableSpec<never>, 'columns'>): string[] {
  return Object.keys(spec.columns);
}
