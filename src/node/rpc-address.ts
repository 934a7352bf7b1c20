/** The address of the node's JSON-RPC. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads `host:port`, `[ipv6]:port` or `http://host:port` (the node speaks plain HTTP only,
 * docs/protocol.md#rpc-transport). Throws a `RangeError` whose text says what was expected.
 */
export function parseNodeAddress(text: string): NodeAddress {
  const withoutScheme = text.trim().replace(/^(?:http|ws):\/\//i, '');
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+):(\d{1,5})\/?$/i.exec(withoutScheme);
  const port = match === null ? 0 : Number(match[2]);
  if (match === null || port < 1 || port > 65535)
    throw new RangeError(`"${text}" is not an address of a node: expected HOST:PORT, for example 127.0.0.1:3030.`);
  return { host: match[1]!.replace(/^\[|\]$/g, ''), port };
}

/** `host:port`, with brackets around an IPv6 host. */
export function hostPortText(address: NodeAddress): string {
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
}
