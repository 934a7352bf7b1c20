/** Cross-origin requests: any page may read every response. */
import type { ServerResponse } from 'node:http';
import { COMMON_HEADERS, NO_STORE, VARY } from './response-headers.ts';

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
