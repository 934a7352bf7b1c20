/** How a kind of row of the ledger's state is stored: its columns, the fields that go into them, and back. */
import type { ColumnSpec, Field, FieldOf, RecordOf, TableColumns } from '../../postgres/column-types.ts';

export interface StateTableSpec<Row> {
  readonly table: string;
  readonly columns: {
    readonly key: TableColumns;
    /** What stays as it is while the row exists. */
    readonly fixed: TableColumns;
    /** What may change while the row exists. */
    readonly changing: TableColumns;
  };
  /** The fields of each group, in the order of its columns. */
  keyFields(row: Row): Field[];
  fixedFields(row: Row): Field[];
  changingFields(row: Row): Field[];
  /** A record of the table as `connect.ts` parses it. */
  fromRecord(record: never): Row;
  keyOf(row: Row): string;
}

/** A column: what it holds, and where a row has that. */
type StateColumn<Row> = { [Spec in ColumnSpec]: readonly [Spec, (row: Row) => FieldOf<Spec>] }[ColumnSpec];
type StateColumns<Row> = Readonly<Record<string, StateColumn<Row>>>;
/** The types of columns, by name. */
type SpecsOf<C extends StateColumns<never>> = { readonly [Name in keyof C]: C[Name][0] };

/** A table's definition: each column once, with its name, its type and its field. */
interface Definition<Row, Key, Fixed, Changing, Record> {
  readonly table: string;
  readonly key: Key;
  /** What stays as it is while the row exists. */
  readonly fixed: Fixed;
  /** What may change while the row exists. */
  readonly changing: Changing;
  fromRecord(record: Record): Row;
  keyOf(row: Row): string;
}

/**
 * Defines the table of one kind of row: `stateTable<Pool>()({ … })`. Its columns make the record that `fromRecord` gets,
 * so one that is forgotten, or of another type, does not compile.
 */
export function stateTable<Row>() {
  return <
    const Key extends StateColumns<Row>,
    const Fixed extends StateColumns<Row>,
    const Changing extends StateColumns<Row>,
  >(
    definition: Definition<Row, Key, Fixed, Changing, RecordOf<SpecsOf<Key> & SpecsOf<Fixed> & SpecsOf<Changing>>>,
  ): StateTableSpec<Row> => {
    const { table, key, fixed, changing, fromRecord, keyOf } = definition;
    return {
      table,
      columns: { key: specsOf(key), fixed: specsOf(fixed), changing: specsOf(changing) },
      keyFields: fieldsOf(key),
      fixedFields: fieldsOf(fixed),
      changingFields: fieldsOf(changing),
      fromRecord,
      keyOf,
    };
  };
}

function specsOf<Row>(columns: StateColumns<Row>): TableColumns {
  return Object.fromEntries(Object.entries(columns).map(([name, [spec]]) => [name, spec]));
}

function fieldsOf<Row>(columns: StateColumns<Row>): (row: Row) => Field[] {
  const getters = Object.values(columns).map(([, get]) => get as (row: Row) => Field);
  return (row) => getters.map((get) => get(row));
}

/** All columns, names and types. */
export function allColumns({
  columns: { key, fixed, changing },
}: Pick<StateTableSpec<never>, 'columns'>): TableColumns {
  return { ...key, ...fixed, ...changing };
}

export function columnsOf(spec: Pick<StateTableSpec<never>, 'columns'>): string[] {
  return Object.keys(allColumns(spec));
}
