/**
 * Decides which transactions are pending. The node reports the content of its mempool, the index reports its blocks,
 * each at its own time.
 *
 * The index is what clients see, so it decides when a transaction is confirmed, and when it no longer is. A transaction
 * that the node no longer has is dropped only if the index has reached the node's tip of that moment and does not have
 * it either. Until then it is shown as pending. Nothing waits here; all changes go to the pending set at once.
 */
import type { Id } from '../chain/types.ts';
import type { BlockIdAndHeight } from '../node/result-parsers.ts';
import type { IndexMove } from './confirmed-index-interface.ts';
import type { MempoolChange } from './mempool-change.ts';
import type { PendingSet } from './pending-set.ts';
import type { PendingTransaction } from './pending-transaction.ts';
import { RecentBlocks } from './recent-blocks.ts';

export interface PendingLimits {
  /** Maximum bytes of the transactions that are kept, as `countedBytesOf` counts them. */
  readonly maxBytes: number;
  readonly maxTransactions: number;
}

/** The most ids remembered of transactions that were removed to make room. */
const MAX_FORGOTTEN = 100_000;
const MAX_ANNOUNCED = 20_000;
/** The most ids remembered of transactions whose blocks were removed. */
const MAX_UNCONFIRMED = 10_000;

export class PendingReconciler {
  readonly #pending: PendingSet;
  readonly #limits: PendingLimits;
  /** Applies a change to the pending set and publishes it. */
  readonly #emit: (change: MempoolChange) => void;
  readonly #recent = new RecentBlocks();
  /** The transactions that the node no longer has, each with the node's tip when that was noticed. */
  readonly #leaving = new Map<Id, BlockIdAndHeight>();
  readonly #forgotten = new Set<Id>();
  /** Ids announced after the running request of them, or of the list, began; its response may lack them. */
  readonly #heard = new Set<Id>();
  /** The transactions of removed blocks, each with the height of its block, until another block has them. */
  readonly #unconfirmed = new Map<Id, number>();
  #tip: BlockIdAndHeight | null = null;
  #moves = 0;

  constructor(pending: PendingSet, limits: PendingLimits, emit: (change: MempoolChange) => void) {
    this.#pending = pending;
    this.#limits = limits;
    this.#emit = emit;
  }

  /** The tip of the index; null before the first. */
  get tip(): BlockIdAndHeight | null {
    return this.#tip;
  }

  /** The number of moves of the index. What was read before a move may be outdated. */
  get moves(): number {
    return this.#moves;
  }

  /** Were pending transactions removed to make room? */
  get hasForgotten(): boolean {
    return this.#forgotten.size > 0;
  }

  isConfirmed(id: Id): boolean {
    return this.#recent.heightOf(id) !== undefined;
  }

  isForgotten(id: Id): boolean {
    return this.#forgotten.has(id);
  }

  /**
   * Must this transaction of the node be added? Not if it is here already, was removed to make room, or is in a block of the
   * index, which counts more than the node's report.
   */
  isNews(id: Id): boolean {
    return !this.#pending.has(id) && !this.isConfirmed(id) && !this.#forgotten.has(id);
  }

  /** Adds a transaction of the node if it is new. */
  add(transaction: PendingTransaction, isNew: boolean): void {
    const { id } = transaction;
    this.#leaving.delete(id);
    if (!this.isNews(id)) return;
    const height = this.#unconfirmed.get(id);
    const added = {
      ...transaction,
      ...(height !== undefined && { unconfirmedFrom: height }),
      ...(isNew && { seenAt: transaction.seenAt ?? Math.floor(Date.now() / 1_000) }),
    };
    this.#emit({ type: 'Added', transaction: added, isNew });
    this.#makeRoom();
  }

  /** Notes that the node is being asked for a transaction, or for all. */
  asking(id?: Id): void {
    if (id === undefined) this.#heard.clear();
    else this.#heard.delete(id);
  }

  /** Notes that the node has reported a transaction. */
  present(id: Id): void {
    if (this.#heard.size < MAX_ANNOUNCED) this.#heard.add(id);
    this.#leaving.delete(id);
  }

  /**
   * Notes that the node, at this tip, does not have a transaction that was pending or in a removed block.
   */
  missing(id: Id, nodeTip: BlockIdAndHeight): void {
    if (!this.#heard.has(id) && !this.isConfirmed(id)) this.#leaving.set(id, nodeTip);
  }

  /**
   * Applies a complete list of the node, in its order. Transactions that came since stay behind it. Those of `before`,
   * which were known when the list was requested, and those that were removed to make room leave if it lacks them.
   */
  listed(ids: ReadonlyMap<Id, unknown>, before: Iterable<Id>, nodeTip: BlockIdAndHeight): void {
    for (const id of [...before, ...this.#forgotten]) {
      if (this.#heard.has(id)) continue;
      if (ids.has(id)) this.#leaving.delete(id);
      else if (this.#pending.has(id) || this.#forgotten.has(id)) this.#leaving.set(id, nodeTip);
    }
    const here = this.#pending.ids();
    const order = [...ids.keys()].filter((id) => this.#pending.has(id));
    if (order.some((id, i) => id !== here[i])) this.#emit({ type: 'Ordered', ids: order });
  }

  /** Returns the transactions that the node no longer has, if the index has reached the tip that the node had then. */
  due(): Id[] {
    const tip = this.#tip;
    if (tip === null || this.#leaving.size === 0) return [];
    return [...this.#leaving].flatMap(([id, node]) => (this.#isPast(node, tip) ? [id] : []));
  }

  /**
   * Has the index reached this tip of the node, on the same branch? On another branch the index may lack transactions of
   * the node's blocks, or have them pending again.
   */
  #isPast(node: BlockIdAndHeight, tip: BlockIdAndHeight): boolean {
    if (node.height >= tip.height) return node.id === tip.id;
    const block = this.#recent.blockAt(node.height);
    return block === undefined || block === node.id;
  }

  /** Drops a transaction that was due and is in no block of the index. Does nothing if the node has it again. */
  drop(id: Id): void {
    if (!this.#leaving.delete(id)) return;
    this.#forgotten.delete(id);
    this.#emit(this.#pending.dropped(id, Date.now()));
  }

  /** Notes that a transaction is in a block of the index. */
  confirmed(id: Id, height: number): void {
    if (this.isConfirmed(id)) return;
    this.#recent.note(id, height);
    this.#confirm(id, height);
  }

  /**
   * Applies a move of the index. Returns the transactions of removed blocks: only the node knows whether they are
   * pending again. Those that were pending before are shown as pending until then.
   */
  indexMoved(move: IndexMove): Id[] {
    this.#moves++;
    this.#tip = move.tip;
    const { confirmed, removed } = this.#recent.move(move);
    for (const [id, height] of confirmed) this.#confirm(id, height);
    for (const [id, height] of removed) {
      this.#unconfirmed.set(id, height);
      if (this.#unconfirmed.size > MAX_UNCONFIRMED) {
        this.#unconfirmed.delete(this.#unconfirmed.keys().next().value!);
      }
      const found = this.#pending.find(id);
      if (found?.state !== 'Confirmed') continue;
      this.add({ ...found.transaction, origin: 'local' }, true);
    }
    return [...removed.keys()];
  }

  #confirm(id: Id, height: number): void {
    this.#unconfirmed.delete(id);
    this.#leaving.delete(id);
    this.#forgotten.delete(id);
    // Most transactions of old blocks were never here.
    if (this.#pending.find(id) !== undefined) this.#emit({ type: 'Confirmed', id, height });
  }

  #makeRoom(): void {
    const { maxBytes, maxTransactions } = this.#limits;
    while (
      this.#pending.keptCount > 1 &&
      (this.#pending.countedBytes > maxBytes || this.#pending.keptCount > maxTransactions)
    ) {
      const id = this.#pending.oldest!;
      this.#leaving.delete(id);
      this.#forgotten.add(id);
      if (this.#forgotten.size > MAX_FORGOTTEN) this.#forgotten.delete(this.#forgotten.values().next().value!);
      this.#emit({ type: 'Forgotten', id });
    }
  }
}
