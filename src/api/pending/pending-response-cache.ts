/**
 * Responses about the mempool. Each is valid for the state of the pending set that it was made from. They are found
 * by the parsed request, and by its latest URLs; other spellings of a URL add no responses.
 */
import type { TipWatch } from '../../store/read/tip-watch.ts';
import type { PreparedResponse } from '../http/prepared-response.ts';
import type { PendingTransactions } from './pending-interface.ts';

const MAX_RESPONSES = 64;
const MAX_URLS = 256;
const MAX_BYTES = 256 * 1024;
const MAX_URL_LENGTH = 400;

interface PoolState {
  readonly pool: PendingTransactions['pool'];
  readonly revision: number;
}

interface Kept {
  readonly response: PreparedResponse;
  readonly until: number;
}

export class PendingResponseCache {
  readonly #pending: PendingTransactions | null;
  readonly #tipWatch: Pick<TipWatch, 'tip' | 'advertisedRevision'>;
  /** The responses, oldest first, as the URLs. */
  readonly #responses = new Map<string, Kept>();
  readonly #keys = new Map<string, string>();
  readonly #madeOf = new WeakMap<PreparedResponse, PoolState>();
  #pool: PendingTransactions['pool'] | undefined;
  #poolRevision = -1;
  #tipRevision = -1;

  constructor(pending: PendingTransactions | null, tipWatch: Pick<TipWatch, 'tip' | 'advertisedRevision'>) {
    this.#pending = pending;
    this.#tipWatch = tipWatch;
  }

  /** Returns the response for a recent URL; undefined also if it may be outdated. */
  get(url: string): PreparedResponse | undefined {
    const key = this.#keys.get(url);
    return key === undefined ? undefined : this.#find(key);
  }

  /** Returns the response to a request, whatever the spelling of this URL; undefined also if it may be outdated. */
  find(key: string, url: string): PreparedResponse | undefined {
    const response = this.#find(key);
    if (response !== undefined) this.#rememberUrl(url, key);
    return response;
  }

  /** Binds a response to the state of the pending set that it was made from. */
  validFor({ pool, revision }: PoolState, response: PreparedResponse): PreparedResponse {
    if (!this.#madeOf.has(response)) this.#madeOf.set(response, { pool, revision });
    return response;
  }

  /**
   * Caches a response, unless the set has changed since it was made. `maxAgeMs`: for a response that also depends on
   * something else.
   */
  put(key: string, url: string, response: PreparedResponse, maxAgeMs = Number.POSITIVE_INFINITY): void {
    const state = this.#madeOf.get(response);
    const pool = this.#pending?.pool;
    if (state === undefined || state.pool !== pool || state.revision !== pool.revision) return;
    if (!this.#isCurrent()) this.#reset();
    if (response.size > MAX_BYTES || key.length > MAX_URL_LENGTH) return;
    this.#responses.delete(key);
    this.#responses.set(key, { response, until: performance.now() + maxAgeMs });
    if (this.#responses.size > MAX_RESPONSES) this.#responses.delete(this.#responses.keys().next().value!);
    this.#rememberUrl(url, key);
  }

  /** Drops the response for a URL when something besides the mempool has changed that it depends on. */
  forget(url: string): void {
    this.#responses.delete(this.#keys.get(url) ?? '');
  }

  #find(key: string): PreparedResponse | undefined {
    const kept = this.#responses.get(key);
    return kept !== undefined && performance.now() < kept.until && this.#isCurrent() ? kept.response : undefined;
  }

  #rememberUrl(url: string, key: string): void {
    if (url.length > MAX_URL_LENGTH || this.#keys.get(url) === key) return;
    this.#keys.set(url, key);
    if (this.#keys.size > MAX_URLS) this.#keys.delete(this.#keys.keys().next().value!);
  }

  #isCurrent(): boolean {
    const pending = this.#pending;
    return (
      pending !== null &&
      pending.pool === this.#pool &&
      pending.pool.revision === this.#poolRevision &&
      this.#tipWatch.tip?.revision === this.#tipRevision &&
      this.#tipWatch.advertisedRevision <= pending.revision &&
      pending.pool.isAvailable
    );
  }

  #reset(): void {
    this.#responses.clear();
    this.#pool = this.#pending?.pool;
    this.#poolRevision = this.#pool?.revision ?? -1;
    this.#tipRevision = this.#tipWatch.tip?.revision ?? -1;
  }
}
