/** Requests without a route: unknown paths, wrong methods, URLs that cannot be decoded. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { type ApiError, badRequest } from '../errors/api-error.ts';
import { PreparedResponse, sendCounted } from '../http/prepared-response.ts';
import type { ApiContext } from './context.ts';

export class UnroutedRequests {
  readonly #context: ApiContext;
  /** The known paths. They tell apart a wrong method, an undecodable parameter and an unknown path. */
  readonly #routes: { readonly pattern: RegExp; readonly methods: Set<string> }[] = [];

  /** Collects the routes that are added to the application after this call. */
  constructor(app: FastifyInstance, context: ApiContext) {
    this.#context = context;
    app.addHook('onRoute', ({ url, method }) => {
      const source = url
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replace(/:([a-z]+)/g, '(?<$1>[^/]+)')
        .replace(/\*/g, '.*');
      const pattern = new RegExp(`^${source}$`);
      const known = this.#routes.find((route) => route.pattern.source === pattern.source);
      if (known === undefined) this.#routes.push({ pattern, methods: new Set([method].flat()) });
      else for (const name of [method].flat()) known.methods.add(name);
    });
  }

  /**
   * May Fastify get a request that may have a body? Fastify reads bodies before it looks at the path, so requests with unknown
   * paths must not get there.
   */
  isRouted({ method, url }: IncomingMessage): boolean {
    return this.#methodsOf(url!)?.includes(method!) ?? false;
  }

  /** Responds with 405 for a known path, otherwise with 400, as mintlayer-core does. */
  refuse(request: IncomingMessage, response: ServerResponse): void {
    const methods = this.#methodsOf(request.url!);
    const refusal =
      methods && !methods.includes(request.method!)
        ? new PreparedResponse('', { status: 405, contentType: null, headers: ['allow', methods.join(',')] })
        : // At such a URL a browser may get a page.
          new PreparedResponse(badRequest('Bad request').body, { status: 400, vary: 'accept' });
    sendCounted(this.#context.metrics, 'none', request, response, refusal);
  }

  /** Returns the error for a URL that Fastify cannot decode. It names the parameter as mintlayer-core does. */
  badUrlError(url: string): ApiError {
    const parameter = this.#undecodable(url);
    return badRequest(parameter === null ? 'Bad request' : `Invalid URL: Invalid UTF-8 in \`${parameter}\``);
  }

  /** Returns the methods of the URL's route; null if there is no such route. */
  #methodsOf(url: string): string[] | null {
    const route = this.#routes.find(({ pattern }) => pattern.test(pathOf(url)));
    return route ? [...route.methods] : null;
  }

  /** Returns the path parameter that is not percent-encoded UTF-8; null if the route is unknown. */
  #undecodable(url: string): string | null {
    for (const { pattern } of this.#routes) {
      const parameters = Object.entries(pattern.exec(pathOf(url))?.groups ?? {});
      const wrong = parameters.find(([, text]) => !isDecodable(text));
      if (wrong) return wrong[0];
    }
    return null;
  }
}

const pathOf = (url: string) => url.split('?', 1)[0]!;

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
