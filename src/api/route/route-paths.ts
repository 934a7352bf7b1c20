/** The known paths, to distinguish a wrong method, an undecodable parameter and an unknown path. */
import type { FastifyInstance } from 'fastify';

export interface RoutePaths {
  /** The methods of the URL's route; null when there is no such route. */
  methodsOf(url: string): string[] | null;
  /** The path parameter that is not percent-encoded UTF-8; null when the route is unknown. */
  undecodable(url: string): string | null;
}

/** Collects the paths of routes as they are added. */
export function collectRoutePaths(app: FastifyInstance): RoutePaths {
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
