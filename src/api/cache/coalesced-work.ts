/** Work in progress: whoever needs the result of equal work waits for the one that has begun. */

/** Work that has begun. */
export interface Work<Result> {
  /** The moment of its beginning, in the order of arrivals and beginnings. */
  readonly begunAt: number;
  /** The client for which it is done. */
  readonly client: string;
  /** The promise; null when it has ended. */
  result: Promise<Result> | null;
}

export class CoalescedWork<Result> {
  /**
   * The values are objects around the promises. A map that is filled and emptied all the time leaves old tables behind,
   * each linked to the next. Once the first is old, everything that any of them holds stays in memory until the next
   * full garbage collection. With the results in them, full collections took a seventh of the time for a response.
   */
  readonly #byKey = new Map<string, Work<Result>>();
  #moments = 0;

  /** Returns a moment later than all before. */
  now(): number {
    return ++this.#moments;
  }

  /** Forgets the work in progress. Later callers get none of it. */
  clear(): void {
    this.#byKey.clear();
  }

  get(key: string): Work<Result> | undefined {
    return this.#byKey.get(key);
  }

  /** Shares a result until it is there. */
  share(key: string, result: Promise<Result>, client = ''): Promise<Result> {
    const work: Work<Result> = { begunAt: this.now(), client, result };
    this.#byKey.set(key, work);
    // Runs before all others that wait for the result.
    const end = (): void => {
      work.result = null;
      if (this.#byKey.get(key) === work) this.#byKey.delete(key);
    };
    result.then(end, end);
    return result;
  }

  /** Returns the result of this work, which is begun unless it is in progress. */
  of(key: string, begin: () => Promise<Result>): Promise<Result> {
    return this.#byKey.get(key)?.result ?? this.share(key, begin());
  }
}
