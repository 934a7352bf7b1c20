/** Responses about the mempool by their URL: each is valid as long as the state of the pool that it was made of. */
import type { TipWatch } from '../../store/read/tip-watch.ts';
import type { PreparedResponse } from '../http/prepared-response.ts';
import type { PendingTransactions } from './pending-transactions.ts';

const MAX_RESPONSES = 64;
const MAX_BYTES = 256 * 1024;
const MAX_URL_LENGTH = 400;

interface PoolState {
  readonly pool: PendingTransactions['pool'];
  readonly revision: number;
}

export class PendingResponseCache {
  readonly #pending: PendingTransactions | null;
  readonly #tipWatch: Pick<TipWatch, 'tip' | 'advertisedRevision'>;
  readonly #responses = new Map<string, { readonly response: PreparedResponse; readonly until: number }>();
  readonly #madeOf = new WeakMap<PreparedResponse, PoolState>();
  #pool: PendingTransactions['pool'] | undefined;
  #poolRevision = -1;
  #tipRevision = -1;

  constructor(pending: PendingTransactions | null, tipWatch: Pick<TipWatch, 'tip' | 'advertisedRevision'>) {
    this.#pending = pending;
    this.#tipWatch = tipWatch;
  }

  /** Undefined also where the response may be outdated. */
  get(url: string): PreparedResponse | undefined {
    const kept = this.#responses.get(url);
    return kept !== undefined && performance.now() < kept.until && this.#isCurrent() ? kept.response : undefined;
  }

  /** Says which state of the pool a response was made of; it is valid as long as the pool is in it. */
  validFor({ pool, revision }: PoolState, response: PreparedResponse): PreparedResponse {
    if (!this.#madeOf.has(response)) this.#madeOf.set(response, { pool, revision });
    return response;
  }

  /** Keeps a response, unless the pool has changed since it was made, for `maxAgeMs` if it depends on something else, too. */
  put(url: string, response: PreparedResponse, maxAgeMs = Number.POSITIVE_INFINITY): void {
    const state = this.#madeOf.get(response);
    const pool = this.#pending?.pool;
    if (state === undefined || state.pool !== pool || state.revision !== pool.revision) return;
    if (!this.#isCurrent()) this.#reset();
    const hasRoom = this.#responses.size < MAX_RESPONSES || this.#responses.has(url);
    if (response.size > MAX_BYTES || url.length > MAX_URL_LENGTH || !hasRoom) return;
    this.#responses.set(url, { response, until: performance.now() + maxAgeMs });
  }

  /** Drops what is kept under a URL: it depended on something else, too. */
  forget(url: string): void {
    this.#responses.delete(url);
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
