/** The pending transactions of one node, and those that have just left: a copy that follows a stream of changes. */
import { isUtxoInput } from '../chain/kind-facts.ts';
import { type Network, ordersVersionAt } from '../chain/networks/network.ts';
import { ownersOf } from '../chain/outputs.ts';
import type { Destination, Id, Outpoint, TxOutput } from '../chain/types.ts';
import type { OrderTerms } from '../ledger/orders.ts';
import { keyOfOutpoint, type OutpointKey } from '../ledger/rows.ts';
import type { MempoolChange, MirrorState } from './changes.ts';
import { type Created, createdBy, orderAfterTransaction, ordersUsedBy } from './created.ts';
import { Departed } from './departed.ts';
import { type Confirmed, NOTHING_CONFIRMED } from './index-lookup.ts';
import type { Sources } from './resolve.ts';
import type { PendingTransaction } from './transaction.ts';

/** One, or several: most addresses have to do with one, and a set of one takes ten times the memory. */
type Ids = Id | Set<Id>;

/** How long the node's state counts as current after it was followed last. */
const LONGEST_STALE_MS = 30_000;

/** Where a transaction is that was asked for; undefined for one that is not known here. */
export type Found =
  | { readonly state: 'Pending'; readonly transaction: PendingTransaction }
  /** In a block of the index: a reader whose snapshot does not have it has to look again. */
  | { readonly state: 'Confirmed'; readonly height: number; readonly transaction: PendingTransaction }
  /** Left without a block within the last hour; milliseconds since the epoch. */
  | { readonly state: 'Dropped'; readonly at: number }
  | undefined;

/**
 * Pure: it changes by `apply` only. The process that follows the node and those that are sent its changes hold equal
 * ones.
 */
export class PendingPool {
  readonly network: Network;
  /** In the order in which the node accepted them. */
  readonly #byId = new Map<Id, PendingTransaction>();
  readonly #spenders = new Map<OutpointKey, Id>();
  readonly #byAddress = new Map<Destination, Ids>();
  readonly #byOrder = new Map<Id, Ids>();
  readonly #created = new Map<Id, { readonly by: Id; readonly thing: Created }>();
  readonly #departed = new Departed();
  #bytes = 0;
  #revision = 0;
  #state: MirrorState = { isComplete: true, staleSince: 0 };

  constructor(network: Network) {
    this.network = network;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Of the encoded transactions together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Grows with every change: what is made of the pool may be kept until it is another one. */
  get revision(): number {
    return this.#revision;
  }

  /** False where there may be pending transactions that are not here. */
  get isComplete(): boolean {
    return this.#state.isComplete;
  }

  /** Whether the node could be followed until now (milliseconds since the epoch), or until shortly before. */
  isAvailable(now: number): boolean {
    const { staleSince } = this.#state;
    return staleSince === null || now - staleSince <= LONGEST_STALE_MS;
  }

  apply(change: MempoolChange): void {
    this.#revision++;
    switch (change.type) {
      case 'Added':
        this.#remove(change.transaction.id);
        this.#departed.forget(change.transaction.id);
        return this.#add(change.transaction);
      case 'Resolved': {
        const old = this.#byId.get(change.id);
        if (old === undefined) return;
        this.#leaveIndexes(old);
        // Its place among the others stays.
        return this.#add({ ...old, ...change.resolution });
      }
      case 'Confirmed': {
        const transaction = this.#remove(change.id);
        return this.#departed.confirm(change.id, change.height, transaction, change.at);
      }
      case 'Dropped':
        this.#remove(change.id);
        return this.#departed.drop(change.id, change.at);
      case 'Forgotten':
        this.#remove(change.id);
        return;
      case 'Ordered':
        return this.#order(change.ids);
      case 'State':
        this.#state = change.state;
    }
  }

  /**
   * The changes that make an empty pool equal to this one, for somebody who joins later. They are no news to clients.
   */
  *snapshot(): Generator<MempoolChange> {
    for (const transaction of this.#byId.values()) yield { type: 'Added', transaction, isNew: false };
    yield* this.#departed.snapshot();
    yield { type: 'State', state: this.#state };
  }

  has(id: Id): boolean {
    return this.#byId.has(id);
  }

  get(id: Id): PendingTransaction | undefined {
    return this.#byId.get(id);
  }

  find(id: Id, now: number): Found {
    const transaction = this.#byId.get(id);
    return transaction ? { state: 'Pending', transaction } : this.#departed.find(id, now);
  }

  /** In the order in which the node accepted them. */
  transactions(): MapIterator<PendingTransaction> {
    return this.#byId.values();
  }

  /** Which pending transaction spends an output. */
  spender(key: OutpointKey): Id | undefined {
    return this.#spenders.get(key);
  }

  /** Those that have to do with an address, in the order of their acceptance. */
  ofAddress(address: Destination): PendingTransaction[] {
    return this.#inOrder(this.#byAddress.get(address));
  }

  /** The decimals of a token or NFT that a pending transaction issues. */
  decimalsOf(tokenId: Id): number | undefined {
    const thing = this.#created.get(tokenId)?.thing;
    return thing?.type === 'Token' ? thing.decimals : undefined;
  }

  /** An output of a pending transaction. */
  output({ sourceType, sourceId, index }: Outpoint): TxOutput | undefined {
    return sourceType === 'Transaction' ? this.#byId.get(sourceId)?.signed.transaction.outputs[index] : undefined;
  }

  /** What a transaction can be resolved with: what is confirmed, and on top of it what is pending. */
  sources(confirmed: Confirmed = NOTHING_CONFIRMED, before?: Id): Sources {
    return {
      output: (outpoint) => this.output(outpoint) ?? confirmed.outputs.get(keyOfOutpoint(outpoint)),
      pool: (id) => {
        const thing = this.#created.get(id)?.thing;
        return confirmed.pools.get(id) ?? (thing?.type === 'Pool' ? thing.terms : undefined);
      },
      delegationOwner: (id) => {
        const thing = this.#created.get(id)?.thing;
        return confirmed.delegations.get(id) ?? (thing?.type === 'Delegation' ? thing.owner : undefined);
      },
      tokenAuthority: (id) => {
        const thing = this.#created.get(id)?.thing;
        const issued = thing?.type === 'Token' ? thing.authority : null;
        return confirmed.tokens.get(id) ?? issued ?? undefined;
      },
      order: (id) => this.#orderBefore(id, confirmed.orders.get(id), before),
    };
  }

  /** An order with what pending transactions do to it, as far as they come before one of them. */
  #orderBefore(id: Id, confirmed: OrderTerms | undefined, before: Id | undefined): OrderTerms | undefined {
    const thing = this.#created.get(id)?.thing;
    let order = confirmed ?? (thing?.type === 'Order' ? thing.terms : undefined);
    if (order === undefined) return undefined;
    for (const { id: user, signed, height } of this.#inOrder(this.#byOrder.get(id))) {
      if (user === before) break;
      order = orderAfterTransaction(ordersVersionAt(this.network, height), id, order, signed.transaction);
    }
    return order;
  }

  #inOrder(ids: Ids | undefined): PendingTransaction[] {
    if (ids === undefined) return [];
    if (typeof ids === 'string') return [this.#byId.get(ids)!];
    return [...this.#byId.values()].filter(({ id }) => ids.has(id));
  }

  #add(transaction: PendingTransaction): void {
    const { id, signed, height, sizeBytes } = transaction;
    this.#byId.set(id, transaction);
    this.#bytes += sizeBytes;
    for (const input of signed.transaction.inputs) {
      if (isUtxoInput(input)) this.#spenders.set(keyOfOutpoint(input.outpoint), id);
    }
    forEachAddress(transaction, (address) => addTo(this.#byAddress, address, id));
    for (const order of ordersUsedBy(signed.transaction)) addTo(this.#byOrder, order, id);
    for (const [created, thing] of createdBy(this.network, height, signed.transaction)) {
      this.#created.set(created, { by: id, thing });
    }
  }

  #remove(id: Id): PendingTransaction | undefined {
    const transaction = this.#byId.get(id);
    if (transaction === undefined) return undefined;
    this.#leaveIndexes(transaction);
    this.#byId.delete(id);
    return transaction;
  }

  #leaveIndexes(transaction: PendingTransaction): void {
    const { id, signed, height, sizeBytes } = transaction;
    this.#bytes -= sizeBytes;
    for (const input of signed.transaction.inputs) {
      if (!isUtxoInput(input)) continue;
      const key = keyOfOutpoint(input.outpoint);
      // Another transaction that spends it may have come before the mirror knew that this one has left.
      if (this.#spenders.get(key) === id) this.#spenders.delete(key);
    }
    forEachAddress(transaction, (address) => removeFrom(this.#byAddress, address, id));
    for (const order of ordersUsedBy(signed.transaction)) removeFrom(this.#byOrder, order, id);
    for (const created of createdBy(this.network, height, signed.transaction).keys()) {
      if (this.#created.get(created)?.by === id) this.#created.delete(created);
    }
  }

  /** Those that are not named stay behind the others. */
  #order(ids: readonly Id[]): void {
    const others = new Map(this.#byId);
    this.#byId.clear();
    for (const id of ids) {
      const transaction = others.get(id);
      if (transaction === undefined || !others.delete(id)) continue;
      this.#byId.set(id, transaction);
    }
    for (const [id, transaction] of others) this.#byId.set(id, transaction);
  }
}

/** Whose history it belongs to, whose accounts it uses, and whose outputs it spends and makes; the same one often. */
function forEachAddress(
  { addresses, accounts, inputs, signed }: PendingTransaction,
  take: (address: Destination) => void,
): void {
  for (const address of addresses) take(address);
  for (const { owner } of accounts) if (owner !== null) take(owner);
  for (const input of inputs) if (input !== null) for (const owner of ownersOf(input.output)) take(owner);
  for (const output of signed.transaction.outputs) for (const owner of ownersOf(output)) take(owner);
}

function addTo(index: Map<string, Ids>, key: string, id: Id): void {
  const ids = index.get(key);
  if (ids === undefined) index.set(key, id);
  else if (typeof ids !== 'string') ids.add(id);
  else if (ids !== id) index.set(key, new Set([ids, id]));
}

function removeFrom(index: Map<string, Ids>, key: string, id: Id): void {
  const ids = index.get(key);
  if (ids === id) index.delete(key);
  else if (typeof ids === 'object' && ids.delete(id) && ids.size === 1) index.set(key, ids.values().next().value!);
}
