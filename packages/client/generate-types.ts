/**
 * Makes the types of both response profiles from their OpenAPI documents, without a database: `npm run client:types`.
 * `npm run check` and the packing of the client begin with it, because git does not keep the types.
 */
import { writeFileSync } from 'node:fs';
import { buildApp } from '../../src/api/app.ts';
import type { ResponseProfileName } from '../../src/api/response-profile/profile.ts';
import { mainnet } from '../../src/chain/networks/known-networks.ts';
import { createResources, resourceTotals } from '../../src/serving/resources/create-resources.ts';
import { ReadPool } from '../../src/serving/resources/read-pool.ts';
import { TipWatch } from '../../src/store/read/tip-watch.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is checked against OpenAPI by the tests of the server
type Json = any;

const API = '/api/v2';
const REFERENCE = '#/components/schemas/';
/** The names of the modules, and of the type of all operations in each. */
const MODULES: Readonly<Record<ResponseProfileName, string>> = {
  described: 'Described',
  'mintlayer-core': 'MintlayerCore',
};

/** Returns the document of a web server that is never connected to its database. */
async function documentOf(contract: ResponseProfileName): Promise<Json> {
  const logger = { info() {}, warn() {}, error() {} };
  const database = { postgres: { host: '', port: 0, user: '', database: '', maxConnections: 1 }, logger };
  const store = new ReadPool(database);
  const tipWatch = new TipWatch(database);
  const app = buildApp({
    network: mainnet,
    contract,
    store,
    tipWatch,
    node: null,
    pending: null,
    enablePostRoutes: true,
    logger,
    resources: createResources(resourceTotals(0, { connections: 1, streams: 1 })),
  });
  const document = app.document();
  await app.close();
  tipWatch.close();
  store.close();
  return document;
}

/** Returns a module with an interface for each component, and one of all operations with this `name`. */
function typesOf(document: Json, profile: ResponseProfileName, name: string): string {
  const components = Object.entries<Json>(document.components.schemas).sort(byName);
  return [
    `/** The types of the response profile \`${profile}\`. Made by generate-types.ts from the OpenAPI document. */\n`,
    ...components.map(
      ([component, schema]) => `${comment(schema, '')}export type ${component} = ${typeOf(schema, '')};\n`,
    ),
    `/** \`/status\` of a server. */\nexport type ServerStatus = ${typeOf(bodyOf(document.paths['/status'].get.responses['200']), '')};\n`,
    operationsOf(document, name),
  ].join('\n');
}

function operationsOf(document: Json, name: string): string {
  const groups = { get: [] as string[], lists: [] as string[], post: [] as string[] };
  for (const [path, methods] of Object.entries<Json>(document.paths).sort(byName)) {
    // Streams have methods of their own, bare numbers are for others, and what is outside of the API is for operators.
    if (!path.startsWith(API) || path === `${API}/stream`) continue;
    const { get, post } = methods;
    if (get && 'application/json' in get.responses['200'].content) {
      const response = bodyOf(get.responses['200']);
      groups.get.push(member(path, get, `parameters: ${parametersOf(get)}; response: ${typeOf(response, '      ')}`));
      const item = itemOf(document, response);
      if (item !== undefined) {
        const parameters = parametersOf(get, ['cursor', 'offset', 'offset_mode', 'items']);
        groups.lists.push(member(path, get, `parameters: ${parameters}; item: ${typeOf(item, '      ')}`));
      }
    }
    if (post) {
      const body = Object.values<Json>(post.requestBody?.content ?? {}).map(({ schema }) =>
        // Callers keep what they send.
        typeOf(schema, '      ').replace(/(\w+|\([^()]*\))\[\]/g, 'readonly $1[]'),
      );
      const response = typeOf(bodyOf(post.responses['200']), '      ');
      groups.post.push(member(path, post, `body: ${body.join(' | ')}; response: ${response}`));
    }
  }
  const members = Object.entries(groups).map(([group, lines]) => `  ${group}: {\n${lines.join('')}  };\n`);
  return `/** All operations, by their path below \`${API}\`. */\nexport interface ${name} {\n${members.join('')}}\n`;
}

function member(path: string, { summary }: Json, types: string): string {
  return `    /** ${summary} */\n    '${path.slice(API.length)}': { ${types} };\n`;
}

function parametersOf({ parameters = [] }: Json, without: readonly string[] = []): string {
  const fields = parameters
    .filter((parameter: Json) => !without.includes(parameter.name))
    .map(({ name, required, schema }: Json) => `${name}${required ? '' : '?'}: ${typeOf(schema, '')}`);
  return fields.length === 0 ? 'Record<never, never>' : `{ ${fields.join('; ')} }`;
}

function bodyOf({ content }: Json): Json {
  return content['application/json'].schema;
}

/** Returns the schema of an entry, if the response is a list in pages. */
function itemOf(document: Json, schema: Json): Json | undefined {
  const parts = [schema, ...(schema.oneOf ?? [])].map(
    (part) => document.components.schemas[part.$ref?.slice(REFERENCE.length)] ?? part,
  );
  return parts.find(({ properties }) => properties?.next_cursor !== undefined)?.properties.items.items;
}

/** Returns the type of the values that a schema describes. */
function typeOf(schema: Json, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(REFERENCE.length);
  // A reference with a description of its own.
  if (schema.allOf !== undefined) return typeOf(schema.allOf[0], indent);
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts !== undefined) return union(parts.map((each: Json) => typeOf(each, indent)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((each: unknown) => JSON.stringify(each)));
  switch (schema.type) {
    case 'object':
      return objectOf(schema, indent);
    case 'array':
      if (schema.prefixItems) return `[${schema.prefixItems.map((each: Json) => typeOf(each, indent)).join(', ')}]`;
      return arrayOf(typeOf(schema.items, indent));
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case undefined:
      return 'unknown';
    default:
      throw new Error(`unknown schema: ${JSON.stringify(schema)}`);
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }: Json, indent: string): string {
  if (additionalProperties) return `Record<string, ${typeOf(additionalProperties, indent)}>`;
  const inner = `${indent}  `;
  const fields = Object.entries<Json>(properties).map(
    ([field, schema]) =>
      `${comment(schema, inner)}${inner}${field}${required.includes(field) ? '' : '?'}: ${typeOf(schema, inner)};\n`,
  );
  return `{\n${fields.join('')}${indent}}`;
}

function arrayOf(type: string): string {
  return /^\w+$/.test(type) ? `${type}[]` : `(${type})[]`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function comment({ description }: Json, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description} */\n`;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

for (const [contract, name] of Object.entries(MODULES) as [ResponseProfileName, string][]) {
  writeFileSync(new URL(`src/${contract}.ts`, import.meta.url), typesOf(await documentOf(contract), contract, name));
}
