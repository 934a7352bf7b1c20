/** On whose behalf a server works. */

export interface Caller {
  /** The client: its address, of IPv6 the network of 64 bits. */
  readonly client: string;
  /** Has its connection closed? Work for it ends at the next step. */
  readonly isGone: boolean;
  /** Called when its connection closes; null: nobody has to know. */
  onGone: (() => void) | null;
}

/** The server itself, as in a check of its own. */
export function internalCaller(): Caller {
  return { client: '', isGone: false, onGone: null };
}
