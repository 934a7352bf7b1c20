/**
 * Makes the OpenAPI document one that generators of clients understand: each schema with a `title` becomes the component
 * of this name, and each `oneOf` of components gets the discriminator that tells them apart (docs/client-generators.md).
 */

interface Schema {
  readonly title?: unknown;
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, { readonly enum?: readonly unknown[] }>>;
}

type Components = Record<string, Schema>;

/** Values, in which nothing is a schema. */
const VALUES = ['example', 'examples', 'default', 'enum', 'const'];
const REFERENCE = '#/components/schemas/';

/** Returns the document with named schemas. Throws an Error if two schemas have the same title. */
export function withNamedSchemas<Document extends object>(document: Document): Document {
  const { components, paths, ...rest } = document as { components: { schemas: Components }; paths: object };
  const named: Components = {};

  function register(name: string, schema: Schema): Schema {
    const known = named[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas of the OpenAPI document have the name ${name}`);
    }
    named[name] = schema;
    return { $ref: REFERENCE + name };
  }

  function moved(node: unknown): unknown {
    if (node === null || typeof node !== 'object') return node;
    if (Array.isArray(node)) return node.map(moved);
    const entries = Object.entries(node);
    const copy = Object.fromEntries(
      entries.map(([key, value]) => [key, VALUES.includes(key) ? value : moved(value)]),
    ) as Schema;
    if (typeof copy.title !== 'string') return copy;
    const { title, ...schema } = copy;
    return register(title, schema);
  }

  for (const [name, { title: _, ...schema }] of Object.entries(components.schemas)) {
    register(name, moved(schema) as Schema);
  }
  const newPaths = moved(paths);
  const schemas = Object.fromEntries(
    Object.entries(named).map(([name, schema]) => [name, discriminated(schema, named)]),
  );
  return { ...rest, components: { ...components, schemas }, paths: newPaths } as unknown as Document;
}

/** Adds the discriminator: a property that has a value of its own in each part. */
function discriminated(schema: Schema, components: Components): Schema {
  if (schema.oneOf === undefined) return schema;
  const names = schema.oneOf.map(({ $ref }) => $ref?.slice(REFERENCE.length));
  const parts = names.map((name) => (name === undefined ? undefined : components[name]));
  for (const propertyName of Object.keys(fieldsOf(parts[0], components))) {
    const values = parts.map((part) => fieldsOf(part, components)[propertyName]);
    if (values.includes(undefined) || new Set(values).size < values.length) continue;
    // The mapping says nothing new if each part is named as its value.
    const isImplied = values.every((value, i) => value === names[i]);
    const mapping = Object.fromEntries(values.map((value, i) => [value!, REFERENCE + names[i]!]));
    return { ...schema, discriminator: isImplied ? { propertyName } : { propertyName, mapping } } as Schema;
  }
  return schema;
}

/** Returns the properties that have one possible text, the same in all parts of a `oneOf`. */
function fieldsOf(schema: Schema | undefined, components: Components): Readonly<Record<string, string>> {
  if (schema?.oneOf !== undefined) {
    const parts = schema.oneOf.map(({ $ref = '' }) => fieldsOf(components[$ref.slice(REFERENCE.length)], components));
    const common = Object.entries(parts[0]!).filter(([name, value]) => parts.every((part) => part[name] === value));
    return Object.fromEntries(common);
  }
  const single = Object.entries(schema?.properties ?? {}).flatMap(([name, { enum: values }]) =>
    values?.length === 1 && typeof values[0] === 'string' ? [[name, values[0]] as const] : [],
  );
  return Object.fromEntries(single);
}
