/**
 * Adds transactions of the node to the pending set. It resolves what they use, from other pending transactions and from the
 * index, and repeats this for those that are not finally resolved.
 */
import { isUtxoInput } from '../chain/input-and-output-kinds.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Id } from '../chain/types.ts';
import { LastingCondition } from '../errors/lasting-condition.ts';
import type { NodeLogger } from '../node/logger-interface.ts';
import {
  type ConfirmedIndex,
  type IndexLookupKeys,
  type IndexLookupResult,
  lookupKeysOf,
  NOTHING_CONFIRMED,
} from './confirmed-index-interface.ts';
import type { MempoolChange } from './mempool-change.ts';
import type { PendingReconciler } from './pending-reconciler.ts';
import type { PendingSet } from './pending-set.ts';
import {
  type DecodedPendingTransaction,
  isResolved,
  type PendingTransaction,
  type TransactionOrigin,
  type TransactionResolution,
} from './pending-transaction.ts';
import { resolveTransaction } from './resolve-transaction.ts';

/** The most transactions in one read of the index. */
const RESOLVED_AT_ONCE = 500;
/** The most reads of the same keys while the index moves. */
const READINGS = 3;

export type IncomingTransaction = DecodedPendingTransaction & { readonly origin: TransactionOrigin };

interface IncomingTransactionsOptions {
  readonly network: Network;
  readonly index: ConfirmedIndex;
  readonly logger: NodeLogger;
  readonly pending: PendingSet;
  readonly reconciler: PendingReconciler;
  readonly emit: (change: MempoolChange) => void;
}

export class IncomingTransactions {
  readonly #options: IncomingTransactionsOptions;
  /** The transactions in the pending set that are not finally resolved. */
  readonly #unresolved = new Set<Id>();
  /** The unknown transactions whose outputs they spend. */
  readonly #awaited = new Set<Id>();
  #isRetryDue = false;
  readonly #indexAway: LastingCondition;

  constructor(options: IncomingTransactionsOptions) {
    this.#options = options;
    this.#indexAway = new LastingCondition(options.logger, {
      holds: 'what pending transactions spend cannot be read',
      ended: 'what pending transactions spend can be read again',
    });
  }

  get isRetryDue(): boolean {
    return this.#isRetryDue;
  }

  /** Requests `retry`, after a change that may help to resolve transactions. */
  retryLater(): void {
    this.#isRetryDue = this.#unresolved.size > 0;
  }

  /** Adds the candidates that are not in a block to the set, in this order, also while the index cannot be read. */
  async take(candidates: readonly IncomingTransaction[], isNew: boolean): Promise<void> {
    const { pending, reconciler } = this.#options;
    for (let i = 0; i < candidates.length; i += RESOLVED_AT_ONCE) {
      const some = candidates.slice(i, i + RESOLVED_AT_ONCE);
      const { moves } = reconciler;
      const confirmed = await this.#read(some);
      for (const candidate of some) {
        const { id } = candidate;
        if (pending.has(id) || reconciler.isConfirmed(id)) continue;
        reconciler.add({ ...candidate, ...this.#resolve(candidate, confirmed) }, isNew);
      }
      // Since the index was read, spent outputs may have arrived, or left the pending set for a block.
      if (moves !== reconciler.moves) this.retryLater();
    }
  }

  /** Resolves a transaction without adding it to the pending set. */
  async look(candidate: IncomingTransaction): Promise<PendingTransaction> {
    return { ...candidate, ...this.#resolve(candidate, await this.#read([candidate])) };
  }

  /**
   * Resolves again the transactions that were not finally resolved. Returns false if the index cannot be read; the call
   * must then be repeated later.
   */
  async retry(): Promise<boolean> {
    const { pending, reconciler, emit } = this.#options;
    const { moves } = reconciler;
    this.#isRetryDue = false;
    this.#awaited.clear();
    for (const id of this.#unresolved) if (!pending.has(id)) this.#unresolved.delete(id);
    const all = [...this.#unresolved];
    for (let i = 0; i < all.length; i += RESOLVED_AT_ONCE) {
      const some = all.slice(i, i + RESOLVED_AT_ONCE).flatMap((id) => pending.get(id) ?? []);
      const confirmed = await this.#ask(keysOf(some));
      if (confirmed === null) {
        this.#isRetryDue = true;
        return false;
      }
      for (const { id } of some) {
        const known = pending.get(id);
        if (known === undefined) continue;
        const resolution = this.#resolve(known, confirmed);
        this.#unresolved.delete(id);
        this.#noteGaps({ ...known, ...resolution });
        // A listed transaction keeps its resolution until the node no longer has it, or the index is at the node's block.
        if (pending.isListed(id) && !isResolved({ ...known, ...resolution })) continue;
        if (!isEqual(known, resolution)) emit({ type: 'Resolved', id, resolution });
      }
    }
    if (moves !== reconciler.moves) this.retryLater();
    return true;
  }

  /**
   * Drops the transactions `due`, which the node no longer has, unless they are in a block. Returns false if the index cannot
   * be read; the call must then be repeated later.
   */
  async settle(due: readonly Id[]): Promise<boolean> {
    const { reconciler } = this.#options;
    const { moves } = reconciler;
    const confirmed = await this.#ask({ ...lookupKeysOf([]), transactions: due });
    if (confirmed === null) return false;
    // After a move, the transactions may not be due any more.
    if (moves === reconciler.moves) for (const id of due) if (!reconciler.isConfirmed(id)) reconciler.drop(id);
    return true;
  }

  #resolve(transaction: DecodedPendingTransaction, confirmed: IndexLookupResult): TransactionResolution {
    const { network, pending } = this.#options;
    return resolveTransaction(network, confirmed.height + 1, transaction, pending.sources(confirmed, transaction.id));
  }

  /**
   * Called for each change of the set: it may help to resolve a transaction, or add one that must be resolved again.
   */
  changed(change: MempoolChange): void {
    if (change.type === 'Added') this.#noteGaps(change.transaction);
    const isAwaited = change.type === 'Added' && this.#awaited.has(change.transaction.id);
    if (isAwaited || change.type === 'Dropped' || change.type === 'Ordered') this.retryLater();
  }

  #noteGaps({ id, isFinal, inputs, signed }: PendingTransaction): void {
    if (isFinal) return;
    this.#unresolved.add(id);
    signed.transaction.inputs.forEach((input, i) => {
      if (isUtxoInput(input) && inputs[i] === null) this.#awaited.add(input.outpoint.sourceId);
    });
  }

  /** Reads from the index what transactions use. Returns an empty result while the index cannot be read. */
  async #read(transactions: readonly DecodedPendingTransaction[]): Promise<IndexLookupResult> {
    const confirmed = await this.#ask(keysOf(transactions));
    // What they use is unknown, so they must be resolved again even if the index does not move.
    if (confirmed === null) this.#isRetryDue = true;
    return confirmed ?? NOTHING_CONFIRMED;
  }

  /**
   * Reads keys from the index, and confirms the transactions that are in a block. Returns null if the index cannot be
   * read.
   */
  async #ask(asked: IndexLookupKeys): Promise<IndexLookupResult | null> {
    const { index, reconciler } = this.#options;
    try {
      for (let reading = 1; ; reading++) {
        const { moves } = reconciler;
        const confirmed = await index.read(asked);
        if (confirmed === null) return null;
        // If the index has moved, the transactions may not be in a block any more.
        if (moves !== reconciler.moves && confirmed.transactions.size > 0 && reading < READINGS) continue;
        for (const [id, height] of confirmed.transactions) reconciler.confirmed(id, height);
        this.#indexAway.ended();
        return confirmed;
      }
    } catch (error) {
      this.#indexAway.holds({ error: String(error) });
      return null;
    }
  }
}

function keysOf(transactions: readonly DecodedPendingTransaction[]): IndexLookupKeys {
  return lookupKeysOf(transactions.map(({ id, signed }) => [id, signed.transaction]));
}

function isEqual(a: TransactionResolution, b: TransactionResolution): boolean {
  const known = ({ inputs, accounts }: TransactionResolution) =>
    inputs.filter((input) => input !== null).length + accounts.filter(({ owner }) => owner !== null).length;
  return (
    a.fee === b.fee &&
    a.isFinal === b.isFinal &&
    known(a) === known(b) &&
    a.addresses.size === b.addresses.size &&
    a.tokens.size === b.tokens.size
  );
}
