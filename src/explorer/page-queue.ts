/**
 * Pages take turns: one costs as much as some ten responses of the API. Read all at once, those of hundreds of visitors would
 * occupy the database and the process while clients of the API wait.
 */
import { FairQueue } from '../store/read/fair-queue.ts';

/** Pages that are read at a time: enough to share statements. */
const MAX_IN_PROGRESS = 16;

export class PageQueue {
  /** Called when it is their turn. */
  readonly #waiting = new FairQueue<() => void>();
  #inProgress = 0;

  /** Calls `read` when it is this client's turn. */
  async run<Data>(client: string, read: () => Data | Promise<Data>): Promise<Data> {
    if (this.#inProgress < MAX_IN_PROGRESS) this.#inProgress++;
    else await new Promise<void>((resolve) => this.#waiting.add(client, resolve));
    try {
      return await read();
    } finally {
      const next = this.#waiting.next();
      if (next === undefined) this.#inProgress--;
      else next();
    }
  }
}
