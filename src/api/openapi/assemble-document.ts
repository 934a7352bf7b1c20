/** The OpenAPI document, from the schemas of the routes. */

import type { TSchema } from 'typebox';
import type { Route, RouteSchema, Routes } from '../../serving/http/routes.ts';
import { withNamedSchemas } from './named-schemas.ts';

/** The tag of endpoints that mintlayer-core does not have. */
export const EXTENSION_TAG = 'Additional endpoints';

type Json = Record<string, unknown>;

/** Everything in the document but `paths` and `components`. */
export interface DocumentHead {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly [field: string]: unknown };
  readonly servers?: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly object[];
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
}

export interface OpenApiDocument extends DocumentHead {
  readonly components: { readonly schemas: Json };
  readonly paths: Record<string, Record<string, object>>;
}

/** Returns the document of all routes that have a schema, in their order. */
export function openApiDocument(head: DocumentHead, routes: Routes): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes.list) {
    if (route.schema?.summary === undefined) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, route.schema) };
  }
  const schemas = Object.fromEntries(routes.components);
  return withNamedSchemas(plainDocument({ ...head, components: { schemas }, paths }));
}

function operation({ method, path }: Route, schema: RouteSchema): object {
  const { summary, tags = [EXTENSION_TAG], description, body, response = {} } = schema;
  const parameters = [...parametersOf(schema.querystring, 'query'), ...parametersOf(schema.params, 'path')];
  return {
    operationId: operationId(method, path),
    summary,
    tags,
    description,
    ...(body && { requestBody: { required: true, ...body } }),
    ...(parameters.length > 0 && { parameters }),
    responses: Object.fromEntries(
      Object.entries(response).map(([status, given]) => [status, documented(given as Response)]),
    ),
  };
}

function parametersOf(schema: TSchema | undefined, place: 'query' | 'path'): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as TSchema & { readonly description?: string };
    return { schema: rest, in: place, name, required: required.includes(name), description };
  });
}

interface Response extends Json {
  readonly headers?: Readonly<Record<string, Json>>;
}

/** A response. One of the type null has no body. */
function documented(response: Response): object {
  const { headers, type, ...rest } = response;
  if (headers === undefined) return rest;
  const described = Object.entries(headers).map(([name, { description, ...schema }]) => [
    name,
    { schema, description },
  ]);
  return { ...rest, headers: Object.fromEntries(described) };
}

/** A copy as plain JSON, in which a reference to `Name#` is one to the component, and `const` the `enum` that all generators know. */
function plainDocument<Value>(value: Value): Value {
  const text = JSON.stringify(value, (key, part) => {
    if (key === '$ref') return `#/components/schemas/${part.replace(/#$/, '')}`;
    if (part?.const === undefined) return part;
    const { const: only, ...schema } = part;
    return { ...schema, enum: [only] };
  });
  return JSON.parse(text);
}

/** Returns the name of an operation for generated clients: `getPoolBlockStats` for `GET /api/v2/pool/:id/block-stats`. */
export function operationId(method: string, url: string): string {
  const words: string[] = [];
  const segments = url.split('/').filter((segment) => segment !== '' && segment !== 'api' && segment !== 'v2');
  segments.forEach((segment, index) => {
    if (!segment.startsWith(':')) words.push(...segment.split('-'));
    // A parameter named like the segment before it adds nothing: "address/:address".
    else if (index === segments.length - 1 && segment.slice(1) !== words.at(-1)) words.push('by', segment.slice(1));
  });
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return method.toLowerCase() + (name === '' ? 'Versions' : name);
}
