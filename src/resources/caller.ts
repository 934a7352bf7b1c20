/** On whose behalf a server works: a request, with its client. */

export interface Caller {
  /** The client: its address, of IPv6 the network of 64 bits. */
  readonly client: string;
  /** Has its connection closed? Work for it ends at the next step. */
  readonly isGone: boolean;
  /** Calls back when its connection closes. */
  onGone(listener: () => void): void;
  offGone(listener: () => void): void;
}

/** The server itself, or a test. */
export function internalCaller(client = ''): Caller {
  return { client, isGone: false, onGone: () => {}, offGone: () => {} };
}
