/**
 * The shared resources of a web server, each with its total: a part of the server's memory (`--max-memory`), or a
 * count. docs/operation.md#shared-resources has them as a table.
 */
import { Holdings } from './reclaimable-holdings.ts';
import {
  HOLDING_RESOURCES,
  type HoldingResource,
  type OnRefused,
  type RefusalOutcome,
  type ResourceName,
  SLOT_LIMITS,
  SLOT_RESOURCES,
  type SlotResource,
} from './shared-resources.ts';
import { Slots, type SlotsOptions } from './slots.ts';

export interface ResourceTotals extends Readonly<Record<SlotResource | HoldingResource, number>> {
  /** Cached responses of the current tip. They belong to no client: the oldest are evicted. */
  readonly cache_bytes: number;
  /** The largest list that is served whole. While it is sent, it exists in several forms, for several clients. */
  readonly list_bytes: number;
}

/** Requests that wait for a tip. Each looks it up at each new tip. The memory of a waiting request counts for `connections`. */
const MAX_TIP_WAITS = 1_000;

const MIB = 1024 * 1024;
/** The minimum memory of a process. */
export const MIN_MEMORY_BYTES = 256 * MIB;
/** Memory of a process besides these: code, the documentation page, the decoding thread, room for the garbage collector. */
const PROGRAM_BYTES = 256 * MIB;
/** The parts of the remaining memory, in sixteenths. */
const PARTS = { cache: 1, unsent: 5, bodies: 2, snapshots: 1, connections: 7 } as const;
/** While a body is parsed, it exists in several forms: bytes, text, the result. */
const FORMS_OF_A_BODY = 4;
/**
 * The size of a connection. An idle one has 16 kB (measured with 15,000 of them): Node's objects, its parser, the system's
 * handle. Its request has about as much, parsed, while it waits.
 */
const CONNECTION_BYTES = 32_768;
/** A larger cache only costs garbage collection: it is emptied with each block. */
const MAX_CACHE_BYTES = 256 * MIB;

/** Number of such lists that fit into the unsent bytes. */
const LISTS_AT_ONCE = 16;
/** A history of 100,000 transactions fits, whatever the memory. */
const MIN_LIST_BYTES = 8 * MIB;
/** V8 cannot make a text of twice this length. */
const MAX_LIST_BYTES = 256 * MIB;

/** Returns the totals for one process. `counts` do not depend on its memory. */
export function resourceTotals(
  memoryBytes: number,
  counts: { readonly connections: number; readonly streams: number },
): ResourceTotals {
  const all = Math.max(memoryBytes, MIN_MEMORY_BYTES);
  const rest = all - Math.min(PROGRAM_BYTES, all * 0.6);
  const part = (name: keyof typeof PARTS, unit = 1) => Math.floor((rest * PARTS[name]) / 16 / unit);
  const slots = Object.entries(SLOT_LIMITS).map(([name, { total }]) => [name, total]);
  return {
    ...(Object.fromEntries(slots) as Record<SlotResource, number>),
    cache_bytes: Math.min(part('cache'), MAX_CACHE_BYTES),
    list_bytes: Math.min(Math.max(part('unsent', LISTS_AT_ONCE), MIN_LIST_BYTES), MAX_LIST_BYTES),
    unsent_bytes: part('unsent'),
    body_bytes: part('bodies', FORMS_OF_A_BODY),
    snapshot_bytes: part('snapshots'),
    connections: Math.min(part('connections', CONNECTION_BYTES), counts.connections),
    streams: counts.streams,
    tip_waits: MAX_TIP_WAITS,
  };
}

/** Creates the slots of one resource; without options for a single client. */
export function createSlots(resource: SlotResource, options: Partial<SlotsOptions> = {}): Slots {
  const { maxWaitMs, ...defaults } = SLOT_LIMITS[resource];
  const total = options.total ?? defaults.total;
  const perClient = Math.min(defaults.perClient, Math.max(1, total - 1));
  return new Slots({ weightOf: () => 1, onRefused: () => {}, maxWaitMs, ...options, resource, total, perClient });
}

/** All resources by name. */
export type WebServerResources = Readonly<Record<SlotResource, Slots>> &
  Readonly<Record<HoldingResource, Holdings>> & {
    readonly totals: ResourceTotals;
    /** Number of even shares of a client: 1, or more for a client that stands for many. */
    readonly weightOf: (client: string) => number;
    /** Number of refusals so far, by resource and outcome. */
    readonly refusals: ReadonlyMap<ResourceName, ReadonlyMap<RefusalOutcome, number>>;
  };

interface ResourceOptions {
  readonly weightOf?: WebServerResources['weightOf'];
  readonly onRefused?: OnRefused;
}

export function createResources(
  totals: ResourceTotals,
  { weightOf = () => 1, onRefused: tell = () => {} }: ResourceOptions = {},
): WebServerResources {
  const refusals = new Map<ResourceName, Map<RefusalOutcome, number>>();
  const onRefused: OnRefused = (resource, outcome, client) => {
    const counts = refusals.get(resource) ?? new Map<RefusalOutcome, number>();
    refusals.set(resource, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
    tell(resource, outcome, client);
  };
  const options = (name: ResourceName) => ({ total: totals[name], weightOf, onRefused });
  const slots = SLOT_RESOURCES.map((name) => [name, createSlots(name, options(name))]);
  const holdings = HOLDING_RESOURCES.map((resource) => [resource, new Holdings({ resource, ...options(resource) })]);
  return { ...Object.fromEntries([...slots, ...holdings]), totals, weightOf, refusals } as WebServerResources;
}
