/**
 * The names of the resources that the clients of a web server share, and refusals. docs/operation.md#shared-resources has
 * the table.
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
  'exports',
] as const;

/** Holdings: use that can be taken back. */
export const HOLDING_RESOURCES = [
  'unsent_bytes',
  'body_bytes',
  'snapshot_bytes',
  'connections',
  'streams',
  'tip_waits',
] as const;

export type SlotResource = (typeof SLOT_RESOURCES)[number];
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
