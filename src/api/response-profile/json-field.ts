/** Fields whose JSON differs between the response profiles: what writes them, together with the schema of what is written. */
import Type, { type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import type { Json, MoreFields } from '../../render/json.ts';
import type { JsonOf, ValueOf } from '../schemas/json-types.ts';

declare const FIELD: unique symbol;

/** The value of a field that each profile shows in its own way: a presenter can put it nowhere but under its own schema. */
export interface ProfileValue<Name extends string> {
  readonly [FIELD]: Name;
}

/** A JSON value: how it is written, and the schema of what is written. */
export interface JsonField<Name extends string, Inputs extends readonly unknown[]> {
  readonly text: (...inputs: Inputs) => Json<ProfileValue<Name>>;
  readonly schema: TUnsafe<ProfileValue<Name>>;
}

/** The field of a profile: `text` has to write what `schema` describes. */
export function jsonField<Name extends string, Inputs extends readonly unknown[], Schema extends TSchema>(
  schema: Schema,
  text: (...inputs: Inputs) => NoInfer<JsonOf<Schema>>,
): JsonField<Name, Inputs> {
  return {
    schema: Type.Unsafe(schema),
    text: text as (...inputs: Inputs) => string as JsonField<Name, Inputs>['text'],
  };
}

/** Fields at the end of an object that one profile has and the other has not. */
export interface ExtraFields<Inputs extends readonly unknown[]> {
  /** `,"name":value` for each, or nothing. */
  readonly text: (...inputs: Inputs) => string;
  /** For the schema of the object. Whoever spreads them appends `text`: the types do not say which ones they are. */
  readonly properties: Record<never, TSchema>;
}

/** The extra fields of a profile: `text` has to write these properties. */
export function extraFields<Inputs extends readonly unknown[], Properties extends TProperties>(
  properties: Properties,
  text: (...inputs: Inputs) => NoInfer<MoreFields<ValueOf<TObject<Properties>>>>,
): ExtraFields<Inputs> {
  return { properties, text };
}

export const NO_EXTRA_FIELDS: ExtraFields<[]> = { properties: {}, text: () => '' };
