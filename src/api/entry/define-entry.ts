/**
 * Entries: one list of fields gives the schema of an object, its JSON and its columns in exports. The fields are in the order
 * of the JSON. Each is made by a kind (`kinds.ts`), of a function that returns its value of a row.
 *
 * Some objects are no entries. Transactions and outputs are stored as text, into which the fields that depend on block, tip and
 * profile are inserted. The exported statement has rows of two kinds in one table. The events of the stream have a writer of
 * their own (`src/api/stream/event-frames.ts`).
 */
import Type, { type TObject, type TSchema } from 'typebox';
import type { Network } from '../../chain/networks/network.ts';
import { nullable, strictObject } from '../../render/schemas/common.ts';
import type { CsvField, CsvTable } from '../../serving/route/csv.ts';

export type Getter<Row, Value> = (row: Row, network: Network) => Value;

/** The columns of a field by their names; one function: a column with the name of the field. */
type Columns<Row> = Getter<Row, CsvField> | Readonly<Record<string, Getter<Row, CsvField>>>;

/** What is JSON as it is: JSON text, a number, a boolean. */
type Plain = string | number | bigint | boolean;

/** A field of an entry. */
export interface Field<Row> {
  readonly schema: TSchema;
  /** Returns its value as JSON; without quotation marks if `isQuoted`; undefined for an optional field that is absent. */
  readonly json: Getter<Row, Plain | undefined>;
  readonly isQuoted?: boolean;
  readonly isOptional?: boolean;
  /** By default exports have no column for it. */
  readonly csv?: Columns<Row>;
}

export type Fields<Row> = Readonly<Record<string, Field<Row>>>;

export interface Entry<Row> {
  readonly fields: Fields<Row>;
  readonly schema: TObject;
  readonly json: (network: Network, row: Row) => string;
  /** The same in pieces, a field each: JSON that may be too long for one text. No field is optional. */
  readonly pieces: (network: Network, row: Row) => string[];
  /** Returns the columns of exports. */
  readonly csv: (network: Network) => CsvTable<Row>;
}

interface EntryOptions {
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  /** The columns of exports, if they are not those of the fields in their order. */
  readonly columns?: readonly string[];
}

/** Makes an entry of its fields. The first one is not optional. */
export function defineEntry<Row>(fields: Fields<Row>, { columns, ...options }: EntryOptions = {}): Entry<Row> {
  const write = fieldsWriter(fields, '{', '}');
  return {
    fields,
    schema: strictObject(schemasOf(fields), options),
    json: (network, row) => write(row, network),
    pieces: (network, row) => [
      ...Object.entries(fields).map(([name, { json, isQuoted }], i) => {
        const quote = isQuoted ? '"' : '';
        return `${i === 0 ? '{' : ','}"${name}":${quote}${json(row, network)}${quote}`;
      }),
      '}',
    ],
    csv: (network) => csvTable(network, fields, columns),
  };
}

function schemasOf(fields: Fields<never>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
}

/** Fields that are appended to an object whose JSON is a text already. */
export interface AppendedFields<Row> {
  /** For the schema of the object. */
  readonly properties: Record<string, TSchema>;
  /** Writes each as `,"name":value`. */
  readonly text: Getter<Row, string>;
}

export function appendedFields<Row>(fields: Fields<Row>): AppendedFields<Row> {
  return { properties: schemasOf(fields), text: fieldsWriter(fields, ',', '') };
}

function fieldsWriter<Row>(fields: Fields<Row>, begin: string, end: string): Getter<Row, string> {
  // Before each value stand the end of the value before it, the name, and the beginning of this value.
  const heads: string[] = [];
  const values: Getter<Row, Plain>[] = [];
  let last = '';
  for (const [name, { json, isQuoted, isOptional }] of Object.entries(fields)) {
    const head = `${heads.length === 0 ? begin : ','}"${name}":`;
    const quote = isQuoted === true ? '"' : '';
    heads.push(isOptional === true ? last : `${last}${head}${quote}`);
    values.push(isOptional === true ? optionalValue(head, json) : (json as Getter<Row, Plain>));
    last = quote;
  }
  return concatenation(heads, values, last + end);
}

function optionalValue<Row>(head: string, json: Getter<Row, Plain | undefined>): Getter<Row, string> {
  return (row, network) => {
    const value = json(row, network);
    return value === undefined ? '' : `${head}${value}`;
  };
}

/** Writes up to four fields in an expression, and the others behind them. A loop over all fields takes a quarter longer. */
function concatenation<Row>(
  [h0, h1, h2, h3, ...heads]: readonly string[],
  [v0, v1, v2, v3, ...values]: readonly Getter<Row, Plain>[],
  end: string,
): Getter<Row, string> {
  if (v0 === undefined) return () => end;
  if (v1 === undefined) return (row, network) => h0! + v0(row, network) + end;
  if (v2 === undefined) return (row, network) => h0! + v0(row, network) + h1! + v1(row, network) + end;
  if (v3 === undefined) {
    return (row, network) => h0! + v0(row, network) + h1! + v1(row, network) + h2! + v2(row, network) + end;
  }
  const others = concatenation(heads, values, end);
  return (row, network) =>
    h0! +
    v0(row, network) +
    h1! +
    v1(row, network) +
    h2! +
    v2(row, network) +
    h3! +
    v3(row, network) +
    others(row, network);
}

function csvTable<Row>(network: Network, fields: Fields<Row>, order?: readonly string[]): CsvTable<Row> {
  const getters = new Map(
    Object.entries(fields).flatMap(([name, { csv = {} }]) =>
      typeof csv === 'function' ? [[name, csv] as const] : Object.entries(csv),
    ),
  );
  const columns = order ?? [...getters.keys()];
  const values = columns.map((name) => getters.get(name)!);
  return { columns, fields: (row) => values.map((value) => value(row, network)) };
}

/** The columns of values that are fields of CSV as they are. */
export const AS_IT_IS = <Value extends CsvField>(value: Value): Value => value;

/** What the fields of a kind have in common. */
interface KindOptions<Value> {
  readonly schema: TSchema;
  /** Writes JSON; by default values are JSON as they are. */
  readonly json?: Getter<Value, Plain>;
  /** Are the results of `json`, or the values, texts in which JSON escapes nothing, without quotation marks? */
  readonly isQuoted?: boolean;
  readonly csv?: Columns<Value>;
}

/** Makes fields of a kind. `of`: returns the value of a row. */
export interface Kind<Value> {
  <Row>(of: Getter<Row, Value>, description?: string): Field<Row>;
  /** The value may be null. */
  readonly orNull: <Row>(of: Getter<Row, Value | null>, description?: string) => Field<Row>;
  /** The field is absent where the value is undefined. */
  readonly optional: <Row>(of: Getter<Row, Value | undefined>, description?: string) => Field<Row>;
  readonly schema: TSchema;
  /** Writes a value as JSON text. */
  readonly text: Getter<Value, string>;
}

export function kind<Value>({ schema, json, isQuoted = false, csv = {} }: KindOptions<Value>): Kind<Value> {
  const plain = json ?? ((value: Value) => value as Plain);
  const text: Getter<Value, string> = isQuoted
    ? (value, network) => `"${plain(value, network)}"`
    : (value, network) => `${plain(value, network)}`;
  const columns = <Row>(of: Getter<Row, unknown>, on: (value: Getter<Value, CsvField>) => Getter<Row, CsvField>) =>
    csv === AS_IT_IS ? (of as Getter<Row, CsvField>) : columnsOf(csv, on);
  const make = <Row>(of: Getter<Row, Value>, description?: string): Field<Row> => ({
    schema: described(schema, description),
    json: json === undefined ? (of as Getter<Row, Plain & Value>) : (row, network) => json(of(row, network), network),
    isQuoted,
    csv: columns(of, (value) => (row, network) => value(of(row, network), network)),
  });
  const orNull = <Row>(of: Getter<Row, Value | null>, description?: string): Field<Row> => ({
    schema: described(nullable(schema), description),
    json: (row, network) => {
      const value = of(row, network);
      return value === null ? 'null' : text(value, network);
    },
    csv: columns(of, (value) => (row, network) => {
      const given = of(row, network);
      return given === null ? null : value(given, network);
    }),
  });
  const optional = <Row>(of: Getter<Row, Value | undefined>, description?: string): Field<Row> => ({
    schema: Type.Optional(described(schema, description)),
    json: (row, network) => {
      const value = of(row, network);
      return value === undefined ? undefined : text(value, network);
    },
    isOptional: true,
  });
  return Object.assign(make, { orNull, optional, schema, text });
}

function columnsOf<Value, Row>(
  csv: Columns<Value>,
  on: (value: Getter<Value, CsvField>) => Getter<Row, CsvField>,
): Columns<Row> {
  if (typeof csv === 'function') return on(csv);
  return Object.fromEntries(Object.entries(csv).map(([name, value]) => [name, on(value)]));
}

/** The OpenAPI document would lose a description beside `$ref`. */
function described(schema: TSchema, description?: string): TSchema {
  if (description === undefined) return schema;
  return '$ref' in schema ? Type.Intersect([schema], { description }) : { ...schema, description };
}
