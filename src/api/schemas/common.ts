/** The pieces that all answers are made of (service description, "Common types"; indexing rules, section 5.2). */
import Type, { type TProperties, type TSchema } from 'typebox';

/** An object with these properties and no others: an answer with more is a mistake that the tests shall see. */
export function object(properties: TProperties, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

export function nullable(schema: TSchema) {
  return Type.Union([schema, Type.Null()]);
}

/** A schema that is given by name in the document's components. */
export function named(name: string) {
  return Type.Ref(`${name}#`);
}

export const HexId = Type.String({ pattern: '^[0-9a-f]{64}$', description: '32 bytes as lower-case hex' });
export const HexText = Type.String({ pattern: '^([0-9a-f]{2})*$', description: 'Bytes as lower-case hex' });
export const Bech32 = Type.String({
  pattern: '^[a-z]+1[02-9ac-hj-np-z]+$',
  description: 'Bech32m text; its prefix says the network and the kind',
});
export const AtomsText = Type.String({ pattern: '^(0|[1-9][0-9]*)$', description: 'An integer as text' });
export const Count = Type.Integer({ minimum: 0 });

export const Amount = object(
  {
    atoms: Type.String({ pattern: '^(0|[1-9][0-9]*)$', description: 'Integer count of the smallest unit' }),
    decimal: Type.String({
      pattern: '^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$',
      description: 'The same as a decimal number',
    }),
  },
  { $id: 'Amount' },
);

export const StringOrHex = object(
  { string: nullable(Type.String()), hex: HexText },
  { $id: 'StringOrHex', description: 'Bytes as hex, and as text where they are UTF-8' },
);

export const Timestamp = object({ timestamp: Count }, { $id: 'Timestamp', description: 'Seconds since the epoch' });

export const Currency = Type.Union(
  [object({ type: Type.Literal('Coin') }), object({ type: Type.Literal('Token'), token_id: Bech32 })],
  { $id: 'Currency' },
);

export const Value = Type.Union(
  [
    object({ type: Type.Literal('Coin'), amount: named('Amount') }),
    object({ type: Type.Literal('TokenV1'), token_id: Bech32, amount: named('Amount') }),
    object({ type: Type.Literal('TokenV0') }),
  ],
  { $id: 'Value' },
);

export const Lock = Type.Union(
  [
    object({ type: Type.Literal('UntilHeight'), content: Count }),
    object({ type: Type.Literal('UntilTime'), content: named('Timestamp') }),
    object({ type: Type.Literal('ForBlockCount'), content: Count }),
    object({ type: Type.Literal('ForSeconds'), content: Count }),
  ],
  { $id: 'Lock' },
);

export const Outpoint = object(
  { source_type: Type.Enum(['Transaction', 'BlockReward']), source_id: HexId, index: Count },
  { $id: 'Outpoint' },
);

export const ErrorAnswer = object({ error: Type.String() }, { $id: 'Error', description: 'What went wrong' });
