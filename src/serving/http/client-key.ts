/** The client of a request: an address, of the connection or of what trusted proxies say. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/** Longer addresses are cut: a proxy may write anything, and our tables must not grow with it. */
const MAX_ADDRESS_LENGTH = 64;
const FORWARDED_FOR = 'x-forwarded-for';

/** Returns the key of a request's client: its address, or for IPv6 its network of 64 bits, which belongs to one customer. */
export function clientKeyOf(...request: Parameters<typeof addressOf>): string {
  const bare = ipOf(addressOf(...request));
  if (!isIPv6(bare)) return bare;
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

/**
 * Returns the address of a request's client: the remote address of the connection, or what the trusted proxies say. Each of
 * them appends the remote address of its connection to `x-forwarded-for`. The client is the entry that the outermost one
 * appended: with N proxies, the N-th from the end, or the first if there are fewer.
 */
export function addressOf(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  remoteAddress: string,
  trustedProxies: number,
): string {
  if (trustedProxies === 0) return remoteAddress;
  const entries: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() === FORWARDED_FOR) entries.push(...rawHeaders[i + 1]!.split(','));
  }
  const forwarded = entries.at(-Math.min(trustedProxies, entries.length))?.trim() ?? '';
  return forwarded === '' ? remoteAddress : forwarded.slice(0, MAX_ADDRESS_LENGTH);
}

/** Returns the IP address in an address. Some proxies add a port, in quotes or without. */
export function ipOf(address: string): string {
  const bare = address.replace(/^"|"$/g, '').replace(/^\[|\](:\d+)?$|%.*$/g, '');
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(bare);
  if (ipv4) return ipv4[1]!;
  return isIPv6(bare) ? bare : address;
}
