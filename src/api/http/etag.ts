/** ETags, and requests that name them, which get 304 without a body. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import {
  CACHE_CONTROL_REVALIDATE,
  CHAIN_TIP_HEADER,
  COMMON_HEADERS,
  requestHeader,
  VARY_COMPRESSED,
} from './headers.ts';

/**
 * Makes an ETag. `version`: the version of the shapes of responses. `keyHash`: the hash of the response's cache key, so
 * an ETag never matches for another request.
 */
export function etagOf(version: string, { id }: Pick<SnapshotTip, 'id'>, keyHash: number): string {
  return `W/"${id.slice(0, 24)}-${keyHash.toString(36)}-${version}"`;
}

/** Returns the ETag of a response with this text, which does not depend on the tip. */
export function etagOfText(text: string): string {
  return `W/"${etagHash(text).toString(36)}-${text.length}"`;
}

/** A hash of 32 bits (FNV-1a): of what an ETag stands for, such as a cache key. */
export function etagHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

const HEADERS = [...COMMON_HEADERS, 'cache-control', CACHE_CONTROL_REVALIDATE, 'vary', VARY_COMPRESSED];

/** The response 304. */
export class NotModified {
  readonly status = 304;
  readonly #headers: readonly string[];

  /** `tip`: of the response that the client has, as `x-chain-tip`. `vary`: the header of it, besides what all have. */
  constructor(etag: string, tip?: string, vary?: string) {
    const headers = [...(vary === undefined ? HEADERS : headersWith(vary)), 'etag', etag];
    this.#headers = tip === undefined ? headers : [...headers, CHAIN_TIP_HEADER, tip];
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
