/** The address of a node's JSON-RPC: a host and a port, or a URL where something stands before the node. */
import { type HostPort, hostPortText, parseHostPort } from './host-port.ts';

export interface NodeAddress extends HostPort {
  /** Is it reached over TLS? Its certificate is checked as Node does, with the authorities of NODE_EXTRA_CA_CERTS. */
  readonly isTls: boolean;
  /** Begins with a slash. */
  readonly path: string;
}

/**
 * Reads `host:port`, `http://host:port/path` or `https://host/path`. Throws a `RangeError` whose text says what was expected, and
 * repeats nothing that may be a secret.
 */
export function parseNodeAddress(text: string): NodeAddress {
  const plain = parseHostPort(text.trim());
  if (plain !== null && plain.port > 0) return { ...plain, isTls: false, path: '/' };
  const match = /^(?:http|ws)(s?):\/\//i.exec(text.trim());
  const url = match && URL.parse(text.trim().replace(/^ws/i, 'http'));
  if (!url || url.port === '0' || url.search !== '' || url.hash !== '')
    throw new RangeError(
      `"${text}" is not an address of a node: expected HOST:PORT or a URL, for example 127.0.0.1:3030.`,
    );
  if (url.username !== '' || url.password !== '')
    throw new RangeError(
      'a user and a password in the address of a node are visible to others: give them by their own options.',
    );
  const isTls = match[1] !== '';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, isTls, path: url.pathname };
}

/** `host:port`, or the URL if there is more to it. */
export function nodeAddressText({ isTls, path, ...address }: NodeAddress): string {
  if (!isTls && path === '/') return hostPortText(address);
  return `${isTls ? 'https' : 'http'}://${hostPortText(address)}${path === '/' ? '' : path}`;
}
