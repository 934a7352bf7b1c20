/** The client for which something is done, and whether it still waits. */

/** The client's connection has closed, so nobody waits for the response. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export interface Caller {
  /** The name of the client: its address, or for IPv6 its network of 64 bits. */
  readonly client: string;
  /** Has the client's connection closed? Then work for it ends at the next step. */
  readonly isGone: boolean;
  /** Calls `listener` when the connection closes. */
  onGone(listener: () => void): void;
  offGone(listener: () => void): void;
}

/** Returns a caller for the server itself, or for a test. */
export function internalCaller(client = ''): Caller {
  return { client, isGone: false, onGone: () => {}, offGone: () => {} };
}
