/** The client of a request: clients take turns, and may be limited, by their network address. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/** A proxy that writes more than an address does not grow our tables with it. */
const LONGEST_ADDRESS = 64;
const FORWARDED_FOR = 'x-forwarded-for';

/**
 * Names the client of a request: the address that the connection comes from, of IPv6 the network of 64 bits, which belongs
 * to one customer. Behind trusted proxies, each of which appends the address that its connection comes from to
 * `x-forwarded-for`, it is the entry that the outermost of them has appended: with N proxies the N-th from the end. Where there
 * are fewer entries it is the first.
 */
export function clientAddressOf(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  remoteAddress: string,
  trustedProxies: number,
): string {
  if (trustedProxies === 0) return clientNetwork(remoteAddress);
  const entries: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() === FORWARDED_FOR) entries.push(...rawHeaders[i + 1]!.split(','));
  }
  const forwarded = entries.at(-Math.min(trustedProxies, entries.length))?.trim() ?? '';
  return clientNetwork(forwarded === '' ? remoteAddress : forwarded.slice(0, LONGEST_ADDRESS));
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
