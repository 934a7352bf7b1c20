/** Runs a route for many requests at once, all at one tip. */

import { readOneSnapshot } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { badRequest } from '../errors/api-error.ts';
import { unavailable } from '../errors/causes-of-503.ts';
import type { JsonBody } from '../pagination/list-result.ts';
import { NotAShortList } from '../pagination/whole-list-reader.ts';
import { type Caller, ClientGone } from '../resources/caller.ts';
import type { ServingContext } from './context.ts';
import { toApiError } from './error-response.ts';
import type { AnyGetRoute, RouteReadResult, RouteRequest } from './get-route-stages.ts';

export interface IdBatch {
  readonly route: AnyGetRoute;
  /** The ids; equal ones are read once. */
  readonly ids: readonly string[];
  /** Makes the request for an id. */
  readonly requestFor: (id: string) => RouteRequest;
  /** The maximum sum of the bodies, each counted as often as its id occurs. */
  readonly maxBytes: number;
  /** The caller of the batch; after it has gone, no further step is run. */
  readonly caller: Caller;
}

export interface BatchResult {
  /** The body of the response, also of an error. */
  readonly text: string;
  readonly isError: boolean;
  /** The tip; null if nothing had to be read. */
  readonly tip: SnapshotTip | null;
}

const MIB = 1024 * 1024;
/** The ids of a step. */
const IDS_PER_STEP = 100;
/** The units of the resource `requests` for a step: an id costs less than a request. */
const UNITS_PER_STEP = 32;
/** The bytes around a body in the response: its id's name, quotes and commas. */
const BYTES_BESIDES = 10;
/** The most reads of a batch whose tip changes meanwhile. */
const MAX_TRIES = 5;

/** Returns the result for each id. Throws the ApiError that fails the whole batch, and {@link ClientGone}. */
export async function readBatchResponses(context: ServingContext, batch: IdBatch): Promise<Map<string, BatchResult>> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const results = await readOnce(context, batch);
    const tips = new Set<string>();
    for (const { tip } of results.values()) {
      if (tip === null) continue;
      tips.add(`${tip.revision} ${tip.id}`);
      context.tipWatch.noteAdvertised(tip.revision);
    }
    if (tips.size <= 1) return results;
  }
  throw unavailable('tip changed during batch');
}

/** Reads short lists a hundred at a time, and then the long ones, one after the other. */
async function readOnce(context: ServingContext, batch: IdBatch): Promise<Map<string, BatchResult>> {
  const { maxBytes, caller } = batch;
  const { requests } = context.resources;
  const copies = new Map<string, number>();
  for (const id of batch.ids) copies.set(id, (copies.get(id) ?? 0) + 1);
  const ids = [...copies.keys()];
  const results = new Map<string, BatchResult>();
  let bytes = 0;
  const read = async (id: string, store: QueryRunner): Promise<void> => {
    const result = await readResult(context, batch, id, store);
    if (result === null) return;
    bytes += copies.get(id)! * (Buffer.byteLength(result.text) + Buffer.byteLength(id) + BYTES_BESIDES);
    if (bytes <= maxBytes) results.set(id, result);
  };
  const step = async (some: readonly string[], isShortOnly: boolean): Promise<void> => {
    if (caller.isGone) throw new ClientGone();
    await requests.run(caller, Math.ceil((some.length * UNITS_PER_STEP) / IDS_PER_STEP), (held) => {
      const store = context.store.for(caller, held);
      return Promise.all(some.map((id) => read(id, isShortOnly ? shortListsOnly(store) : store)));
    });
    if (bytes > maxBytes) {
      throw badRequest(
        `The answers have more than ${Math.floor(maxBytes / MIB)} MiB in all: ask for fewer ids at once`,
      );
    }
  };
  for (let i = 0; i < ids.length; i += IDS_PER_STEP) await step(ids.slice(i, i + IDS_PER_STEP), true);
  for (const id of ids) if (!results.has(id)) await step([id], false);
  return results;
}

/** Returns the result for an id; null for a list that is too long for this store. Throws errors of the server. */
async function readResult(
  context: ServingContext,
  { route, requestFor, caller }: IdBatch,
  id: string,
  store: QueryRunner,
): Promise<BatchResult | null> {
  let tip: SnapshotTip | null = null;
  try {
    const params = route.parse(requestFor(id));
    const data: RouteReadResult = await readOneSnapshot(() => route.read(store, params, caller));
    tip = data.tip;
    const body = route.present(data, params) as string | JsonBody;
    return { text: typeof body === 'string' ? body : body.text, tip, isError: false };
  } catch (error) {
    if (error instanceof NotAShortList) return null;
    const apiError = toApiError(context, error);
    // A mistake in an id is its result; a refusal by the server fails the batch.
    if (apiError.status !== 400 && apiError.status !== 404) throw apiError;
    return { text: apiError.body, tip, isError: true };
  }
}

/** Wraps the store so that long lists are refused, and do not hold up the short ones. */
function shortListsOnly(store: QueryRunner): QueryRunner {
  return {
    query: (query, ...parameters) => store.query(query, ...parameters),
    queryLong: (query, ..._) => Promise.reject(new NotAShortList(query.name)),
  };
}
