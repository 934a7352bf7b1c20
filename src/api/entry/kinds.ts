/** The kinds of fields that many entries have (docs/api.md#formats). */

import Type, { type TSchema } from 'typebox';
import { destinationAddress, tokenAddress } from '../../chain/address.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import { type BlockTarget, DIFFICULTY_DECIMALS } from '../../chain/compact-target.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import { utf8OfHex } from '../../chain/scale/hex.ts';
import type { Atoms, Destination, Hex, Id } from '../../chain/types.ts';
import { amountJson, stringOrHexJson, utf8Json } from '../../render/common-values.ts';
import {
  ATOMS_TEXT_SCHEMA,
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  DECIMAL_TEXT_SCHEMA,
  HEX_ID_SCHEMA,
  HEX_TEXT_SCHEMA,
  patternString,
  schemaRef,
} from '../../render/schemas/common.ts';
import { tickerIsUnique } from '../../render/unique-ticker.ts';
import { csvDay, csvTime } from '../../serving/route/csv.ts';
import { AS_IT_IS, type Entry, type Field, type Fields, type Getter, type Kind, kind } from './define-entry.ts';

/** An amount of the network's coin. */
export const coins = kind<Atoms>({
  schema: schemaRef('Amount'),
  json: (atoms, { coinDecimals }) => amountJson(atoms, coinDecimals),
  csv: (atoms, { coinDecimals }) => ({ atoms, decimals: coinDecimals }),
});

/** Amounts of a currency with the decimals of the row. `signed`: changes, which may be negative. */
export function amountsIn<Base>(decimals: Getter<Base, number>) {
  const fieldsOf =
    (name: string) =>
    <Row extends Base>(of: Getter<Row, Atoms>, description?: string): Field<Row> => ({
      ...kind({ schema: schemaRef(name) })(() => null, description),
      json: (row, network) => amountJson(of(row, network), decimals(row, network)),
      csv: (row, network) => ({ atoms: of(row, network), decimals: decimals(row, network) }),
    });
  const orNull = <Row extends Base>(of: Getter<Row, Atoms | null>, description?: string): Field<Row> =>
    anyAmount.orNull((row: Row, network) => {
      const atoms = of(row, network);
      return atoms === null ? null : { atoms, decimals: decimals(row, network) };
    }, description);
  return Object.assign(fieldsOf('Amount'), { orNull, signed: fieldsOf('SignedAmount') });
}

const anyAmount = kind<{ readonly atoms: Atoms; readonly decimals: number }>({
  schema: schemaRef('Amount'),
  json: ({ atoms, decimals }) => amountJson(atoms, decimals),
  csv: (amount) => amount,
});

export const count = kind<number | bigint>({ schema: COUNT_SCHEMA, csv: AS_IT_IS });

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
export const unescapedText = <Text extends string = string>(schema: TSchema): Kind<Text> =>
  kind({ schema, isQuoted: true, csv: AS_IT_IS });

export const hexId = unescapedText(HEX_ID_SCHEMA);
export const hexText = unescapedText(HEX_TEXT_SCHEMA);
export const bech32 = unescapedText(BECH32_SCHEMA);
export const decimal = unescapedText(DECIMAL_TEXT_SCHEMA);

/** An address. */
export const destination = kind<Destination>({
  schema: BECH32_SCHEMA,
  json: (value, network) => destinationAddress(network, value),
  isQuoted: true,
  csv: (value, network) => destinationAddress(network, value),
});

/** The id of a token or an NFT. */
export const token = kind<Id>({
  schema: BECH32_SCHEMA,
  json: (id, network) => tokenAddress(network, id),
  isQuoted: true,
  csv: (id, network) => tokenAddress(network, id),
});

/** Integers as text. */
export const integerText = kind<number | bigint>({ schema: ATOMS_TEXT_SCHEMA, isQuoted: true, csv: String });

/** One of these texts. */
export const choice = <const Text extends string>(values: readonly Text[]): Kind<Text> =>
  unescapedText(Type.Enum([...values], { type: 'string' }));

/** Always this text. */
export const literal = <const Text extends string>(text: Text): Field<unknown> =>
  unescapedText<Text>(Type.Literal(text))(() => text);

/** Any text, escaped. */
export const text = kind<string>({
  schema: Type.String(),
  json: (value) => JSON.stringify(value),
  csv: AS_IT_IS,
});

/** Bytes as UTF-8 text; invalid bytes become replacement characters. */
export const utf8 = kind<Hex>({
  schema: Type.String(),
  json: utf8Json,
  csv: utf8OfHex,
});

/** Bytes as hex and as text. */
export const stringOrHex = kind<Hex>({
  schema: schemaRef('StringOrHex'),
  json: stringOrHexJson,
  csv: utf8OfHex,
});

interface CreatedRow {
  readonly creation_height: number;
  readonly creation_timestamp: number;
}

/** The block that created the thing of a row. */
export const CREATED: Field<CreatedRow> = kind<CreatedRow>({
  schema: schemaRef('Created'),
  json: ({ creation_height, creation_timestamp }) => `{"height":${creation_height},"timestamp":${creation_timestamp}}`,
})((row) => row);

/** The target of a block; null without consensus data. */
export const BLOCK_TARGET_FIELDS: Fields<{ readonly target: BlockTarget | null }> = {
  target: unescapedText(patternString({ pattern: '^0x[0-9a-f]{64}$' })).orNull(
    ({ target }) => target?.target ?? null,
    'Of its consensus; null without consensus data',
  ),
  difficulty: kind<bigint>({
    schema: DECIMAL_TEXT_SCHEMA,
    json: (difficulty) => decimalText(difficulty, DIFFICULTY_DECIMALS),
    isQuoted: true,
  }).orNull(
    ({ target }) => target?.difficulty ?? null,
    'How many times as small as the initial target it is, rounded down to six decimals',
  ),
};

/** Does a ticker tell the token from all others? */
export const TICKER_IS_UNIQUE = flag(
  (token: Parameters<typeof tickerIsUnique>[1], network) => tickerIsUnique(network, token),
  'false if another fungible token has this ticker, in any case, or the coin has it',
);

interface Share {
  readonly amount: Atoms;
  readonly circulatingSupply: Atoms;
}

/** The part of a holder. */
export const SHARE_PER_MILLION = count(
  ({ amount, circulatingSupply }: Share) => (circulatingSupply === 0n ? 0n : (amount * 1_000_000n) / circulatingSupply),
  '`amount` as a part of the circulating supply, rounded down',
);

/** Values that are JSON text already, mostly from the store. */
export const stored = (schema: TSchema): Kind<string> => kind({ schema });

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
