/** Requests whose responses are being made: requests for the same share one response. */
import type { PreparedResponse } from '../http/prepared-response.ts';

/** A response that is being made. */
interface ResponseInProgress {
  /** When it was begun, in the order of arrivals and beginnings. */
  readonly begunAt: number;
  /** Null when it is there. */
  response: Promise<PreparedResponse> | null;
}

export class SharedResponses {
  /**
   * Not the promises themselves: a map that is filled and emptied all the time leaves tables behind, each of which knows the
   * next one. Once the first is old, what any of them holds stays in memory until the next full garbage collection: these
   * were the responses, and full collections a seventh of what a response cost.
   */
  readonly #byKey = new Map<string, ResponseInProgress>();
  #moments = 0;

  /** A moment later than all before. */
  now(): number {
    return ++this.#moments;
  }

  /**
   * Called when the tip changes: the client of a later request may know the new tip already and must not get a response
   * that was begun before.
   */
  clear(): void {
    this.#byKey.clear();
  }

  get(key: string): ResponseInProgress | undefined {
    return this.#byKey.get(key);
  }

  /** Shares a response until it is there. */
  share(key: string, response: Promise<PreparedResponse>): Promise<PreparedResponse> {
    const shared: ResponseInProgress = { begunAt: this.now(), response };
    this.#byKey.set(key, shared);
    // Before all others that wait for it.
    const end = (): void => {
      shared.response = null;
      if (this.#byKey.get(key) === shared) this.#byKey.delete(key);
    };
    response.then(end, end);
    return response;
  }
}
