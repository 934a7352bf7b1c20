/**
 * The stages of a `GET` between its parameters and the bytes, for JSON and for pages: ready → cache → read → present →
 * cache. Every error becomes a response.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../resources/shared-resources.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { cacheKeyOf } from '../cache/response-cache.ts';
import { SnapshotChanged } from '../errors/api-error.ts';
import { callerOf } from '../http/connection.ts';
import { etagMatches, etagOf, fnv1a, isConditional, NotModified } from '../http/etag.ts';
import type { PreparedResponse } from '../http/prepared-response.ts';
import { type ApiContext, requireReady } from './context.ts';

/** The data that a route has read. */
export interface RouteReadResult {
  /** The snapshot of the data; null if they do not come from the chain's state. */
  readonly tip: SnapshotTip | null;
  /** Do the data also depend on the mempool? Then the response is not cached and has no ETag. */
  readonly dependsOnMempool?: boolean;
  /** Do the data also depend on what this index saw before the tip? Likewise. */
  readonly dependsOnHistory?: boolean;
  /** The longest time that a response of the same mempool state is cached; by default as long as that state lasts. */
  readonly maxAgeMs?: number;
}

/** A request after its parameters were parsed. */
export interface ParsedRequest<Params, Source> {
  readonly raw: IncomingMessage;
  /** The URL, by which the cache finds the response without parsing. */
  readonly url: string;
  readonly params: Params;
  /** The other parts of the request for `present` and `fail`. */
  readonly source: Source;
}

/** The stages of one kind of request. */
interface ResponderStages<Params, Data extends RouteReadResult, Source> {
  /** The prefix of its cache keys. */
  readonly name: string;
  /** Is it also served while the index is being built? */
  readonly isAlwaysReady: boolean;
  /** May the response depend on the mempool? Then it is not shared with requests that came after it was begun. */
  readonly mayDependOnMempool: boolean;
  /** Returns the version of the response shape, part of the ETag. */
  readonly version: () => string;
  /** The header `vary` of a response 304, besides what all have. */
  readonly vary?: string;
  /** The units of the resource `requests` for reading and rendering: 1 for a small response. */
  readonly unitsOf: (params: Params) => number;
  /** Reads the store for a client. Called again if it throws {@link SnapshotChanged}. */
  readonly read: (params: Params, caller: Caller) => Data | Promise<Data>;
  /** Makes the response with this ETag. If the ETag is undefined, the response depends on more than the tip. */
  readonly present: (data: Data, request: ParsedRequest<Params, Source>, etag: string | undefined) => PreparedResponse;
  /** The response for an error. */
  readonly fail: (error: unknown, source: Source) => PreparedResponse;
}

/** The size of a response that counts by its size the next time. Its size is unknown before. */
const LARGE_BYTES = 512 * 1024;
const BYTES_PER_UNIT = 64 * 1024;
const MAX_LARGE_REQUESTS = 1_000;

type Responded = PreparedResponse | NotModified | Promise<PreparedResponse>;

/**
 * Returns the function that responds to requests through these stages. It throws errors found before anything is read.
 */
export function createResponder<Params, Data extends RouteReadResult, Source>(
  context: ApiContext,
  stages: ResponderStages<Params, Data, Source>,
): (request: ParsedRequest<Params, Source>) => Responded {
  const { cache, tipWatch, pendingResponses } = context;
  const { requests } = context.resources;
  const { name, isAlwaysReady, mayDependOnMempool } = stages;
  const inProgress = new SharedResponses();
  /** The units of responses that were large the last time, by key. */
  const largeUnits = new Map<string, number>();
  tipWatch.onChange(() => inProgress.clear());
  let serial = 0;

  /** The stages before the store is read. They return a response or the promise of one. */
  function respond(request: ParsedRequest<Params, Source>): Responded {
    const { raw, params } = request;
    if (!isAlwaysReady) requireReady(context);
    const key = context.sharesResponses ? `${name} ${cacheKeyOf(params)}` : `${name} ${cacheKeyOf(params)} ${serial++}`;
    if (!isAlwaysReady) {
      const cached = cache.find(key, request.url);
      if (cached !== undefined) return cached;
      if (isConditional(raw)) {
        const etag = etagOf(stages.version(), tipWatch.tip!, fnv1a(key));
        if (etagMatches(raw, etag, false)) return new NotModified(etag, stages.vary);
      }
    }
    const pending = mayDependOnMempool ? pendingResponses.find(key, request.url) : undefined;
    return pending ?? join(request, key, inProgress.now()) ?? begin(request, key);
  }

  /** Returns the response to an equal request in progress; undefined if there is none. */
  function join(
    request: ParsedRequest<Params, Source>,
    key: string,
    arrivedAt: number,
  ): Promise<PreparedResponse> | undefined {
    const shared = inProgress.get(key);
    if (shared?.response == null) return undefined;
    // A response about the mempool that was begun before this request came may be older than the state that its client
    // knows.
    if (!mayDependOnMempool || shared.begunAt > arrivedAt) return shared.response;
    return shared.response.then((response) => {
      if (response.etag !== undefined || response.status >= 500) return response;
      return pendingResponses.find(key, request.url) ?? join(request, key, arrivedAt) ?? begin(request, key);
    });
  }

  /** Makes the response, now or at the client's turn. */
  function begin(request: ParsedRequest<Params, Source>, key: string): Promise<PreparedResponse> {
    const caller = callerOf(request.raw);
    const { client } = caller;
    const units = largeUnits.get(key) ?? stages.unitsOf(request.params);
    return requests.tryAcquire(client, units)
      ? inProgress.share(key, make(request, key, client, units))
      : beginInTurn(request, key, caller, units);
  }

  async function beginInTurn(
    request: ParsedRequest<Params, Source>,
    key: string,
    caller: Caller,
    units: number,
  ): Promise<PreparedResponse> {
    const arrivedAt = inProgress.now();
    const { client } = caller;
    try {
      await requests.acquire(caller, units);
    } catch (error) {
      return stages.fail(error, request.source);
    }
    // Another client may have requested the same meanwhile.
    const known = (isAlwaysReady ? undefined : cache.find(key, request.url)) ?? join(request, key, arrivedAt);
    if (known === undefined) return inProgress.share(key, make(request, key, client, units));
    requests.release(client, units);
    return known;
  }

  /** The stages from the store on, while units of the client are held. Never rejects: errors are responses, too. */
  async function make(
    request: ParsedRequest<Params, Source>,
    key: string,
    client: string,
    units: number,
  ): Promise<PreparedResponse> {
    try {
      return await readAndPresent(request, key);
    } catch (error) {
      return stages.fail(error, request.source);
    } finally {
      requests.release(client, units);
    }
  }

  async function readAndPresent(request: ParsedRequest<Params, Source>, key: string): Promise<PreparedResponse> {
    for (;;) {
      try {
        const data = await stages.read(request.params, callerOf(request.raw));
        const { tip } = data;
        const keyHash = fnv1a(key);
        const isOfTipAlone = !data.dependsOnMempool && !data.dependsOnHistory;
        const etag = tip !== null && isOfTipAlone ? etagOf(stages.version(), tip, keyHash) : undefined;
        const response = stages.present(data, request, etag);
        if (response.size > LARGE_BYTES) rememberLarge(key, response.size);
        if (mayDependOnMempool) pendingResponses.put(key, request.url, response, data.maxAgeMs);
        if (tip === null) return response;
        tipWatch.noteAdvertised(tip.revision);
        // The cache holds only responses of the tip that is being served.
        const isServed = tip.revision === tipWatch.tip?.revision && tip.id === tipWatch.tip.id;
        if (isServed && etag !== undefined && response.etag === etag) cache.put(key, request.url, response, keyHash);
        return response;
      } catch (error) {
        if (!(error instanceof SnapshotChanged)) throw error;
      }
    }
  }

  function rememberLarge(key: string, bytes: number): void {
    if (largeUnits.size >= MAX_LARGE_REQUESTS) largeUnits.clear();
    largeUnits.set(key, Math.ceil(bytes / BYTES_PER_UNIT));
  }

  return respond;
}

/**
 * Sends the response that `respond` returns or throws, and counts it under `name`. To be called once for each request.
 */
export function sendResponded(
  { metrics, tipWatch, throttledLog }: Pick<ApiContext, 'metrics' | 'tipWatch' | 'throttledLog'>,
  name: string,
  request: IncomingMessage,
  reply: ServerResponse,
  { respond, fail }: { readonly respond: () => Responded; readonly fail: (error: unknown) => PreparedResponse },
): void {
  const began = metrics.begin();
  tipWatch.noteRequest(began);
  const send = (response: PreparedResponse | NotModified): void => {
    metrics.end(name, response.status, began);
    response.send(request, reply);
  };
  let response: Responded;
  try {
    response = respond();
  } catch (error) {
    response = fail(error);
  }
  if (!(response instanceof Promise)) return send(response);
  const failed = (error: unknown): void => {
    throttledLog.error('unsent', error, 'An answer could not be sent; the connection was closed.');
    reply.destroy();
  };
  // This makes one promise less than `catch`.
  response.then((made) => {
    try {
      send(made);
    } catch (error) {
      failed(error);
    }
  }, failed);
}

/** A response that is being made. */
interface ResponseInProgress {
  /** The moment of its beginning, in the order of arrivals and beginnings. */
  readonly begunAt: number;
  /** The promise; null when the response is there. */
  response: Promise<PreparedResponse> | null;
}

/** Responses that are being made. Equal requests share one response. */
export class SharedResponses {
  /**
   * The values are objects around the promises. A map that is filled and emptied all the time leaves old tables behind,
   * each linked to the next. Once the first is old, everything that any of them holds stays in memory until the next
   * full garbage collection. With the responses in them, full collections took a seventh of the time for a response.
   */
  readonly #byKey = new Map<string, ResponseInProgress>();
  #moments = 0;

  /** Returns a moment later than all before. */
  now(): number {
    return ++this.#moments;
  }

  /**
   * Called when the tip changes. The client of a later request may know the new tip already, and must not get a
   * response that was begun before.
   */
  clear(): void {
    this.#byKey.clear();
  }

  get(key: string): ResponseInProgress | undefined {
    return this.#byKey.get(key);
  }

  /** Shares a response until it is made. */
  share(key: string, response: Promise<PreparedResponse>): Promise<PreparedResponse> {
    const shared: ResponseInProgress = { begunAt: this.now(), response };
    this.#byKey.set(key, shared);
    // Runs before all others that wait for the response.
    const end = (): void => {
      shared.response = null;
      if (this.#byKey.get(key) === shared) this.#byKey.delete(key);
    };
    response.then(end, end);
    return response;
  }
}
