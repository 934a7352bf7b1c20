/** The header `Host` of requests. */
import type { IncomingMessage } from 'node:http';

/** A name, an IPv4 address, an IPv6 address in brackets or nothing, then maybe a port (RFC 9110 7.2, RFC 3986 3.2). */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

/** Has the request one valid `Host`, or none in HTTP/1.0? Any other must get the status 400 (RFC 9112 3.2). */
export function hasValidHost({ rawHeaders, httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean {
  let host: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return false;
    host = rawHeaders[i + 1]!;
  }
  if (host === undefined) return httpVersionMajor === 1 && httpVersionMinor === 0;
  return HOST.test(host);
}
