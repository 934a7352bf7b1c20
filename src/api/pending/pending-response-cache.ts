/** Finished answers about what is pending, by their URL: they hold as long as the pool that they were made of. */
import type { TipWatch } from '../../store/read/tip-watch.ts';
import type { PreparedResponse } from '../http/prepared-response.ts';
import type { Pending } from './pending.ts';

const MOST_ANSWERS = 64;
const LARGEST_BYTES = 256 * 1024;
const LONGEST_URL = 400;

export class PendingResponseCache {
  readonly #pending: Pending | null;
  readonly #watch: Pick<TipWatch, 'tip' | 'advertisedRevision'>;
  readonly #answers = new Map<string, PreparedResponse>();
  readonly #marks = new WeakMap<PreparedResponse, { readonly pool: Pending['pool']; readonly revision: number }>();
  #pool: Pending['pool'] | undefined;
  #poolRevision = -1;
  #tipRevision = -1;

  constructor(pending: Pending | null, tipWatch: Pick<TipWatch, 'tip' | 'advertisedRevision'>) {
    this.#pending = pending;
    this.#watch = tipWatch;
  }

  /** Undefined also where the answer may be another one by now. */
  get(url: string): PreparedResponse | undefined {
    const answer = this.#answers.get(url);
    return answer !== undefined && this.#isCurrent() ? answer : undefined;
  }

  /** Says that an answer holds for the pool as it is now. */
  holds(answer: PreparedResponse): PreparedResponse {
    const pool = this.#pending?.pool;
    if (pool) this.#marks.set(answer, { pool, revision: pool.revision });
    return answer;
  }

  /** Keeps an answer, unless the pool has changed since it held. */
  put(url: string, answer: PreparedResponse): void {
    const mark = this.#marks.get(answer);
    const pool = this.#pending?.pool;
    if (mark === undefined || mark.pool !== pool || mark.revision !== pool.revision) return;
    if (!this.#isCurrent()) this.#beginAnew();
    const isKept = answer.size <= LARGEST_BYTES && url.length <= LONGEST_URL && this.#answers.size < MOST_ANSWERS;
    if (isKept) this.#answers.set(url, answer);
  }

  #isCurrent(): boolean {
    const pending = this.#pending;
    return (
      pending !== null &&
      pending.pool === this.#pool &&
      pending.pool.revision === this.#poolRevision &&
      this.#watch.tip?.revision === this.#tipRevision &&
      this.#watch.advertisedRevision <= pending.revision &&
      pending.pool.isAvailable(Date.now())
    );
  }

  #beginAnew(): void {
    this.#answers.clear();
    this.#pool = this.#pending?.pool;
    this.#poolRevision = this.#pool?.revision ?? -1;
    this.#tipRevision = this.#watch.tip?.revision ?? -1;
  }
}
