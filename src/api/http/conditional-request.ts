/** Conditional requests: a client that names the ETag of the current response in `if-none-match` gets 304 without a body. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestHeader } from './request-header.ts';
import { COMMON_HEADERS, REVALIDATE, VARY_COMPRESSED } from './response-headers.ts';

const HEADERS = [...COMMON_HEADERS, 'cache-control', REVALIDATE, 'vary', VARY_COMPRESSED];

/** The response 304. */
export class NotModified {
  readonly status = 304;
  readonly #headers: readonly string[];

  /** `vary`: of the response, besides what all have. */
  constructor(etag: string, vary?: string) {
    this.#headers = [...(vary === undefined ? HEADERS : headersWith(vary)), 'etag', etag];
  }

  send(_request: IncomingMessage, response: ServerResponse): void {
    if (response.destroyed || response.headersSent) return;
    response.writeHead(304, this.#headers as string[]);
    response.end();
  }
}

function headersWith(vary: string): readonly string[] {
  return [...HEADERS.slice(0, -1), `${vary}, ${VARY_COMPRESSED}`];
}

/** Does the client name ETags of responses that it has? */
export function isConditional(request: IncomingMessage): boolean {
  return requestHeader(request, 'if-none-match') !== undefined;
}

/** Does the client name this ETag? `*` names the ETag of any response that `exists`. */
export function etagMatches(request: IncomingMessage, etag: string, exists = true): boolean {
  const names = requestHeader(request, 'if-none-match');
  if (names === undefined) return false;
  if (names.trim() === '*') return exists;
  return names.split(',').some((name) => name.trim().replace(/^W\//, '') === etag.slice(2));
}
