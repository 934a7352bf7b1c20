/** The responses of a route to many requests at once, all of one tip. */
import type { Caller } from '../../resources/caller.ts';
import type { SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { badRequest } from '../errors/api-error.ts';
import { unavailable } from '../errors/unavailable.ts';
import type { JsonBody } from '../pagination/list-result.ts';
import { LongListError } from '../pagination/unpaged-lists.ts';
import type { ApiContext } from './context.ts';
import { toApiError } from './error-response.ts';
import type { AnyGetRoute, RouteReadResult, RouteRequest } from './get-route.ts';
import { readRouteData } from './read-stage.ts';

export interface Batch {
  readonly route: AnyGetRoute;
  readonly ids: readonly string[];
  /** The request for an id. */
  readonly requestFor: (id: string) => RouteRequest;
  /** On whose behalf the store is read. */
  readonly caller: Caller;
}

export interface BatchResult {
  /** The body of the response, those of errors included. */
  readonly text: string;
  readonly isError: boolean;
  /** Null where nothing had to be read. */
  readonly tip: SnapshotTip | null;
}

/** The bodies of a batch together; one more may come on top. */
const MAX_BYTES = 32 * 1024 * 1024;
/** As many as one statement answers. */
const IDS_PER_STEP = 100;
/** How often a batch is read again because the tip changed meanwhile. */
const MAX_TRIES = 5;

/** The result for each id. Throws the ApiError that fails the whole batch. */
export async function readBatchResponses(context: ApiContext, batch: Batch): Promise<Map<string, BatchResult>> {
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

/** The short ones a hundred at a time, so that few statements answer them; then the long ones, one after the other. */
async function readOnce(context: ApiContext, batch: Batch): Promise<Map<string, BatchResult>> {
  const ids = [...new Set(batch.ids)];
  const results = new Map<string, BatchResult>();
  let bytes = 0;
  const add = (id: string, result: BatchResult): void => {
    bytes += result.text.length;
    if (bytes > MAX_BYTES) {
      throw badRequest(`The answers have more than ${MAX_BYTES >> 20} MiB in all: ask for fewer ids at once`);
    }
    results.set(id, result);
  };
  const store = context.store.for(batch.caller);
  const shortOnly = shortListsOnly(store);
  const readStep = (from: number) => {
    const step = ids.slice(from, from + IDS_PER_STEP);
    const reading = Promise.all(step.map(async (id) => [id, await readResult(context, batch, id, shortOnly)] as const));
    // It may fail while the step before it is awaited.
    reading.catch(() => {});
    return reading;
  };
  // PostgreSQL works on the next step while this one is presented; more steps at a time would only take memory.
  let next = readStep(0);
  for (let i = 0; i < ids.length; i += IDS_PER_STEP) {
    const current = next;
    if (i + IDS_PER_STEP < ids.length) next = readStep(i + IDS_PER_STEP);
    for (const [id, result] of await current) if (result !== null) add(id, result);
  }
  for (const id of ids) {
    if (!results.has(id)) add(id, (await readResult(context, batch, id, store))!);
  }
  return results;
}

/** The result for one id; null for a list that is too long for the store. Errors of the server are thrown. */
async function readResult(
  context: ApiContext,
  { route, requestFor, caller }: Batch,
  id: string,
  store: UnbatchedQueryRunner,
): Promise<BatchResult | null> {
  let tip: SnapshotTip | null = null;
  try {
    const params = route.parse(requestFor(id));
    const data: RouteReadResult = await readRouteData(context, route, params, caller, store);
    tip = data.tip;
    const body = route.present(data, params) as string | JsonBody;
    return { text: typeof body === 'string' ? body : body.text, tip, isError: false };
  } catch (error) {
    if (error instanceof LongListError) return null;
    const apiError = toApiError(context, error);
    if (apiError.status >= 500) throw apiError;
    return { text: apiError.body, tip, isError: true };
  }
}

/** The store without statements for long lists: these are not to hold up the short ones. */
function shortListsOnly(store: UnbatchedQueryRunner): UnbatchedQueryRunner {
  return {
    query: (query, ...parameters) => store.query(query, ...parameters),
    queryUnbatched: (query, ..._) => Promise.reject(new LongListError(query.name)),
  };
}
