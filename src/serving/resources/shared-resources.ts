/** The resources that the clients of a web server share, and refusals. docs/operation.md#shared-resources has the table. */

/**
 * Slots, for work that cannot be taken back once it has begun: their units in total, those of one client, and how long a client
 * waits for them.
 */
export const SLOT_LIMITS = {
  /** Requests that are read and rendered at a time. A unit is a small response; lists and pages count more. */
  requests: { total: 64, perClient: 48, maxWaitMs: 10_000 },
  /** Statements with a connection of their own: long lists, and queries that were slow before. */
  statements: { total: 3, perClient: 2, maxWaitMs: 10_000 },
  /** Batches from the first id to the response, which is held in memory meanwhile. A large one keeps the event loop busy. */
  batches: { total: 4, perClient: 1, maxWaitMs: 10_000 },
  /** Calls of the node. A block counts four: it has megabytes. */
  node_calls: { total: 16, perClient: 12, maxWaitMs: 10_000 },
  /** Compressions of responses; a response without a slot in time is sent uncompressed. */
  compressions: { total: 2, perClient: 1, maxWaitMs: 250 },
  /** Decodings of large submissions and of pasted blocks. */
  decodings: { total: 2, perClient: 1, maxWaitMs: 10_000 },
  /** Steps of resumed streams: blocks are read, and their transactions parsed. */
  replays: { total: 2, perClient: 1, maxWaitMs: 60_000 },
  /** Exports, each with a connection and a transaction of its own. */
  exports: { total: 2, perClient: 1, maxWaitMs: 10_000 },
} satisfies Record<string, { readonly total: number; readonly perClient: number; readonly maxWaitMs: number }>;

export type SlotResource = keyof typeof SLOT_LIMITS;
export const SLOT_RESOURCES = Object.keys(SLOT_LIMITS) as SlotResource[];

/** Holdings: use that can be taken back. */
export const HOLDING_RESOURCES = [
  'unsent_bytes',
  'body_bytes',
  'snapshot_bytes',
  'connections',
  'streams',
  'tip_waits',
] as const;

export type HoldingResource = (typeof HOLDING_RESOURCES)[number];
export type ResourceName = SlotResource | HoldingResource;

/** The outcome for a client that requested more than there was. */
export type RefusalOutcome = 'over_share' | 'busy' | 'taken_back';

/** Called for each client that was refused, or lost a holding. */
export type OnRefused = (resource: ResourceName, outcome: RefusalOutcome, client: string) => void;

/** A client did not get enough of a resource. */
export class ResourceRefusal extends Error {
  override readonly name = 'ResourceRefusal';
  readonly resource: ResourceName;
  /** Does the client hold more than its even share? Then the response is 429, otherwise 503. */
  readonly isOverShare: boolean;

  constructor(resource: ResourceName, isOverShare: boolean) {
    // Without a stack, because the error becomes a response.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`refused: ${resource}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.resource = resource;
    this.isOverShare = isOverShare;
  }
}
