/** What generators of clients stumble over, though OpenAPI 3.1 allows it: docs/client-generators.md. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fileScope } from '../support/file-scope.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { sharedStack } from '../support/whole-stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: any part of the document
type Json = any;

const FORMATS = ['int32', 'int64', 'double'];
const REFERENCE = '#/components/schemas/';
/** Values, in which nothing is a schema. */
const VALUES = ['example', 'examples', 'default', 'enum', 'const', 'mapping'];
const stack = sharedStack();
const scope = fileScope();
let mesh: Promise<TestServer> | null = null;
function withMesh(): Promise<TestServer> {
  const { network, postgres } = stack();
  mesh ??= startTestWebServer(scope, { network, postgres, hasMesh: true });
  return mesh;
}
const SERVERS: Readonly<Record<string, () => TestServer | Promise<TestServer>>> = {
  'described contract': () => stack().servers.described,
  'mintlayer-core contract': () => stack().servers['mintlayer-core'],
  'described contract with the Mesh API': withMesh,
};

/** All objects of a document, each with its place. */
function* partsOf(node: Json, place = '#'): Generator<readonly [place: string, part: Json]> {
  if (node === null || typeof node !== 'object') return;
  if (!Array.isArray(node)) yield [place, node];
  for (const [key, value] of Object.entries(node)) {
    if (!VALUES.includes(key)) yield* partsOf(value, `${place}/${key}`);
  }
}

const isNullable = (parts: Json[]) => parts.length === 2 && parts[1].type === 'null' && parts[0].type !== 'null';

/** Does a part of the document break the rule? */
const RULES: Readonly<Record<string, (part: Json, place: string) => boolean>> = {
  'no array has a boolean as the schema of its items': ({ items }) => typeof items === 'boolean',
  'nothing but the second part of an anyOf is null alone': ({ type }, place) =>
    type === 'null' && !place.endsWith('/anyOf/1'),
  'every number has a format': ({ type, format }) =>
    (type === 'integer' || type === 'number') && !FORMATS.includes(format),
  'every list of possible values has a type, and is of texts': ({ enum: values, type }) =>
    Array.isArray(values) && type !== 'string',
  'anyOf is for what may be null, oneOf for everything else': ({ anyOf }) => Array.isArray(anyOf) && !isNullable(anyOf),
  'no schema has a title, which would be a second name': ({ title }, place) =>
    typeof title === 'string' && place !== '#/info',
};

for (const [name, server] of Object.entries(SERVERS)) {
  const document = async (): Promise<Json> => (await server()).document();

  for (const [rule, isBroken] of Object.entries(RULES)) {
    it(`in the document of the ${name} ${rule}`, async () => {
      const broken = [...partsOf(await document())].filter(([place, part]) => isBroken(part, place));
      assert.deepEqual(
        broken.map(([place]) => place),
        [],
      );
    });
  }

  it(`in the document of the ${name} every component is used, and no name differs from another by its case alone`, async () => {
    const made = await document();
    const names = Object.keys(made.components.schemas);
    const used = new Set([...partsOf(made)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])));
    assert.deepEqual([...used].sort(), names.map((name) => REFERENCE + name).sort());
    assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
    // The class of this name in Java has no JSON.
    assert.ok(!names.includes('Timestamp'));
  });

  it(`in the document of the ${name} a choice among objects with a type has a discriminator, whose mapping is true`, async () => {
    const made = await document();
    const componentOf = ({ $ref = '' }: Json): Json => made.components.schemas[$ref.slice(REFERENCE.length)];
    /** The values of a field, in an object or in all parts of a choice. */
    const valuesOf = (schema: Json, field: string): Json[] =>
      schema.oneOf?.flatMap((part: Json) => valuesOf(componentOf(part), field)) ?? schema.properties[field].enum;
    const told: string[] = [];
    for (const [place, { oneOf, discriminator }] of partsOf(made)) {
      if (!Array.isArray(oneOf)) continue;
      const typed = oneOf.map((part) => componentOf(part)?.properties?.type?.enum?.[0]);
      const mustHave = typed.every((type) => type !== undefined) && new Set(typed).size === typed.length;
      assert.ok(!mustHave || discriminator !== undefined, `${place} has no discriminator`);
      if (discriminator === undefined) continue;
      const { propertyName, mapping } = discriminator;
      const entries = oneOf.map(({ $ref }) => [[...new Set(valuesOf(componentOf({ $ref }), propertyName))], $ref]);
      const implied = oneOf.map(({ $ref }) => [[$ref.slice(REFERENCE.length)], $ref]);
      const mapped = mapping && Object.entries(mapping).map(([value, $ref]) => [[value], $ref]);
      assert.deepEqual(entries, mapped ?? implied, place);
      told.push(place.split('/').pop()!);
    }
    for (const name of ['Action', 'Currency', 'Input', 'AccountCommand', 'Lock', 'Output', 'OutputState', 'Value']) {
      assert.ok(told.includes(name), `${name} has no discriminator`);
    }
  });

  it(`in the document of the ${name} every example of a parameter is valid, and a server is named`, async () => {
    const made = await document();
    assert.deepEqual(made.servers, [{ url: '/' }]);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const parameters = [...partsOf(made.paths)].flatMap(([place, part]) =>
      Array.isArray(part.parameters) ? part.parameters.map((parameter: Json) => ({ place, ...parameter })) : [],
    );
    const exemplified = parameters.filter(({ example }) => example !== undefined);
    assert.ok(exemplified.length > 50);
    for (const { place, name, schema, example } of exemplified) {
      assert.ok(ajv.validate(schema, example), `${place}: ${name}: ${JSON.stringify(example)}`);
    }
  });
}
