/** The basic schemas of all responses (docs/api.md#formats). */
import Type, {
  type TNull,
  type TObject,
  type TProperties,
  type TRef,
  type TSchema,
  type TSchemaOptions,
  type TString,
  type TStringOptions,
  type TUnion,
} from 'typebox';
import type { OutputValue, TimeLock } from '../../chain/types.ts';

/**
 * An object with these properties and no others: tests check every response by its schema, and find an extra property.
 */
export function strictObject<Properties extends TProperties>(
  properties: Properties,
  options: object = {},
): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** The same object with more properties. */
export function extendedObject(object: TSchema, properties: TProperties): TObject {
  return strictObject({ ...(object as TObject).properties, ...properties });
}

/**
 * One of several schemas that exclude each other. Generators of clients need `oneOf`, and names for the parts: an object
 * with a `title` becomes the component of this name, see `src/api/openapi/named-schemas.ts`.
 */
export function oneOf<Parts extends TSchema[]>(parts: [...Parts], options: TSchemaOptions = {}): TUnion<Parts> {
  return { oneOf: parts, ...options } as unknown as TUnion<Parts>;
}

/** Null is the part of an `anyOf`: the form that all generators of clients know. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** A reference to a schema that is registered by name: a component of the OpenAPI document. */
export function schemaRef<Name extends string>(name: Name): TRef<`${Name}#`> {
  return Type.Ref(`${name}#`);
}

/** A string with a pattern; the pattern allows no characters that JSON escapes. */
interface PatternString extends TString {
  readonly pattern: string;
}

export function patternString(options: TStringOptions & { readonly pattern: string }): PatternString {
  return Type.String(options) as PatternString;
}

export const HEX_ID_SCHEMA = patternString({
  pattern: '^[0-9a-f]{64}$',
  description: '32 bytes as lower-case hex',
  examples: ['693bb8377f4b9b23c6bbce0b69ea472e40a3c32d5464240ee00e83041d6066a2'],
});
export const HEX_TEXT_SCHEMA = patternString({
  pattern: '^([0-9a-f]{2})*$',
  description: 'Bytes as lower-case hex',
  examples: ['697066733a2f2f6d65'],
});
export const BECH32_SCHEMA = patternString({
  pattern: '^[a-z]+1[02-9ac-hj-np-z]+$',
  description: 'Bech32m text; its prefix says the network and the kind',
  examples: ['mtc1q95nhwph0a9ekg7xh08qk602guhypg7r95l7erhx'],
});
export const ATOMS_TEXT_SCHEMA = patternString({
  pattern: '^(0|[1-9][0-9]*)$',
  description: 'An integer as text',
  examples: ['1050000000000'],
});
/** A decimal number without zeros at its end. */
export const DECIMAL_PATTERN = '^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$';
export const SIGNED_DECIMAL_PATTERN = '^-?(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$';
export const DECIMAL_TEXT_SCHEMA = patternString({
  pattern: DECIMAL_PATTERN,
  description: 'A decimal number as text',
  examples: ['0.05'],
});
/** An integer from 0 on, at most 2^63 - 1: without a format, generators of clients take 32 bits. */
export const unsignedInteger = (
  options: TSchemaOptions & { readonly maximum?: number; readonly default?: number } = {},
) => Type.Integer({ minimum: 0, format: 'int64', ...options });
export const COUNT_SCHEMA = unsignedInteger();

/** The stored text `block_reference` of a row. */
export const BLOCK_REFERENCE = { block_id: HEX_ID_SCHEMA, height: COUNT_SCHEMA, timestamp: COUNT_SCHEMA };

export const AMOUNT_SCHEMA = strictObject(
  {
    atoms: Type.String({ pattern: '^(0|[1-9][0-9]*)$', description: 'Integer count of the smallest unit' }),
    decimal: Type.String({ pattern: DECIMAL_PATTERN, description: 'The same as a decimal number' }),
  },
  { examples: [{ atoms: '1050000000000', decimal: '10.5' }] },
);

/** A change of an amount, with a minus in both fields if it is negative. */
export const SIGNED_AMOUNT_SCHEMA = strictObject(
  {
    atoms: Type.String({ pattern: '^(0|-?[1-9][0-9]*)$', description: 'Integer count of the smallest unit' }),
    decimal: Type.String({ pattern: SIGNED_DECIMAL_PATTERN, description: 'The same as a decimal number' }),
  },
  { examples: [{ atoms: '-1050000000000', decimal: '-10.5' }] },
);

export const STRING_OR_HEX_SCHEMA = strictObject(
  { string: nullable(Type.String()), hex: HEX_TEXT_SCHEMA },
  {
    description: 'Bytes as hex, and as text where they are UTF-8',
    examples: [{ string: 'ipfs://me', hex: '697066733a2f2f6d65' }],
  },
);

export const TIMESTAMP_SCHEMA = strictObject(
  { timestamp: COUNT_SCHEMA },
  { description: 'Seconds since the epoch', examples: [{ timestamp: 1_700_000_000 }] },
);

export const COIN_SCHEMA = strictObject({ type: Type.Literal('Coin') }, { title: 'CurrencyCoin' });

export const CURRENCY_SCHEMA = oneOf(
  [COIN_SCHEMA, strictObject({ type: Type.Literal('Token'), token_id: BECH32_SCHEMA }, { title: 'CurrencyToken' })],
  { description: 'What an order asks or gives' },
);

export const VALUES = {
  Coin: strictObject({ type: Type.Literal('Coin'), amount: schemaRef('Amount') }, { title: 'ValueCoin' }),
  TokenV1: strictObject(
    { type: Type.Literal('TokenV1'), token_id: BECH32_SCHEMA, amount: schemaRef('Amount') },
    { title: 'ValueTokenV1' },
  ),
  TokenV0: strictObject(
    { type: Type.Literal('TokenV0') },
    { title: 'ValueTokenV0', description: 'Of the time before today’s tokens' },
  ),
} satisfies Record<OutputValue['type'], TSchema>;

export const VALUE_SCHEMA = oneOf(Object.values(VALUES), { description: 'What an output is worth' });

const LOCKS = {
  UntilHeight: strictObject({ type: Type.Literal('UntilHeight'), content: COUNT_SCHEMA }, { title: 'LockUntilHeight' }),
  UntilTime: strictObject(
    { type: Type.Literal('UntilTime'), content: schemaRef('UnixTime') },
    { title: 'LockUntilTime' },
  ),
  ForBlockCount: strictObject(
    { type: Type.Literal('ForBlockCount'), content: COUNT_SCHEMA },
    { title: 'LockForBlockCount' },
  ),
  ForSeconds: strictObject({ type: Type.Literal('ForSeconds'), content: COUNT_SCHEMA }, { title: 'LockForSeconds' }),
} satisfies Record<TimeLock['type'], TSchema>;

export const LOCK_SCHEMA = oneOf(Object.values(LOCKS), {
  description: 'How long an output cannot be spent',
});

export const OUTPOINT_SCHEMA = strictObject(
  {
    source_type: Type.Enum(['Transaction', 'BlockReward'], { type: 'string' }),
    source_id: HEX_ID_SCHEMA,
    index: COUNT_SCHEMA,
  },
  { description: 'Names an output: the transaction or block that has it, and its position there' },
);

export const CREATION_BLOCK_SCHEMA = strictObject(
  { height: COUNT_SCHEMA, timestamp: { ...COUNT_SCHEMA, description: 'Seconds since the epoch' } },
  { description: 'The block that created it' },
);

export const ERROR_BODY_SCHEMA = strictObject(
  { error: Type.String() },
  { description: 'What went wrong', examples: [{ error: 'Transaction not found' }] },
);
