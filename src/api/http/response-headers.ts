/** Headers that responses have in common; lists of name, value, name, value, … */

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
