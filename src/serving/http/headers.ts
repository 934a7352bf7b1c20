/** Headers of requests and responses. Lists have the form name, value, name, value, … */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { MAX_HEIGHT } from '../../chain/networks/network.ts';
import type { ChainPosition, SnapshotTip } from '../../store/read/query.ts';

export const VARY = 'origin, access-control-request-method, access-control-request-headers';
export const VARY_COMPRESSED = `${VARY}, accept-encoding`;

/**
 * The headers of every response: pages of any origin may read it. `writeHead` takes this form of a list without copying
 * it.
 */
export const COMMON_HEADERS: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  'x-next-cursor, link, etag, retry-after, x-mempool, x-mempool-ordering, x-chain-tip',
  'x-content-type-options',
  'nosniff',
];

/** `cache-control` of a response with an ETag: clients may store it, and must revalidate it before each use. */
export const CACHE_CONTROL_REVALIDATE = 'no-cache';
/** `cache-control` of what was, so deep that no reorganisation changes it: anybody may store it for a day. */
export const CACHE_CONTROL_DAY = 'public, max-age=86400';
/** `cache-control` of a file whose URL changes with its content. */
export const CACHE_CONTROL_FOREVER = 'public, max-age=31536000, immutable';
/** `cache-control` of a response without an ETag. */
export const CACHE_CONTROL_NO_STORE = 'no-store';

/**
 * Returns the value of a request header; of several lines, joined as Node does. A search in the raw list is faster than
 * Node's parsing of all headers.
 */
export function requestHeader(request: IncomingMessage, name: string): string | undefined {
  const raw = request.rawHeaders;
  let value: string | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    const candidate = raw[i]!;
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
    value = value === undefined ? raw[i + 1] : `${value}, ${raw[i + 1]}`;
  }
  return value;
}

/** Does a body follow the headers of the request? */
export function hasBody(request: IncomingMessage): boolean {
  return (
    requestHeader(request, 'content-length') !== undefined || requestHeader(request, 'transfer-encoding') !== undefined
  );
}

/** Does the request accept HTML, as a browser's does? */
export function acceptsHtml(request: IncomingMessage): boolean {
  return requestHeader(request, 'accept')?.includes('text/html') === true;
}

/** A day; browsers have lower limits of their own. */
const PREFLIGHT_SECONDS = '86400';

/** Sends the response to any `OPTIONS` request. */
export function sendPreflight(response: ServerResponse): void {
  response.writeHead(200, [
    'content-length',
    '0',
    ...COMMON_HEADERS,
    'access-control-allow-methods',
    'GET,POST',
    'access-control-allow-headers',
    '*',
    'access-control-max-age',
    PREFLIGHT_SECONDS,
    'cache-control',
    CACHE_CONTROL_NO_STORE,
    'vary',
    VARY,
  ]);
  response.end();
}

/** In a response: the tip of the snapshot that it shows. */
export const CHAIN_TIP_HEADER = 'x-chain-tip';
/** In a request: the newest tip that the client has seen. */
export const MIN_TIP_HEADER = 'x-min-tip';

/** Returns a block as clients name it, `HEIGHT-ID`. */
export const chainPositionText = ({ height, id }: ChainPosition) => `${height}-${id}`;

/** Parses `HEIGHT-ID`; null for anything else. */
export function parseChainPosition(text: string): ChainPosition | null {
  const match = /^(\d{1,10})-([0-9a-f]{64})$/i.exec(text.trim());
  const height = Number(match?.[1]);
  return match === null || height > MAX_HEIGHT ? null : { height, id: match[2]!.toLowerCase() };
}

/**
 * Makes an ETag. `version`: of the build and the response profile. `keyHash`: the hash of the response's cache key, so
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

/** Does the client name ETags of responses that it has? */
export function isConditional(request: IncomingMessage): boolean {
  return requestHeader(request, 'if-none-match') !== undefined;
}

/** What Apache, Caddy and other proxies add to the ETag of a response that they compress. */
const PROXY_SUFFIX = /-(?:gzip|br|zstd|deflate)"$/;

/** Does the client name this ETag? `*` names the ETag of any response that `exists`. */
export function etagMatches(request: IncomingMessage, etag: string, exists = true): boolean {
  const names = requestHeader(request, 'if-none-match');
  if (names === undefined) return false;
  if (names.trim() === '*') return exists;
  const opaque = etag.slice(2);
  return names.split(',').some((text) => {
    const name = text.trim().replace(/^W\//, '');
    return name === opaque || name.replace(PROXY_SUFFIX, '"') === opaque;
  });
}
