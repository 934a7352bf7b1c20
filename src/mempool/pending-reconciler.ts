/**
 * Decides what is pending: the node says what its mempool holds, the index which blocks there are, each at its own
 * time.
 *
 * The index is what clients see, so it decides when a transaction is confirmed, and when it no longer is. What the node has no longer
 * is dropped only when the index has come to the node's tip of that moment and does not have it either. Until then it
 * is shown as pending. Nothing waits here; all changes go to the pool at once.
 */
import type { Id } from '../chain/types.ts';
import type { BlockPoint } from '../node/responses.ts';
import type { MempoolChange } from './changes.ts';
import type { IndexMove } from './index-lookup.ts';
import type { PendingPool } from './pool.ts';
import { RecentBlocks } from './recent-blocks.ts';
import type { PendingTransaction } from './transaction.ts';

export interface PendingLimits {
  /** Maximum bytes of encoded transactions that are kept. */
  readonly maxBytes: number;
  readonly maxTransactions: number;
}

/** Ids of transactions that made room. */
const MAX_FORGOTTEN = 100_000;
const MAX_ANNOUNCED = 20_000;

export class PendingReconciler {
  readonly #pool: PendingPool;
  readonly #limits: PendingLimits;
  /** Applies a change to the pool and tells it. */
  readonly #emit: (change: MempoolChange) => void;
  readonly #recent = new RecentBlocks();
  /** Transactions that the node no longer has, with its tip at that time. */
  readonly #leaving = new Map<Id, BlockPoint>();
  readonly #forgotten = new Set<Id>();
  /** Ids that the node announced after the request for them, or for the list, was sent: a response without them is older. */
  readonly #heard = new Set<Id>();
  #tip: BlockPoint | null = null;
  #moves = 0;

  constructor(pool: PendingPool, limits: PendingLimits, emit: (change: MempoolChange) => void) {
    this.#pool = pool;
    this.#limits = limits;
    this.#emit = emit;
  }

  /** How often the index has moved: an answer of it from before a move may be out of date. */
  get moves(): number {
    return this.#moves;
  }

  /** Whether some that are pending had to make room. */
  get hasForgotten(): boolean {
    return this.#forgotten.size > 0;
  }

  isConfirmed(id: Id): boolean {
    return this.#recent.heightOf(id) !== undefined;
  }

  isForgotten(id: Id): boolean {
    return this.#forgotten.has(id);
  }

  /** Is it new here, if the node has it? In a block of the index it is not pending, whatever the node says. */
  isNews(id: Id): boolean {
    return !this.#pool.has(id) && !this.isConfirmed(id) && !this.#forgotten.has(id);
  }

  /** The node has a transaction that was not known. */
  add(transaction: PendingTransaction, isNew: boolean): void {
    const { id } = transaction;
    this.#leaving.delete(id);
    if (!this.isNews(id)) return;
    this.#emit({ type: 'Added', transaction, isNew });
    this.#makeRoom();
  }

  /** The node is being asked whether it has one; or for all that it has. */
  asking(id?: Id): void {
    if (id === undefined) this.#heard.clear();
    else this.#heard.delete(id);
  }

  /** The node has said that it has it. */
  present(id: Id): void {
    if (this.#heard.size < MAX_ANNOUNCED) this.#heard.add(id);
    this.#leaving.delete(id);
  }

  /** The node's answer, with that tip, lacks a transaction that was pending, or was in a block that was left. */
  missing(id: Id, nodeTip: BlockPoint): void {
    if (this.#heard.has(id)) return;
    this.#forgotten.delete(id);
    if (!this.isConfirmed(id)) this.#leaving.set(id, nodeTip);
  }

  /**
   * The node lists all that it has, in its order; what came since stays behind that. Those of `before` are judged: they were
   * known when the list was asked for.
   */
  listed(ids: ReadonlyMap<Id, unknown>, before: Iterable<Id>, nodeTip: BlockPoint): void {
    for (const id of before) {
      if (this.#heard.has(id)) continue;
      if (ids.has(id)) this.#leaving.delete(id);
      else if (this.#pool.has(id)) this.#leaving.set(id, nodeTip);
    }
    for (const id of this.#forgotten) if (!ids.has(id)) this.#forgotten.delete(id);
    const here = this.#pool.ids();
    const order = [...ids.keys()].filter((id) => this.#pool.has(id));
    if (order.some((id, i) => id !== here[i])) this.#emit({ type: 'Ordered', ids: order });
  }

  /** Returns transactions that the node no longer has, after the index has had time to find their blocks. */
  due(): Id[] {
    const tip = this.#tip;
    if (tip === null || this.#leaving.size === 0) return [];
    return [...this.#leaving].flatMap(([id, node]) => (this.#isPast(node, tip) ? [id] : []));
  }

  /** Is the node's tip in the index? On another branch the index may lack what the node's blocks had, or has pending again. */
  #isPast(node: BlockPoint, tip: BlockPoint): boolean {
    if (node.height >= tip.height) return node.id === tip.id;
    const block = this.#recent.blockAt(node.height);
    return block === undefined || block === node.id;
  }

  /** No block of the index has it, and it was due: it is dropped. Nothing happens if the node has it again. */
  drop(id: Id): void {
    if (this.#leaving.delete(id)) this.#emit({ type: 'Dropped', id, at: Date.now() });
  }

  /** The index said that a block has it. */
  confirmed(id: Id, height: number): void {
    if (this.isConfirmed(id)) return;
    this.#recent.note(id, height);
    this.#confirm(id, height);
  }

  /**
   * The index has moved. Gives what was in a block that it left: of that only the node knows whether it is pending
   * again. What was seen pending before is taken to be so until then.
   */
  indexMoved(move: IndexMove): Id[] {
    this.#moves++;
    this.#tip = move.tip;
    const { confirmed, left } = this.#recent.move(move);
    for (const [id, height] of confirmed) this.#confirm(id, height);
    for (const id of left) {
      const found = this.#pool.find(id);
      if (found?.state !== 'Confirmed') continue;
      this.add({ ...found.transaction, origin: 'local' }, true);
    }
    return [...left];
  }

  #confirm(id: Id, height: number): void {
    this.#leaving.delete(id);
    this.#forgotten.delete(id);
    // Most transactions of a block that is caught up with were never here.
    if (this.#pool.find(id) !== undefined) this.#emit({ type: 'Confirmed', id, height });
  }

  #makeRoom(): void {
    const { maxBytes, maxTransactions } = this.#limits;
    while (this.#pool.size > 1 && (this.#pool.bytes > maxBytes || this.#pool.size > maxTransactions)) {
      const { id } = this.#pool.transactions().next().value!;
      this.#leaving.delete(id);
      this.#forgotten.add(id);
      if (this.#forgotten.size > MAX_FORGOTTEN) this.#forgotten.delete(this.#forgotten.values().next().value!);
      this.#emit({ type: 'Forgotten', id });
    }
  }
}
