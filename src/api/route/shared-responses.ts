/** Requests whose responses are being made: requests for the same share one response. */
import type { PreparedResponse } from '../http/prepared-response.ts';

export class SharedResponses {
  readonly #byKey = new Map<string, Promise<PreparedResponse>>();

  /**
   * Called when the tip changes: the client of a later request may know the new tip already and must not get a response
   * that was begun before.
   */
  clear(): void {
    this.#byKey.clear();
  }

  get(key: string): Promise<PreparedResponse> | undefined {
    return this.#byKey.get(key);
  }

  /** Shares a response until it is there. */
  share(key: string, response: Promise<PreparedResponse>): Promise<PreparedResponse> {
    this.#byKey.set(key, response);
    // Before all others that wait for it.
    const end = (): void => {
      if (this.#byKey.get(key) === response) this.#byKey.delete(key);
    };
    response.then(end, end);
    return response;
  }
}
