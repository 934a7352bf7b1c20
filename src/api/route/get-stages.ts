/**
 * The stages of a `GET` from its parameters on, for JSON and for pages: ready → cache → read → present → cache → send. Every
 * error becomes a response.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, ClientGone } from '../../resources/caller.ts';
import { ResourceRefusal } from '../../resources/resource-names.ts';
import { HeldUnits, type Slots } from '../../resources/slots.ts';
import type { SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { SnapshotChanged } from '../../store/read/one-snapshot.ts';
import { cacheKeyOf } from '../cache/response-cache.ts';
import { unavailable } from '../errors/causes-of-503.ts';
import { callerOf } from '../http/connection.ts';
import { etagHash, etagMatches, etagOf, isConditional, NotModified } from '../http/etag.ts';
import { tipText } from '../http/headers.ts';
import { type PreparedResponse, sendCounted } from '../http/prepared-response.ts';
import type { ApiContext } from './context.ts';
import type { RouteReadResult } from './get-route-stages.ts';
import { requireReady, responseOfTip } from './readiness.ts';

/** A request after its parameters were parsed. */
export interface ParsedRequest<Params, Source> {
  readonly raw: IncomingMessage;
  readonly reply: ServerResponse;
  readonly params: Params;
  /** Cost of reading and rendering, in units of the stages' `slots`. */
  readonly units: number;
  /** The rest of the request, for `present` and `fail`. */
  readonly source: Source;
}

/** The stages of one kind of request. */
interface ResponderStages<Params, Data extends RouteReadResult, Source> {
  /** The label of its responses in metrics, and the beginning of its cache keys. */
  readonly name: string;
  /** Is it also served while the index is being built? */
  readonly isAlwaysReady: boolean;
  /** May the response depend on the mempool? Then it is not shared with requests that came after it was begun. */
  readonly mayDependOnMempool: boolean;
  /** Held from the first read to the response. */
  readonly slots: Slots;
  /** Returns the version of the response shape, part of the ETag. */
  readonly version: () => string;
  /** The header `vary` of a response 304, besides what all have. */
  readonly vary?: string;
  /** Reads the store on behalf of a client. Called again when it throws {@link SnapshotChanged}. */
  readonly read: (store: UnbatchedQueryRunner, params: Params, caller: Caller) => Data | Promise<Data>;
  /** The response, with this ETag unless it is undefined: then the response depends on more than the tip. */
  readonly present: (data: Data, request: ParsedRequest<Params, Source>, etag: string | undefined) => PreparedResponse;
  /** The response for an error. */
  readonly fail: (error: unknown, source: Source) => PreparedResponse;
}

/** The size of a response that counts by its size the next time. Its size is unknown before. */
const LARGE_BYTES = 512 * 1024;
const BYTES_PER_UNIT = 64 * 1024;
const MAX_LARGE_REQUESTS = 1_000;

type Responded = PreparedResponse | NotModified | Promise<PreparedResponse>;

/** The function that answers a request through these stages, and counts it. */
export function createResponder<Params, Data extends RouteReadResult, Source>(
  context: ApiContext,
  stages: ResponderStages<Params, Data, Source>,
): (request: ParsedRequest<Params, Source>) => void {
  const { cache, metrics, pendingResponses, store, tipWatch } = context;
  const { name, isAlwaysReady, mayDependOnMempool, slots } = stages;
  const inProgress = new SharedResponses();
  /** The units of responses that were large the last time, by key. */
  const largeUnits = new Map<string, number>();
  /** Responses that concern only the client whose request was read for: its name; null if it has left. */
  const refusals = new WeakMap<PreparedResponse, string | null>();
  /** Requests that waited for a read of another client, which was refused. */
  const waitedInVain = new WeakSet<ParsedRequest<Params, Source>>();
  tipWatch.onChange(() => inProgress.clear());
  let serial = 0;

  function respond(request: ParsedRequest<Params, Source>): void {
    const began = metrics.begin();
    tipWatch.noteRequest(began);
    let response: Responded;
    try {
      response = findOrBegin(request);
    } catch (error) {
      response = stages.fail(error, request.source);
    }
    if (!(response instanceof Promise)) return send(request, response, began);
    const failed = (error: unknown): void => {
      context.throttledLog.error('unsent', error, 'An answer could not be sent; the connection was closed.');
      request.reply.destroy();
    };
    // One promise less than with `catch`.
    response.then((made) => {
      try {
        send(request, made, began);
      } catch (error) {
        failed(error);
      }
    }, failed);
  }

  function send(
    { raw, reply }: ParsedRequest<Params, Source>,
    response: PreparedResponse | NotModified,
    began: number,
  ): void {
    metrics.end(name, response.status, began);
    response.send(raw, reply);
  }

  /** The stages before the store is read: they end with a response, or with the promise of one. Throws the error 503. */
  function findOrBegin(request: ParsedRequest<Params, Source>): Responded {
    const { raw, params } = request;
    if (!isAlwaysReady) requireReady(context);
    const key = context.sharesResponses ? `${name} ${cacheKeyOf(params)}` : `${name} ${cacheKeyOf(params)} ${serial++}`;
    if (!isAlwaysReady) {
      const cached = cache.find(key, raw.url!);
      if (cached !== undefined) return cached;
      if (isConditional(raw)) {
        const tip = tipWatch.tip!;
        const etag = etagOf(stages.version(), tip, etagHash(key));
        if (etagMatches(raw, etag, false)) return new NotModified(etag, tipText(tip), stages.vary);
      }
    }
    const pending = mayDependOnMempool ? pendingResponses.find(key, raw.url!) : undefined;
    return pending ?? join(request, key, inProgress.now()) ?? begin(request, key);
  }

  /** Returns the response to an equal request, kept or in progress; undefined if there is none. */
  function findOrJoin(
    request: ParsedRequest<Params, Source>,
    key: string,
    arrivedAt: number,
  ): PreparedResponse | Promise<PreparedResponse> | undefined {
    const url = request.raw.url!;
    return (
      (isAlwaysReady ? undefined : cache.find(key, url)) ??
      (mayDependOnMempool ? pendingResponses.find(key, url) : undefined) ??
      join(request, key, arrivedAt)
    );
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
    const isNewEnough = !mayDependOnMempool || shared.begunAt > arrivedAt;
    return shared.response.then((response) => {
      const refused = refusals.get(response);
      const isForAll = isNewEnough || response.etag !== undefined || response.status >= 500;
      if (refused === undefined && isForAll) return response;
      if (typeof refused === 'string') {
        if (refused === callerOf(request.raw).client) return response;
        if (waitedInVain.has(request)) return stages.fail(unavailable('busy'), request.source);
        waitedInVain.add(request);
      }
      return findOrJoin(request, key, arrivedAt) ?? begin(request, key);
    });
  }

  /** Makes the response, now or at the client's turn. */
  function begin(request: ParsedRequest<Params, Source>, key: string): Promise<PreparedResponse> {
    const caller = callerOf(request.raw);
    const units = largeUnits.get(key) ?? request.units;
    return slots.tryAcquire(caller.client, units)
      ? inProgress.share(key, make(request, key, caller, units))
      : beginInTurn(request, key, caller, units);
  }

  async function beginInTurn(
    request: ParsedRequest<Params, Source>,
    key: string,
    caller: Caller,
    units: number,
  ): Promise<PreparedResponse> {
    const arrivedAt = inProgress.now();
    try {
      await slots.acquire(caller, units);
    } catch (error) {
      return stages.fail(error, request.source);
    }
    // Meanwhile the same may have been asked by others.
    const known = findOrJoin(request, key, arrivedAt);
    if (known === undefined) return inProgress.share(key, make(request, key, caller, units));
    slots.release(caller.client, units);
    return known;
  }

  /** The stages from the store on, while units of the client are held. Never rejects: errors are responses, too. */
  async function make(
    request: ParsedRequest<Params, Source>,
    key: string,
    caller: Caller,
    units: number,
  ): Promise<PreparedResponse> {
    const held = new HeldUnits(slots, caller, units);
    const callersStore = store.for(caller, held);
    try {
      for (;;) {
        let tip: SnapshotTip | null = null;
        try {
          const data = await stages.read(callersStore, request.params, caller);
          tip = data.tip;
          return prepare(data, request, key);
        } catch (error) {
          if (error instanceof SnapshotChanged) continue;
          const response = stages.fail(error, request.source);
          if (error instanceof ClientGone) refusals.set(response, null);
          if (error instanceof ResourceRefusal) refusals.set(response, caller.client);
          return tip === null ? response : responseOfTip(context, tip, response);
        }
      }
    } finally {
      held.end();
    }
  }

  /** Presents what was read, and caches it. */
  function prepare(data: Data, request: ParsedRequest<Params, Source>, key: string): PreparedResponse {
    const { tip } = data;
    const url = request.raw.url!;
    const keyHash = etagHash(key);
    const isOfTipAlone = !data.dependsOnMempool && !data.dependsOnHistory;
    const etag = tip !== null && isOfTipAlone ? etagOf(stages.version(), tip, keyHash) : undefined;
    const response = stages.present(data, request, etag);
    if (response.size > LARGE_BYTES) rememberLarge(key, response.size);
    if (tip !== null) responseOfTip(context, tip, response);
    // The caches hold responses of the tip that is being served, and no others.
    const isServed = tip === null || (tip.revision === tipWatch.tip?.revision && tip.id === tipWatch.tip.id);
    if (!isServed) return response;
    if (mayDependOnMempool) pendingResponses.put(key, url, response, data.maxAgeMs);
    if (etag !== undefined && response.etag === etag) cache.put(key, url, response, keyHash);
    return response;
  }

  function rememberLarge(key: string, bytes: number): void {
    if (largeUnits.size >= MAX_LARGE_REQUESTS) largeUnits.clear();
    largeUnits.set(key, Math.ceil(bytes / BYTES_PER_UNIT));
  }

  return respond;
}

/** Sends a response for which nothing must be read, and counts it. */
export function sendWithoutReading(
  { metrics, tipWatch }: Pick<ApiContext, 'metrics' | 'tipWatch'>,
  name: string,
  request: IncomingMessage,
  reply: ServerResponse,
  response: PreparedResponse,
): void {
  tipWatch.noteRequest();
  sendCounted(metrics, name, request, reply, response);
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
