/** The version of the shapes of all responses, for their ETags. */
import type { FastifySchema } from 'fastify';
import { etagHash } from '../http/headers.ts';

export interface RespondingRoute {
  readonly path: string;
  readonly schema: FastifySchema;
}

/** Keywords that explain a schema and do not change what it describes. */
const ANNOTATIONS = new Set(['description', 'examples', 'summary', 'title']);

/**
 * Returns a hash over the response schemas of all routes and their components. It is the same in every process of a
 * release with the same response profile. It changes if a field is added, removed, renamed, or gets another type or
 * pattern, so that a client with a response of the old shape does not get 304.
 *
 * It does not cover what the schemas do not say. A presenter that writes another value, or the same fields in another
 * order, has the same version: then a client may get 304 for the older response until the next tip.
 */
export function shapesVersion(
  profileName: string,
  routes: Iterable<RespondingRoute>,
  components: Readonly<Record<string, unknown>>,
): string {
  const responses = Array.from(routes, ({ path, schema }) => [path, schema.response] as const);
  const shapes = [profileName, sortedByName(responses), sortedByName(Object.entries(components))];
  return etagHash(JSON.stringify(shapes, withoutAnnotations)).toString(36);
}

/** Sorts the routes, so that the order of their registration does not matter. */
function sortedByName<Value>(entries: readonly (readonly [name: string, value: Value])[]) {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Removes annotations. A property may have the name of an annotation, but its schema is an object, never a text or a
 * list.
 */
function withoutAnnotations(key: string, value: unknown): unknown {
  return ANNOTATIONS.has(key) && (typeof value === 'string' || Array.isArray(value)) ? undefined : value;
}
