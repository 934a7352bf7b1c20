/** The client of a request: clients take turns, and may be limited, by their network address. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { connectionOf } from './connection.ts';
import { requestHeader } from './request-header.ts';

/**
 * Names the client of a request: its address, of IPv6 the network of 64 bits, which belongs to one customer. Behind a
 * proxy that is trusted it is the last address of `x-forwarded-for`, which that proxy has written.
 */
export function clientAddressOf(request: IncomingMessage, isProxyTrusted: boolean): string {
  const connection = connectionOf(request.socket);
  const remote = connection?.remoteAddress ?? '';
  if (!isProxyTrusted && connection) {
    connection.client ??= clientNetwork(remote);
    return connection.client;
  }
  const forwarded = lastHeader(request, 'x-forwarded-for')?.split(',').at(-1)?.trim();
  return clientNetwork(forwarded === undefined || forwarded === '' ? remote : forwarded.slice(0, LONGEST_ADDRESS));
}

/** A proxy that writes more than an address does not grow our tables with it. */
const LONGEST_ADDRESS = 64;

function lastHeader(request: IncomingMessage, name: string): string | undefined {
  const first = requestHeader(request, name);
  if (first === undefined) return undefined;
  const raw = request.rawHeaders;
  for (let i = raw.length - 2; i >= 0; i -= 2) if (raw[i]!.toLowerCase() === name) return raw[i + 1];
  return first;
}

/** An address as a client is known by: IPv4 whole, IPv6 its first 64 bits. */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  const bare = address.replace(/^\[|\](:\d+)?$|%.*$/g, '');
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.split('::', 2);
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: middle }, () => '0'), ...back];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
