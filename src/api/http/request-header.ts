import type { IncomingMessage } from 'node:http';

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
