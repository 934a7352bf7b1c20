/** Fields whose JSON differs between the response profiles: how each profile writes them, and the schema of what it writes. */
import Type, { type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import type { JsonTextOf, ValueOf } from '../../render/schemas/schema-types.ts';
import type { Json, MoreFields } from '../../render/typed-json.ts';

declare const FIELD: unique symbol;

/** The value of a field that each profile writes in its own way. The name keeps a presenter from using it for another field. */
export interface FieldByProfile<Name extends string> {
  readonly [FIELD]: Name;
}

/** A JSON value: `text` writes it, `schema` describes what is written. */
export interface JsonField<Name extends string, Inputs extends readonly unknown[]> {
  readonly text: (...inputs: Inputs) => Json<FieldByProfile<Name>>;
  readonly schema: TUnsafe<FieldByProfile<Name>>;
}

/** A field of a profile. It does not compile unless `text` writes what `schema` describes. */
export function jsonField<Name extends string, Inputs extends readonly unknown[], Schema extends TSchema>(
  schema: Schema,
  text: (...inputs: Inputs) => NoInfer<JsonTextOf<Schema>>,
): JsonField<Name, Inputs> {
  return {
    schema: Type.Unsafe(schema),
    text: text as (...inputs: Inputs) => string as JsonField<Name, Inputs>['text'],
  };
}

/** Fields at the end of an object that only one of the profiles has. */
export interface ExtraFields<Inputs extends readonly unknown[]> {
  /** `,"name":value` for each, or nothing. */
  readonly text: (...inputs: Inputs) => string;
  /** For the schema of the object. The types hide which ones they are: what spreads them has to append `text`. */
  readonly properties: Record<never, TSchema>;
}

/** The extra fields of a profile. They do not compile unless `text` writes these properties. */
export function extraFields<Inputs extends readonly unknown[], Properties extends TProperties>(
  properties: Properties,
  text: (...inputs: Inputs) => NoInfer<MoreFields<ValueOf<TObject<Properties>>>>,
): ExtraFields<Inputs> {
  return { properties, text };
}

export const NO_EXTRA_FIELDS: ExtraFields<[]> = { properties: {}, text: () => '' };
