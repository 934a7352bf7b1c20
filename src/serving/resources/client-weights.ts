/**
 * The weights of clients: the number of even shares that a client has. It is 1, or more for networks that stand for
 * many clients, such as a wallets' backend.
 */
import { BlockList, isIP } from 'node:net';

/** A network, and the weight of each of its clients. */
export interface IpNetworkWeight {
  /** `192.0.2.0/24`, or a single address. */
  readonly network: string;
  readonly weight: number;
}

const MAX_REMEMBERED = 10_000;

/**
 * Returns a function from clients, as named by `clientKeyOfIp`, to their weights. The first network that contains a
 * client counts.
 */
export function clientWeights(networks: readonly IpNetworkWeight[]): (client: string) => number {
  if (networks.length === 0) return () => 1;
  const lists = networks.map(({ network, weight }) => ({ list: parseIpNetwork(network), weight }));
  const known = new Map<string, number>();
  return (client) => {
    const remembered = known.get(client);
    if (remembered !== undefined) return remembered;
    const address = client.replace(/\/64$/, '');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const weight = isIP(address) === 0 ? 1 : (lists.find(({ list }) => list.check(address, family))?.weight ?? 1);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(client, weight);
    return weight;
  };
}

/** Parses a network. Throws a `RangeError` if the text is none. */
export function parseIpNetwork(network: string): BlockList {
  const [address = '', bits] = network.split('/', 2);
  const version = isIP(address);
  const most = version === 6 ? 64 : 32;
  const prefix = bits === undefined ? most : Number(bits);
  if (version === 0 || !/^\d{1,3}$/.test(bits ?? '0') || prefix > most) {
    throw new RangeError('must be networks like 192.0.2.0/24 or 2001:db8::/48 (at most /64)');
  }
  const list = new BlockList();
  list.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4');
  return list;
}
