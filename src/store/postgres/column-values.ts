/**
 * Column types, the values they hold, and the forms of a value: what PostgreSQL sends, text in an undo record, element of an
 * array parameter.
 */
import pg from 'pg';

/** The value of a column of each type: a `bytea` is lower-case hex, or bytes when written. */
interface FieldTypes {
  bytea: string | Buffer;
  text: string;
  smallint: number;
  integer: number;
  bigint: number;
  numeric: bigint;
  boolean: boolean;
}

export type ColumnType = keyof FieldTypes;

/** A column's type, and whether it may be null. */
export type ColumnSpec = ColumnType | `${ColumnType} | null`;

/** Names and types. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** The columns of a table: their names, types, and whether they may be null. */
export type TableColumns = Readonly<Record<string, ColumnSpec>>;

/** The type of a value written to a column. */
export type ColumnValueOf<Spec extends ColumnSpec> = Spec extends `${infer Type extends ColumnType} | null`
  ? FieldTypes[Type] | null
  : FieldTypes[Spec & ColumnType];

export type ColumnValue = FieldTypes[ColumnType] | null;

/** A row on its way into a table: a field for every column, by name. */
export type InsertedRow<C extends TableColumns> = { readonly [Name in keyof C]: ColumnValueOf<C[Name]> };

/** A row as {@link POSTGRES_TYPES} parse it: `bytea` as lower-case hex. */
export type ReadRow<C extends TableColumns> = { readonly [Name in keyof C]: Exclude<ColumnValueOf<C[Name]>, Buffer> };

/** Throws for PostgreSQL's other output format, which a pooler could bring back. */
function parseBytea(text: string): string {
  if (!text.startsWith('\\x')) throw new Error('PostgreSQL gave bytes that are not in hex: bytea_output was changed');
  return text.slice(2);
}

/** By PostgreSQL's numbers of the types. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.BYTEA, parseBytea],
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.INT2, Number],
  [pg.types.builtins.INT4, Number],
  [pg.types.builtins.NUMERIC, BigInt],
]);

/**
 * How values of results are parsed: `bytea` as lower-case hex, `bigint` columns (heights, indexes, seconds: all below 2^53) as
 * numbers, `numeric` (amounts, nonces) as `bigint`.
 */
export const POSTGRES_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
};

/** The types of a table's columns, without `| null`. */
export function columnTypesOf(columns: TableColumns): ColumnType[] {
  return Object.values(columns).map((spec) => spec.replace(' | null', '') as ColumnType);
}

/** A field as text: bytes after `\x`, as PostgreSQL shows them. Null, and no other field of ours, is the empty text. */
export function columnValueText(type: ColumnType, field: ColumnValue): string {
  if (field === null) return '';
  if (type === 'bytea') return `\\x${hexOf(field as string | Buffer)}`;
  if (type === 'boolean') return field ? 't' : 'f';
  return `${field}`;
}

function hexOf(bytes: string | Buffer): string {
  return typeof bytes === 'string' ? bytes : bytes.toString('hex');
}

/** The field that `columnValueText` made into a text. */
export function columnValueFromText(type: ColumnType, text: string): ColumnValue {
  if (text === '') return null;
  switch (type) {
    case 'bytea':
      return text.slice('\\x'.length);
    case 'text':
      return text;
    case 'numeric':
      return BigInt(text);
    case 'boolean':
      return text === 't';
    default:
      return Number(text);
  }
}

/** Fields as the text of an array that a statement takes as a parameter. */
export function arrayText(type: ColumnType, fields: Iterable<ColumnValue>): string {
  const elements: string[] = [];
  for (const field of fields) elements.push(field === null ? 'NULL' : element(type, field));
  return `{${elements.join(',')}}`;
}

/** The types of arrays that a statement takes. */
type ArrayType = 'bytea[]' | 'integer[]';

/** What a statement takes for one of `$1`, `$2` and so on: the index of a parameter, and its type. */
export interface StatementArgument {
  readonly index: number;
  readonly type: ColumnType | ArrayType;
}

/** The arguments of a statement as PostgreSQL takes them. */
export function argumentTexts(
  query: { readonly arguments: readonly StatementArgument[] },
  parameters: readonly unknown[],
) {
  return query.arguments.map(({ index, type }) => {
    const value = parameters[index] ?? null;
    if (value === null) return null;
    return type === 'bytea[]' || type === 'integer[]'
      ? arrayText(type === 'bytea[]' ? 'bytea' : 'integer', value as readonly ColumnValue[])
      : columnValueText(type, value as string);
  });
}

function element(type: ColumnType, field: Exclude<ColumnValue, null>): string {
  switch (type) {
    case 'bytea':
      return `"\\\\x${hexOf(field as string | Buffer)}"`;
    case 'text':
      return `"${String(field).replace(/["\\]/g, '\\$&')}"`;
    default:
      return columnValueText(type, field);
  }
}
