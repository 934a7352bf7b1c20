/**
 * JSON text that knows the type of the value it stands for. A presenter names the fields of an object one a line; a field too
 * many, too few or of another type does not compile. The text is written directly: no value is built to be serialized.
 */

declare const VALUE: unique symbol;

/** JSON text of a value of the type `Value`; to everybody else an ordinary string. */
export type Json<Value> = string & { readonly [VALUE]: Value };

/** The JSON text of each field of an object but `Others`. An optional field may be undefined, and is left out then. */
export type Fields<Value, Others extends PropertyKey = never> = {
  readonly [Name in keyof Value as Exclude<Name, Others>]: Pick<Value, never> extends Pick<Value, Name>
    ? Json<Exclude<Value[Name], undefined>> | undefined
    : Json<Value[Name]>;
};

/** Further fields of an object, each as `,"name":value`: see {@link objectJson} and {@link withFields}. */
export type MoreFields<Value> = string & { readonly [VALUE]: readonly ['fields', Value] };

/**
 * An object with these fields in the order in which they are written down, and then with `more`. The type is that of the
 * function's result, or is named: `objectJson<Pool>({ … })`; it is not inferred from the fields, which are checked against it.
 */
// `for … in` reads the fields of any literal quickly; it costs 0.1 µs more for 7 fields than a template with all of them.
export function objectJson<Value>(fields: Fields<NoInfer<Value>>, more: string = ''): Json<Value> {
  const texts = fields as Readonly<Record<string, string | undefined>>;
  let text = '';
  for (const name in texts) {
    const value = texts[name];
    if (value !== undefined) text += `${(text === '' ? '{"' : ',"') + name}":${value}`;
  }
  return (text === '' ? `{${more.slice(1)}}` : `${text}${more}}`) as Json<Value>;
}

/** The name of a field of any of the types in a union. */
type NameIn<Value> = Value extends unknown ? keyof Value : never;

/** An object with further fields behind its own. The type is that of the result, as it is of {@link objectJson}. */
export function withFields<Value extends Own, Own>(
  object: Json<Own>,
  fields: Fields<NoInfer<Value>, NameIn<Own>>,
  more: string = '',
): Json<Value> {
  return `${object.slice(0, -1)}${fieldTexts(fields)}${more}}` as Json<Value>;
}

/** Fields for the end of an object. */
export function moreFields<Value>(fields: Fields<NoInfer<Value>>): MoreFields<Value> {
  return fieldTexts(fields) as MoreFields<Value>;
}

function fieldTexts(fields: object): string {
  const texts = fields as Readonly<Record<string, string | undefined>>;
  let text = '';
  for (const name in texts) {
    const value = texts[name];
    if (value !== undefined) text += `,"${name}":${value}`;
  }
  return text;
}

export function arrayJson<Value>(elements: readonly Json<Value>[]): Json<Value[]> {
  return `[${elements.join(',')}]` as Json<Value[]>;
}

/** Text without anything that JSON escapes: ids, addresses, digits, names of ours. */
export function plainJson<const Text extends string>(text: Text): Json<Text> {
  return `"${text}"` as Json<Text>;
}

/** Any text. */
export function textJson(text: string): Json<string> {
  return JSON.stringify(text) as Json<string>;
}

/** An integer. */
export function numberJson(value: number | bigint): Json<number> {
  return `${value}` as Json<number>;
}

export function booleanJson(value: boolean): Json<boolean> {
  return `${value}` as Json<boolean>;
}

export const NULL_JSON = 'null' as Json<null>;

/** `null`, or what `write` makes of a value that is there. */
export function nullableJson<Value, Written>(
  value: Value | null,
  write: (value: Value) => Json<Written>,
): Json<Written | null> {
  return value === null ? NULL_JSON : write(value);
}

/**
 * Text that is JSON of this type, which the compiler cannot see: for the few objects of which a bulk sync makes the most, whose
 * fields stand one a line in a text because {@link objectJson} takes a third longer.
 */
export function writtenJson<Value>(text: string): Json<Value> {
  return text as Json<Value>;
}

/** Text that was written as JSON of this type before, and comes from the database. */
export function storedJson<Value>(text: string): Json<Value> {
  return text as Json<Value>;
}
