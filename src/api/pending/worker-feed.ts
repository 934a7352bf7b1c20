/**
 * What one worker is sent: first a whole pool, then every change, in order, one message at a time, so that a worker
 * that does not read is not written to. One that is too far behind starts over with a whole pool.
 */
import type { Id } from '../../chain/types.ts';
import { type ChangeMessage, changeToMessage, type MempoolChange } from '../../mempool/changes.ts';
import type { Answer } from '../../mempool/mirror.ts';
import type { PendingTransactions } from './pending-transactions.ts';
import type { FoundMessage, ToWorker } from './worker-messages.ts';

const CHANGES_AT_ONCE = 200;
/** Changes that a worker may be behind, besides the pool that it begins with. */
const MOST_BEHIND = 20_000;

type Item = { readonly change: MempoolChange } | { readonly message: ToWorker };

export class WorkerFeed {
  readonly #mirror: Pick<PendingTransactions, 'pool' | 'revision' | 'find'>;
  readonly #send: (message: ToWorker, done: () => void) => void;
  #queue: Item[] = [];
  /** Changes that came since the last whole pool was put there, and are not sent. */
  #behind = 0;
  #isSending = false;
  #hasEnded = false;

  /** `send` calls `done` when the message is out of this process, or never will be. */
  constructor(
    mirror: Pick<PendingTransactions, 'pool' | 'revision' | 'find'>,
    send: (message: ToWorker, done: () => void) => void,
  ) {
    this.#mirror = mirror;
    this.#send = send;
    this.#beginAnew();
  }

  change(change: MempoolChange): void {
    if (this.#behind >= MOST_BEHIND) return this.#beginAnew();
    this.#behind++;
    this.#put({ change });
  }

  reached(revision: number): void {
    this.#put({ message: { pending: 'reached', revision } });
  }

  /** The answer comes after the changes that it is made of. */
  find(number: number, id: Id): void {
    void this.#mirror
      .find(id)
      .then((found) => this.#put({ message: { pending: 'found', number, found: foundMessage(found) } }));
  }

  end(): void {
    this.#hasEnded = true;
    this.#queue = [];
  }

  #beginAnew(): void {
    const answers = this.#queue.filter((item) => 'message' in item && item.message.pending === 'found');
    const { pool, revision } = this.#mirror;
    this.#behind = 0;
    this.#queue = [
      { message: { pending: 'begin' } },
      ...Array.from(pool.snapshot(), (change) => ({ change })),
      { message: { pending: 'whole' } },
      { message: { pending: 'reached', revision } },
      ...answers,
    ];
    this.#work();
  }

  #put(item: Item): void {
    if (this.#hasEnded) return;
    this.#queue.push(item);
    this.#work();
  }

  #work(): void {
    if (this.#isSending || this.#queue.length === 0) return;
    this.#isSending = true;
    this.#send(this.#next(), () => {
      this.#isSending = false;
      // In a later turn: the changes of one turn go together.
      setImmediate(() => this.#work());
    });
  }

  #next(): ToWorker {
    const first = this.#queue[0]!;
    if ('message' in first) {
      this.#queue.shift();
      return first.message;
    }
    let count = 0;
    const changes: ChangeMessage[] = [];
    for (const item of this.#queue) {
      if (!('change' in item) || count === CHANGES_AT_ONCE) break;
      changes.push(changeToMessage(item.change));
      count++;
    }
    this.#queue.splice(0, count);
    this.#behind = Math.max(0, this.#behind - count);
    return { pending: 'changes', changes };
  }
}

function foundMessage(found: Answer): FoundMessage {
  switch (found?.state) {
    case 'Pending':
      return {
        state: 'Pending',
        added: changeToMessage({ type: 'Added', transaction: found.transaction, isNew: false }),
      };
    case 'Dropped':
      return found;
    case 'Confirmed':
    case 'Unavailable':
      return { state: found.state };
    case undefined:
      return { state: 'Unknown' };
  }
}
