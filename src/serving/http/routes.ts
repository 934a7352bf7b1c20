/** The routes of the server: the function for each method and path, and the schema that describes it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { TSchema } from 'typebox';
import { schemaRef } from '../../render/schemas/common.ts';
import type { UrlQuery } from '../parse/parameters.ts';
import { PathTree, UndecodableParameter } from './path-tree.ts';

/** What the OpenAPI document says of a route. */
export interface RouteSchema {
  /** By default `EXTENSION_TAG`. */
  readonly tags?: readonly string[] | undefined;
  /** Without it, the route is not in the document. */
  readonly summary?: string | undefined;
  readonly description?: string | undefined;
  /** The parameters of the path. */
  readonly params?: TSchema | undefined;
  readonly querystring?: TSchema;
  /** The bodies by media type. */
  readonly body?: { readonly content: Readonly<Record<string, { readonly schema: TSchema }>> };
  /** The responses by status. */
  readonly response?: Readonly<Record<number, object>>;
}

/** A request with its parameters as texts. */
export interface RoutedRequest {
  readonly raw: IncomingMessage;
  readonly reply: ServerResponse;
  readonly params: Readonly<Record<string, string>>;
  readonly query: UrlQuery;
}

type Method = 'GET' | 'POST';

export interface Route {
  readonly method: Method;
  /** The pattern of the path: `/api/v2/pool/:id`. */
  readonly path: string;
  /** Null: the route is not in the OpenAPI document. */
  readonly schema: RouteSchema | null;
  readonly handle: (request: RoutedRequest) => void;
}

/** Where routes with the same beginning of their paths are added. */
export interface RouteGroup {
  /** The beginning of the paths: empty, or such as `/api/v2`. */
  readonly prefix: string;
  /** Adds a route whose path is below the prefix. */
  add(route: Route): void;
  /** Adds a schema that others refer to by its name. Returns a reference to it. */
  addComponent(name: string, schema: TSchema): TSchema;
}

/** Why no route answers a request: the path is unknown, or known for other methods, or a parameter cannot be decoded. */
export type NoRoute =
  | { readonly kind: 'unknown path' }
  | { readonly kind: 'other methods'; readonly allow: string }
  | { readonly kind: 'undecodable'; readonly parameter: string };

export class Routes implements RouteGroup {
  readonly prefix = '';
  readonly #paths = new PathTree<Map<Method, Route>>();
  readonly #methods = new Map<string, Map<Method, Route>>();
  readonly #list: Route[] = [];
  readonly #components = new Map<string, TSchema>();
  readonly #refuse: (refused: NoRoute, request: IncomingMessage, response: ServerResponse) => void;

  /** `refuse` answers a request that has no route. */
  constructor(refuse: (refused: NoRoute, request: IncomingMessage, response: ServerResponse) => void) {
    this.#refuse = refuse;
  }

  /** All routes, in the order in which they were added. */
  get list(): readonly Route[] {
    return this.#list;
  }

  /** The schemas that others refer to by name. */
  get components(): ReadonlyMap<string, TSchema> {
    return this.#components;
  }

  add(route: Route): void {
    let methods = this.#methods.get(route.path);
    if (methods === undefined) {
      methods = new Map();
      this.#methods.set(route.path, methods);
      this.#paths.add(route.path, methods);
    }
    if (methods.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    methods.set(route.method, route);
    this.#list.push(route);
  }

  addComponent(name: string, schema: TSchema): TSchema {
    if (this.#components.has(name)) throw new Error(`two components ${name}`);
    this.#components.set(name, schema);
    return schemaRef(name);
  }

  /** Returns where routes below a prefix are added. */
  below(prefix: string): RouteGroup {
    return {
      prefix,
      add: (route) => this.add({ ...route, path: prefix + route.path }),
      addComponent: (name, schema) => this.addComponent(name, schema),
    };
  }

  /** Has the route of a request answer it. `HEAD` is answered as `GET`. */
  readonly serve = (raw: IncomingMessage, reply: ServerResponse): void => {
    const url = raw.url!;
    const mark = url.indexOf('?');
    const found = this.#paths.find(mark < 0 ? url : url.slice(0, mark));
    if (found === null) return this.#refuse({ kind: 'unknown path' }, raw, reply);
    const method = raw.method === 'HEAD' ? 'GET' : raw.method;
    const route = found.value.get(method as Method);
    if (route === undefined) return this.#refuse({ kind: 'other methods', allow: allowed(found.value) }, raw, reply);
    let params: Record<string, string>;
    try {
      params = found.params();
    } catch (error) {
      if (!(error instanceof UndecodableParameter)) throw error;
      return this.#refuse({ kind: 'undecodable', parameter: error.parameter }, raw, reply);
    }
    route.handle({ raw, reply, params, query: mark < 0 ? NO_QUERY : queryOf(url.slice(mark + 1)) });
  };
}

/** The value of the header `Allow`. */
const allowed = (methods: ReadonlyMap<Method, Route>): string =>
  [...methods.keys()].map((method) => (method === 'GET' ? 'GET,HEAD' : method)).join(',');

const NO_QUERY: UrlQuery = {};

/** Returns the parameters of a query as texts; of one that comes several times, all values. */
export function queryOf(text: string): UrlQuery {
  return parseQuery(text, '&', '=', { maxKeys: 0 });
}
