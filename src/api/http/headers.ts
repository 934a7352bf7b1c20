/** Headers of requests and responses. Lists are name, value, name, value, … */
import type { IncomingMessage, ServerResponse } from 'node:http';

export const VARY = 'origin, access-control-request-method, access-control-request-headers';
export const VARY_COMPRESSED = `${VARY}, accept-encoding`;

/** On every response: any page may read it. This form of a list is what `writeHead` takes without copying it. */
export const COMMON_HEADERS: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  'x-next-cursor, link, etag, retry-after, x-mempool-ordering',
  'x-content-type-options',
  'nosniff',
];

/** `cache-control` of a response with an ETag: it may be stored, and is validated before each use. */
export const REVALIDATE = 'no-cache';
/** `cache-control` of a response without one. */
export const NO_STORE = 'no-store';

/** The first value of a request header. Looking for one in the raw list costs less than having Node parse all of them. */
export function requestHeader(request: IncomingMessage, name: string): string | undefined {
  const raw = request.rawHeaders;
  for (let i = 0; i < raw.length; i += 2) {
    const candidate = raw[i]!;
    if (candidate.length === name.length && candidate.toLowerCase() === name) return raw[i + 1];
  }
  return undefined;
}

/** Does the request say that HTML is accepted, as those of browsers do? */
export function acceptsHtml(request: IncomingMessage): boolean {
  return requestHeader(request, 'accept')?.includes('text/html') === true;
}

/** The response to any `OPTIONS` request. */
export function sendPreflight(response: ServerResponse): void {
  response.writeHead(200, [
    'content-length',
    '0',
    ...COMMON_HEADERS,
    'access-control-allow-methods',
    'GET,POST',
    'access-control-allow-headers',
    '*',
    'cache-control',
    NO_STORE,
    'vary',
    VARY,
  ]);
  response.end();
}
