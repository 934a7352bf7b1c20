/**
 * The resources that the clients of a web server share, on whose behalf, and their refusal.
 * docs/operation.md#shared-resources has the table.
 */
/** Slots: work that cannot be taken back once it has begun. */
export const SLOT_RESOURCES = [
  'requests',
  'statements',
  'batches',
  'node_calls',
  'compressions',
  'decodings',
  'replays',
] as const;

/** Holdings: what can be taken back. */
export const HOLDING_RESOURCES = ['waiting', 'unsent_bytes', 'body_bytes', 'connections', 'streams'] as const;

export type SlotResource = (typeof SLOT_RESOURCES)[number];
export type HoldingResource = (typeof HOLDING_RESOURCES)[number];
export type ResourceName = SlotResource | HoldingResource;

/** The outcome for a client that requested more than there was. */
export type RefusalOutcome = 'over_share' | 'busy' | 'taken_back';

/** Called with each client that was refused, or from whom something was taken back. */
export type OnRefused = (resource: ResourceName, outcome: RefusalOutcome, client: string) => void;

/** A client did not get what it needs of a resource. */
export class ResourceRefusal extends Error {
  override readonly name = 'ResourceRefusal';
  readonly resource: ResourceName;
  /** Does the client hold more than its even share? Then it is the client's fault (429), otherwise the server's (503). */
  readonly isOverShare: boolean;

  constructor(resource: ResourceName, isOverShare: boolean) {
    // Without its stack: it becomes a response.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`refused: ${resource}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.resource = resource;
    this.isOverShare = isOverShare;
  }
}

/** The client's connection has closed: nobody waits for the response any more. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

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
