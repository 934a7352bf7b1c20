/** The resources that the clients of a web server share. docs/operation.md#shared-resources has the table. */

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

/** What became of a client that asked for more than there was. */
export type RefusalOutcome = 'over_share' | 'busy' | 'taken_back';

/** Called with each client that was refused, or from whom something was taken back. */
export type OnRefused = (resource: ResourceName, outcome: RefusalOutcome, client: string) => void;
