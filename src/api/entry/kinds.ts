/** The kinds of fields that many entries have (docs/api.md#formats). */
import Type, { type TSchema } from 'typebox';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import type { Atoms, Hex } from '../../chain/types.ts';
import { amountJson, stringOrHexJson, utf8Json } from '../../render/common-values.ts';
import {
  ATOMS_TEXT_SCHEMA,
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  DECIMAL_TEXT_SCHEMA,
  HEX_ID_SCHEMA,
  HEX_TEXT_SCHEMA,
  schemaRef,
} from '../../render/schemas/common.ts';
import { csvDay, csvTime } from '../../serving/route/csv.ts';
import { type Entry, type Field, type Getter, type Kind, kind } from './define-entry.ts';

/** An amount of the network's coin. */
export const coins = kind<Atoms>({
  schema: schemaRef('Amount'),
  json: (atoms, { coinDecimals }) => amountJson(atoms, coinDecimals),
  csv: (atoms, { coinDecimals }) => ({ atoms, decimals: coinDecimals }),
});

/** Amounts of a currency with the decimals of the row. `signed`: changes, which may be negative. */
export function amountsIn<Row>(decimals: Getter<Row, number>) {
  const ofRow = kind<readonly [Atoms, number]>({
    schema: schemaRef('Amount'),
    json: ([atoms, places]) => amountJson(atoms, places),
    csv: ([atoms, places]) => ({ atoms, decimals: places }),
  });
  const fieldOf =
    (schema: TSchema) =>
    (of: Getter<Row, Atoms>, description?: string): Field<Row> => ({
      ...kind({ schema })(of, description),
      json: (row, network) => amountJson(of(row, network), decimals(row, network)),
      csv: (row, network) => ({ atoms: of(row, network), decimals: decimals(row, network) }),
    });
  return Object.assign(fieldOf(schemaRef('Amount')), {
    orNull: (of: Getter<Row, Atoms | null>, description?: string): Field<Row> =>
      ofRow.orNull((row, network) => {
        const atoms = of(row, network);
        return atoms === null ? null : [atoms, decimals(row, network)];
      }, description),
    signed: fieldOf(schemaRef('SignedAmount')),
  });
}

export const count = kind<number | bigint>({ schema: COUNT_SCHEMA, csv: Number });

export const flag = kind<boolean>({ schema: Type.Boolean(), csv: String });

/** Seconds since the epoch. */
export const time = kind<number>({ schema: COUNT_SCHEMA, csv: { time_utc: csvTime } });

const day = kind<number>({
  schema: COUNT_SCHEMA,
  json: (number) => `${number * DAY_SECONDS}`,
  csv: { day_utc: (number) => csvDay(number * DAY_SECONDS) },
});

/** A day by its number; in JSON by its first second. */
export const utcDay = <Row>(of: Getter<Row, number>): Field<Row> => day(of, 'Its first second, UTC');

/** Texts of a schema whose pattern or values have nothing that JSON escapes. */
export const plainText = <Text extends string = string>(schema: TSchema): Kind<Text> =>
  kind({ schema, isQuoted: true, csv: (text) => text });

export const hexId = plainText(HEX_ID_SCHEMA);
export const hexText = plainText(HEX_TEXT_SCHEMA);
export const bech32 = plainText(BECH32_SCHEMA);
export const decimal = plainText(DECIMAL_TEXT_SCHEMA);

/** Integers as text. */
export const integerText = kind<number | bigint>({ schema: ATOMS_TEXT_SCHEMA, isQuoted: true, csv: String });

/** One of these texts. */
export const choice = <const Text extends string>(values: readonly Text[]): Kind<Text> =>
  plainText(Type.Enum([...values], { type: 'string' }));

/** Always this text. */
export const literal = <const Text extends string>(text: Text): Field<unknown> =>
  plainText<Text>(Type.Literal(text))(() => text);

/** Any text, escaped. */
export const text = kind<string>({
  schema: Type.String(),
  json: (value) => JSON.stringify(value),
  csv: (value) => value,
});

/** Bytes as UTF-8 text; invalid bytes become replacement characters. */
export const utf8 = kind<Hex>({
  schema: Type.String(),
  json: utf8Json,
  csv: (hex) => Buffer.from(hex, 'hex').toString('utf8'),
});

/** Bytes as hex and as text. */
export const stringOrHex = kind<Hex>({
  schema: schemaRef('StringOrHex'),
  json: stringOrHexJson,
  csv: (hex) => Buffer.from(hex, 'hex').toString('utf8'),
});

/** The block that created a thing. */
export const created = kind<{ readonly height: number; readonly timestamp: number }>({
  schema: schemaRef('Created'),
  json: ({ height, timestamp }) => `{"height":${height},"timestamp":${timestamp}}`,
});

/** Objects of an entry. `component`: the name by which a route has registered it. */
export const nested = <Row>(entry: Entry<Row>, component?: string): Kind<Row> =>
  kind({
    schema: component === undefined ? entry.schema : schemaRef(component),
    json: (row, network) => entry.json(network, row),
  });

/** Arrays of values of a kind. */
export const listOf = <Value>(element: Kind<Value>): Kind<readonly Value[]> =>
  kind({
    schema: Type.Array(element.schema),
    json: (values, network) => `[${values.map((value) => element.text(value, network)).join()}]`,
  });
