/** What the mirror reads from the index, on which pending transactions build: keys, results and moves of the tip. */

import { forEachReference, type ReferenceCallbacks } from '../chain/transaction-references.ts';
import type { Destination, Id, Outpoint, Transaction, TxOutput } from '../chain/types.ts';
import type { OrderTerms } from '../ledger/order-terms.ts';
import { keyOfOutpoint, type OutpointKey } from '../ledger/state-rows.ts';
import type { PoolTerms } from '../ledger/transaction-effects.ts';
import type { BlockIdAndHeight } from '../node/result-parsers.ts';

/** The distinct keys to look up, for many transactions at once. */
export interface IndexLookupKeys {
  /** Transactions that may be in a block. */
  readonly transactions: readonly Id[];
  readonly outpoints: readonly Outpoint[];
  readonly delegations: readonly Id[];
  readonly orders: readonly Id[];
  readonly tokens: readonly Id[];
}

/** What the index has of the requested keys, at one tip. Missing keys are left out. */
export interface IndexLookupResult {
  /** The height of the snapshot's tip. */
  readonly height: number;
  /** The heights of the blocks that have the transactions. */
  readonly transactions: ReadonlyMap<Id, number>;
  /** The unspent outputs, by `keyOfOutpoint`. */
  readonly outputs: ReadonlyMap<OutpointKey, TxOutput>;
  /** The pools of those outputs that are a pool's stake. */
  readonly pools: ReadonlyMap<Id, PoolTerms>;
  /** Owner of each delegation. */
  readonly delegations: ReadonlyMap<Id, Destination>;
  readonly orders: ReadonlyMap<Id, OrderTerms>;
  /** Authority of each token. */
  readonly tokens: ReadonlyMap<Id, Destination>;
}

/** The part of the index that the mirror needs. */
export interface ConfirmedIndex {
  /**
   * Looks up the keys. Returns null while there is no index yet. Rejects if the database cannot be read.
   */
  read(asked: IndexLookupKeys): Promise<IndexLookupResult | null>;
}

/** A move of the index from the tip reported last to another one. */
export interface IndexMove {
  readonly tip: BlockIdAndHeight;
  /** The height up to which nothing changed: the old tip's, or that of the common ancestor. */
  readonly commonHeight: number;
  /** The blocks above that height, in ascending order. Those some hundred blocks below the tip may be left out. */
  readonly blocks: readonly IndexBlock[];
}

export interface IndexBlock extends BlockIdAndHeight {
  readonly transactionIds: readonly Id[];
}

export const NOTHING_CONFIRMED: IndexLookupResult = {
  height: 0,
  transactions: new Map(),
  outputs: new Map(),
  pools: new Map(),
  delegations: new Map(),
  orders: new Map(),
  tokens: new Map(),
};

/** Returns the keys to look up for transactions: their own ids, and what they use. */
export function lookupKeysOf(pending: Iterable<readonly [Id, Transaction]>): IndexLookupKeys {
  const transactions = new Set<Id>();
  const outpoints = new Map<OutpointKey, Outpoint>();
  const delegations = new Set<Id>();
  const orders = new Set<Id>();
  const tokens = new Set<Id>();
  const uses: ReferenceCallbacks = {
    output: (outpoint) => outpoints.set(keyOfOutpoint(outpoint), outpoint),
    delegation: (id) => delegations.add(id),
    order: (id) => orders.add(id),
    token: (id) => tokens.add(id),
  };
  for (const [id, transaction] of pending) {
    transactions.add(id);
    forEachReference(transaction, uses);
  }
  return {
    transactions: [...transactions],
    outpoints: [...outpoints.values()],
    delegations: [...delegations],
    orders: [...orders],
    tokens: [...tokens],
  };
}
