/** Requests that lead to no route: unknown paths, wrong methods, URLs that cannot be decoded. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { type ApiError, badRequest } from '../errors/api-error.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import type { ApiContext } from './context.ts';
import { errorResponse } from './error-response.ts';

export class UnroutedRequests {
  readonly #context: ApiContext;
  readonly #paths: RoutePaths;

  /** Knows the routes that are added to the application from now on. */
  constructor(app: FastifyInstance, context: ApiContext) {
    this.#context = context;
    this.#paths = collectRoutePaths(app);
  }

  /** Does Fastify take the request? It reads bodies before it looks at the path: those of unknown paths must not get there. */
  isRouted({ method, url }: IncomingMessage): boolean {
    return method === 'GET' || method === 'HEAD' || (this.#paths.methodsOf(url!)?.includes(method!) ?? false);
  }

  /** Answers with 405 for a known path, otherwise with 400, as mintlayer-core does. */
  refuse(request: IncomingMessage, response: ServerResponse): void {
    const { metrics } = this.#context;
    const began = metrics.begin();
    const methods = this.#paths.methodsOf(request.url!);
    const refusal =
      methods && !methods.includes(request.method!)
        ? new PreparedResponse('', { status: 405, contentType: null, headers: ['allow', methods.join(',')] })
        : errorResponse(this.#context, badRequest('Bad request'));
    metrics.end('none', refusal.status, began);
    refusal.send(request, response);
  }

  /** The error for a URL that Fastify cannot decode; it names the parameter as mintlayer-core does. */
  badUrlError(url: string): ApiError {
    const parameter = this.#paths.undecodable(url);
    return badRequest(parameter === null ? 'Bad request' : `Invalid URL: Invalid UTF-8 in \`${parameter}\``);
  }
}

/** The path and query of a URL, which may be absolute as well. A `%` that begins no code stands for itself. */
export function pathAndQueryOf(url: string): string {
  const own = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/^(?=\?|$)/, '/');
  return own.includes('%') ? own.replace(/%(?![0-9a-f]{2})/gi, '%25') : own;
}

/** The known paths, to distinguish a wrong method, an undecodable parameter and an unknown path. */
interface RoutePaths {
  /** The methods of the URL's route; null when there is no such route. */
  methodsOf(url: string): string[] | null;
  /** The path parameter that is not percent-encoded UTF-8; null when the route is unknown. */
  undecodable(url: string): string | null;
}

/** Collects the paths of routes as they are added. */
function collectRoutePaths(app: FastifyInstance): RoutePaths {
  const routes: { readonly pattern: RegExp; readonly methods: Set<string> }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const source = url
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/:([a-z]+)/g, '(?<$1>[^/]+)')
      .replace(/\*/g, '.*');
    const pattern = new RegExp(`^${source}$`);
    let route = routes.find((known) => known.pattern.source === pattern.source);
    if (!route) {
      route = { pattern, methods: new Set() };
      routes.push(route);
    }
    for (const name of [method].flat()) route.methods.add(name);
  });
  const pathOf = (url: string) => url.split('?', 1)[0]!;
  return {
    methodsOf(url) {
      const path = pathOf(url);
      const route = routes.find(({ pattern }) => pattern.test(path));
      return route ? [...route.methods] : null;
    },
    undecodable(url) {
      const path = pathOf(url);
      for (const { pattern } of routes) {
        const parameters = Object.entries(pattern.exec(path)?.groups ?? {});
        const wrong = parameters.find(([, text]) => !isDecodable(text));
        if (wrong) return wrong[0];
      }
      return null;
    },
  };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
