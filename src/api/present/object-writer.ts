/** Writes JSON objects by their schema, as fast as a template written by hand. */
import type { TBoolean, TInteger, TObject, TOptional, TProperties, TSchema } from 'typebox';
import type { Json } from '../../render/compose-json.ts';
import { CREATION_BLOCK_SCHEMA, type PatternString } from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';

/**
 * The argument for a property: a plain string if its schema has a pattern; numbers and booleans as they are; anything else
 * as JSON.
 */
type FieldValue<Schema> =
  Schema extends TOptional<TSchema>
    ? never
    : Schema extends PatternString
      ? string
      : Schema extends TInteger
        ? number | bigint
        : Schema extends TBoolean
          ? boolean
          : Json<ValueOf<Schema>>;

type FieldValues<Properties> = { readonly [Name in keyof Properties]: FieldValue<Properties[Name]> };

/** Returns the JSON of an object, with its fields in the order of the literal. */
type ObjectWriter<Properties extends TProperties> = (
  fields: FieldValues<Properties>,
) => JsonTextOf<TObject<Properties>>;

/**
 * Returns a function that writes objects of a schema. A missing field, an extra field or a wrong type does not compile.
 * The schema has at least one property, and none may be optional: `objectJson` of `src/render/compose-json.ts` is for
 * those.
 */
// Nearly all objects of a writer come from one literal. What stands between the values is made once for its order of fields;
// a field then costs two concatenations, as it does in a template.
export function objectWriter<Properties extends TProperties>({
  properties,
}: TObject<Properties>): ObjectWriter<Properties> {
  let names: readonly string[] = [];
  /** The text before each value: the end of the value before it, the name, and the beginning of this value. */
  let heads: readonly string[] = [];
  let end = '';

  const quoteOf = (name: string | undefined) => (name !== undefined && isPlainString(properties[name]!) ? '"' : '');
  function learnOrder(fields: object): void {
    names = Object.keys(fields);
    heads = names.map((name, i) => `${quoteOf(names[i - 1])}${i === 0 ? '{' : ','}"${name}":${quoteOf(name)}`);
    end = quoteOf(names.at(-1));
  }

  function write(fields: Readonly<Record<string, unknown>>): string {
    let text = '';
    let i = 0;
    for (const name in fields) {
      if (names[i] !== name) return writeAnew(fields);
      text += heads[i++]! + fields[name];
    }
    return i === names.length ? `${text}${end}}` : writeAnew(fields);
  }

  function writeAnew(fields: Readonly<Record<string, unknown>>): string {
    learnOrder(fields);
    return write(fields);
  }
  return write as ObjectWriter<Properties>;
}

function isPlainString(schema: TSchema): boolean {
  return 'type' in schema && schema.type === 'string' && 'pattern' in schema;
}

/** `timestamp`: in seconds since the epoch. */
export const createdJson = objectWriter(CREATION_BLOCK_SCHEMA);
