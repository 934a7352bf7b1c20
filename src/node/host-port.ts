/** A host and a port: of a node, or to listen on. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port` or `[ipv6]:port`; null for any other text. */
export function parseHostPort(text: string): HostPort | null {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[2]);
  return match === null || port > 65_535 ? null : { host: match[1]!.replace(/^\[|\]$/g, ''), port };
}

/** `host:port`, with brackets around an IPv6 host. */
export function hostPortText({ host, port }: HostPort): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
