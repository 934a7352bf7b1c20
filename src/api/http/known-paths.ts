/** The known paths, to distinguish a wrong method, an undecodable parameter and an unknown path. */
import type { FastifyInstance } from 'fastify';

export interface KnownPaths {
  /** Those of the route that the URL is of; null when it is of none. */
  methodsOf(url: string): string[] | null;
  /** The parameter of a known route whose text is no percent-encoded UTF-8; null when the route is unknown. */
  undecodable(url: string): string | null;
}

/** Remembers the routes as they are added, to tell a wrong method from an unknown path. */
export function collectPaths(app: FastifyInstance): KnownPaths {
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
