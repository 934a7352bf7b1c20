/** The definition of a state table: its columns, and the conversion of fields to columns and back. */
import type { ColumnSpec, ColumnValue, ColumnValueOf, ReadRow, TableColumns } from '../../postgres/column-values.ts';

export interface StateTableDefinition<Row> {
  readonly table: string;
  readonly columns: {
    readonly key: TableColumns;
    /** Columns that do not change while the row exists. */
    readonly fixed: TableColumns;
    /** Columns that may change while the row exists. */
    readonly changing: TableColumns;
    readonly all: TableColumns;
  };
  /** The fields of groups of columns, in the order above. */
  keyFields(row: Row): ColumnValue[];
  keyAndChangingFields(row: Row): ColumnValue[];
  allFields(row: Row): ColumnValue[];
  /** A record of the table, parsed by `POSTGRES_TYPES`. */
  fromRecord(record: never): Row;
  keyOf(row: Row): string;
}

/** `creation_height` is the column of the field `creationHeight`. */
type FieldName<Column> = Column extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<FieldName<Tail>>}`
  : Column;

/** The type of a value read from a column. */
type ReadField<Spec extends ColumnSpec> = Exclude<ColumnValueOf<Spec>, Buffer>;

/** The columns that hold the row's field of the same name as it is. */
type PlainColumn<Row, C extends TableColumns> = {
  [Name in keyof C]: FieldName<Name> extends infer Field extends keyof Row
    ? [Row[Field], ReadField<C[Name]>] extends [ColumnValueOf<C[Name]>, Row[Field]]
      ? Name
      : never
    : never;
}[keyof C];

/** Functions that encode every other column. */
type Encoders<Row, C extends TableColumns> = {
  readonly [Name in Exclude<keyof C, PlainColumn<Row, C>>]: (row: Row) => ColumnValueOf<C[Name]>;
};

/** Functions that decode every other field of the row from a record of the table. */
type Decoders<Row, C extends TableColumns> = {
  readonly [Name in Exclude<keyof Row, FieldName<PlainColumn<Row, C>>>]: (record: ReadRow<C>) => Row[Name];
};

/** A state table's definition: each of its columns once. */
type Definition<Row, Key, Fixed, Changing, C extends TableColumns> = {
  readonly table: string;
  readonly key: Key;
  /** Columns that do not change while the row exists. */
  readonly fixed: Fixed;
  /** Columns that may change while the row exists. */
  readonly changing: Changing;
  keyOf(row: Row): string;
} & UnlessEmpty<'encoders', Encoders<Row, C>> &
  UnlessEmpty<'decoders', Decoders<Row, C>>;

/** May be left out where nothing is needed. */
type UnlessEmpty<Name extends string, T> = [keyof T] extends [never] ? { [_ in Name]?: T } : { [_ in Name]: T };

/**
 * Defines the table of one kind of row: `defineStateTable<Pool>()({ … })`. A column `pool_id` holds the row's field `poolId`. A
 * column that is no such field needs an encoder, and a field that is no such column a decoder, or it does not compile.
 */
export function defineStateTable<Row extends object>() {
  return <const Key extends TableColumns, const Fixed extends TableColumns, const Changing extends TableColumns>({
    table,
    key,
    fixed,
    changing,
    encoders,
    decoders,
    keyOf,
  }: Definition<Row, Key, Fixed, Changing, Key & Fixed & Changing>): StateTableDefinition<Row> => {
    const all = { ...key, ...fixed, ...changing };
    return {
      table,
      columns: { key, fixed, changing, all },
      keyFields: fieldsOf(key, encoders),
      keyAndChangingFields: fieldsOf({ ...key, ...changing }, encoders),
      allFields: fieldsOf(all, encoders),
      fromRecord: recordReader(all, encoders, decoders),
      keyOf,
    };
  };
}

type Functions<Value, Result> = Readonly<Record<string, (value: Value) => Result>>;

/** Returns a function that reads the fields of these columns. */
function fieldsOf<Row>(columns: TableColumns, encoders: object = {}): (row: Row) => ColumnValue[] {
  const getters = Object.keys(columns).map((column): ((row: Row) => ColumnValue) => {
    const field = fieldName(column) as keyof Row;
    return (encoders as Functions<Row, ColumnValue>)[column] ?? ((row) => row[field] as ColumnValue);
  });
  return (row) => getters.map((get) => get(row));
}

/** Returns a function that makes a row from a record. */
function recordReader<Row>(
  columns: TableColumns,
  encoders: object = {},
  decoders: object = {},
): (record: never) => Row {
  const plain = Object.keys(columns).filter((column) => !(column in encoders));
  const fields = plain.map((column) => [fieldName(column), column] as const);
  const decoded = Object.entries(decoders as Functions<never, unknown>);
  return (record) => {
    const row: Record<string, unknown> = {};
    for (const [field, column] of fields) row[field] = record[column];
    for (const [field, decode] of decoded) row[field] = decode(record);
    return row as Row;
  };
}

/** The field that a column is named after. */
function fieldName(column: string): string {
  return column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

export function columnNames({ columns }: Pick<StateTableDefinition<never>, 'columns'>): string[] {
  return Object.keys(columns.all);
}
