/** Requests with retries, and responses that are kept by their ETag. */
import { ApiError, ConnectionError } from './errors.ts';
import { pause } from './pause.ts';

export interface ClientOptions {
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** How often a request is sent again after 429, 503 or a lost connection; 4 by default. */
  readonly retries?: number;
  /** The longest pause before that, in milliseconds; 30,000 by default. A longer `retry-after` is an error. */
  readonly maxPauseMs?: number;
  /** How many responses are kept, and asked for by their `ETag`; none by default. */
  readonly cachedResponses?: number;
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

const FIRST_PAUSE_MS = 200;
/** Beside the API. It has no tip: a server that is behind tells how far. */
export const STATUS_PATH = '/../../status';

export class Http {
  readonly base: string;
  readonly #options: ClientOptions;
  readonly #cache = new Map<string, { readonly etag: string; readonly body: unknown }>();
  /** The newest tip that a response has shown. Requests name it, so that no server responds with an older state. */
  #tip: string | undefined;

  /** `url`: of the server, such as `https://example.org/indexer`. */
  constructor(url: string | URL, options: ClientOptions) {
    this.base = `${String(url).replace(/\/+$/, '')}/api/v2`;
    this.#options = options;
  }

  /** Sends a request, again as long as that may help. Returns the parsed body. Throws an ApiError or a ConnectionError. */
  async json(path: string, init: RequestInit = {}): Promise<unknown> {
    const kept = init.method === undefined ? this.#cache.get(path) : undefined;
    return this.retried(init.signal, async () => {
      const named = path === STATUS_PATH ? undefined : this.#tip;
      const headers = {
        ...(kept && { 'if-none-match': kept.etag }),
        ...(named !== undefined && { 'x-min-tip': named }),
      };
      const response = await this.open(path, { ...init, headers });
      this.#noteTip(response.headers.get('x-chain-tip'), named);
      if (response.status === 304 && kept) return kept.body;
      const text = await response.text().catch((error: unknown) => this.#lost(path, init, error));
      if (!response.ok) throw errorOf(response, text);
      const body = this.#parse(path, text);
      this.#keep(path, response.headers.get('etag'), body);
      return body;
    });
  }

  /** Sends a request once, with the headers of the options. Throws a ConnectionError. */
  async open(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    const { fetch: send = fetch, headers } = this.#options;
    try {
      return await send(this.base + path, { ...init, headers: { ...headers, ...init.headers } });
    } catch (error) {
      return this.#lost(path, init, error);
    }
  }

  /** Calls `attempt` again after an error that may pass, with pauses. */
  async retried<Result>(signal: AbortSignal | null | undefined, attempt: () => Promise<Result>): Promise<Result> {
    const { retries = 4, maxPauseMs = 30_000 } = this.#options;
    for (let failures = 0; ; failures++) {
      try {
        return await attempt();
      } catch (error) {
        const pauseMs = pauseAfter(error, failures);
        if (pauseMs === undefined || failures >= retries || pauseMs > maxPauseMs) throw error;
        await pause(spread(pauseMs), signal);
      }
    }
  }

  /** A lower tip is newer only if the server knew the tip that the request named: it has removed that one. */
  #noteTip(tip: string | null, named: string | undefined): void {
    if (tip === null) return;
    const isHigher = this.#tip === undefined || Number.parseInt(tip, 10) > Number.parseInt(this.#tip, 10);
    if (isHigher || named === this.#tip) this.#tip = tip;
  }

  #keep(path: string, etag: string | null, body: unknown): void {
    const { cachedResponses = 0 } = this.#options;
    if (etag === null || cachedResponses === 0) return;
    this.#cache.delete(path);
    this.#cache.set(path, { etag, body });
    if (this.#cache.size > cachedResponses) this.#cache.delete(this.#cache.keys().next().value!);
  }

  /** A proxy may answer with a page of its own, and status 200. */
  #parse(path: string, text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new ConnectionError(this.base + path, error);
    }
  }

  #lost(path: string, { signal }: RequestInit, error: unknown): never {
    signal?.throwIfAborted();
    throw new ConnectionError(this.base + path, error);
  }
}

/** Returns the error in a response. */
export function errorOf({ status, headers }: Response, text: string): ApiError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy may answer with anything.
  }
  const message = (body as { error?: unknown } | null | undefined)?.error;
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiError(
    status,
    typeof message === 'string' ? message : `status ${status}`,
    body,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

/** Returns the pause in milliseconds before another attempt; undefined for an error that does not pass. */
export function pauseAfter(error: unknown, failures: number): number | undefined {
  const growing = FIRST_PAUSE_MS * 2 ** failures;
  if (error instanceof ConnectionError) return growing;
  if (!(error instanceof ApiError) || ![429, 502, 503, 504].includes(error.status)) return undefined;
  return error.retryAfter === undefined ? growing : error.retryAfter * 1_000;
}

/** Makes a pause longer at random: clients that were refused together do not come back together. */
export function spread(pauseMs: number): number {
  return pauseMs * (1 + Math.random() / 4);
}
