/**
 * The pending transactions of a node, and those that have just left. The set changes only by `apply`.
 *
 * A transaction is listed from the moment when everything it uses is resolved. Before that, it is found by its id only, and the set is
 * not complete.
 */
import { randomBytes } from 'node:crypto';
import { assertNever, isUtxoInput } from '../chain/input-and-output-kinds.ts';
import type { Network } from '../chain/networks/network.ts';
import { ownersOfOutput } from '../chain/output-owner-and-value.ts';
import type { Destination, Id, Outpoint, TxOutput } from '../chain/types.ts';
import { keyOfOutpoint, type OutpointKey } from '../ledger/state-rows.ts';
import { type IndexLookupResult, NOTHING_CONFIRMED } from './confirmed-index-interface.ts';
import { DepartedTransactions } from './departed-transactions.ts';
import { IdsByAddress } from './ids-by-address.ts';
import {
  INITIAL_MIRROR_STATE,
  type MempoolChange,
  type MempoolClientEvent,
  type MirrorState,
} from './mempool-change.ts';
import { type PendingCreation, pendingCreationsOf } from './pending-creations.ts';
import { PendingOrders } from './pending-orders.ts';
import { countedBytesOf, isResolved, type PendingTransaction } from './pending-transaction.ts';
import type { TransactionLookups } from './resolve-transaction.ts';

/** The time for which the node's state counts as current after it was last followed. */
const MAX_STALE_MS = 30_000;

/** The state of a requested transaction; undefined if it is not known here. */
export type PendingLookup =
  | { readonly state: 'Pending'; readonly transaction: PendingTransaction }
  /** It is in a block of the index. A reader whose snapshot lacks that block must read again. */
  | { readonly state: 'Confirmed'; readonly height: number; readonly transaction: PendingTransaction }
  /** The transaction left without a block within the last hour. `at`: milliseconds since the epoch. */
  | { readonly state: 'Dropped'; readonly at: number }
  | undefined;

export class PendingSet {
  readonly network: Network;
  /** The name of this copy of the mempool, at random: sequence numbers and positions of arrival are valid for one copy. */
  readonly name = randomBytes(6).toString('hex');
  /** The transactions in the order in which the node accepted them. */
  readonly #byId = new Map<Id, PendingTransaction>();
  /** Those that are listed, by arrival: the number of each grows. */
  readonly #listed = new Map<Id, number>();
  readonly #spenders = new Map<OutpointKey, Id>();
  readonly #byAddress = new IdsByAddress();
  readonly #orders: PendingOrders;
  readonly #created = new Map<Id, { readonly by: Id; readonly thing: PendingCreation }>();
  readonly #departed: DepartedTransactions;
  readonly #now: () => number;
  #countedBytes = 0;
  #revision = 0;
  #sequence = 0;
  #arrivals = 0;
  #state: MirrorState = INITIAL_MIRROR_STATE;

  /** `now`: the milliseconds of a monotonic clock. */
  constructor(network: Network, now = () => performance.now()) {
    this.network = network;
    this.#now = now;
    this.#orders = new PendingOrders(network);
    this.#departed = new DepartedTransactions(now);
  }

  /** The number of listed transactions. */
  get size(): number {
    return this.#listed.size;
  }

  /** The number of all transactions. */
  get keptCount(): number {
    return this.#byId.size;
  }

  /** The sum of {@link countedBytesOf} of the transactions. */
  get countedBytes(): number {
    return this.#countedBytes;
  }

  /** A number that grows with every change. What is derived from the set is valid for one revision. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * A number that grows by one with each event for clients, and whenever the list changes without an event. A block's transactions
   * leave without it.
   */
  get sequence(): number {
    return this.#sequence;
  }

  get state(): MirrorState {
    return this.#state;
  }

  /** False if the node may have pending transactions that are not listed. */
  get isComplete(): boolean {
    return this.#state.isComplete && this.#listed.size === this.#byId.size;
  }

  /** Was the node followed until now, or until shortly before? */
  get isAvailable(): boolean {
    const { staleSince } = this.#state;
    return staleSince === null || this.#now() - staleSince <= MAX_STALE_MS;
  }

  /** Applies a change. Returns the event for clients; undefined if there is none. */
  apply(change: MempoolChange): MempoolClientEvent | undefined {
    this.#revision++;
    const { size } = this;
    const event = this.#apply(change);
    if (event !== undefined || (this.size !== size && change.type !== 'Confirmed')) this.#sequence++;
    return event;
  }

  #apply(change: MempoolChange): MempoolClientEvent | undefined {
    switch (change.type) {
      case 'Added':
        this.#remove(change.transaction.id);
        this.#departed.forget(change.transaction.id);
        this.#byId.set(change.transaction.id, change.transaction);
        this.#orders.add(change.transaction);
        this.#enterIndexes(change.transaction);
        return this.#list(change.transaction, change.isNew);
      case 'Resolved': {
        const old = this.#byId.get(change.id);
        if (old === undefined) return;
        const transaction = { ...old, ...change.resolution };
        this.#leaveIndexes(old);
        this.#enterIndexes(transaction);
        // Its position among the others stays.
        this.#byId.set(change.id, transaction);
        this.#orders.resolved(transaction);
        return this.#list(transaction, true);
      }
      case 'Confirmed':
        this.#departed.confirm(change.id, change.height, this.#remove(change.id));
        return;
      case 'Dropped': {
        const { id, at, transaction } = change;
        const isTold = this.#listed.has(id) || !this.#byId.has(id);
        this.#remove(id);
        this.#departed.drop(id, at, transaction && new Set(concernedAddresses(transaction)));
        return isTold ? { type: 'dropped', id, transaction } : undefined;
      }
      case 'Forgotten':
        this.#remove(change.id);
        return;
      case 'Ordered':
        this.#order(change.ids);
        return;
      case 'State':
        this.#state = change.state;
        return;
      default:
        assertNever(change);
    }
  }

  /** Lists a transaction if everything is resolved and it is not listed yet. */
  #list(transaction: PendingTransaction, isNew: boolean): MempoolClientEvent | undefined {
    if (this.#listed.has(transaction.id) || !isResolved(transaction)) return undefined;
    this.#listed.set(transaction.id, ++this.#arrivals);
    return isNew ? { type: 'seen', transaction } : undefined;
  }

  has(id: Id): boolean {
    return this.#byId.has(id);
  }

  get(id: Id): PendingTransaction | undefined {
    return this.#byId.get(id);
  }

  find(id: Id): PendingLookup {
    const transaction = this.#byId.get(id);
    return transaction ? { state: 'Pending', transaction } : this.#departed.find(id);
  }

  /** Returns the change that drops a transaction at a time, in milliseconds since the epoch. */
  dropped(id: Id, at: number): MempoolChange {
    const found = this.find(id);
    return { type: 'Dropped', id, at, transaction: found?.state === 'Dropped' ? undefined : found?.transaction };
  }

  /** The id of the transaction that the node accepted first. */
  get oldest(): Id | undefined {
    return this.#byId.keys().next().value;
  }

  isListed(id: Id): boolean {
    return this.#listed.has(id);
  }

  /** The ids of the listed transactions by arrival. */
  listedIds(): Id[] {
    return [...this.#listed.keys()];
  }

  /** At most `limit` listed transactions that arrived after another one, and the number of each. */
  arrivedAfter(
    arrival: number,
    limit: number,
  ): { readonly arrival: number; readonly transaction: PendingTransaction }[] {
    const found = [];
    for (const [id, number] of this.#listed) {
      if (found.length === limit) break;
      if (number > arrival) found.push({ arrival: number, transaction: this.#byId.get(id)! });
    }
    return found;
  }

  /** The ids of all transactions in the order in which the node accepted them. */
  ids(): Id[] {
    return [...this.#byId.keys()];
  }

  /** The listed transactions in that order. */
  *transactions(): Generator<PendingTransaction> {
    for (const transaction of this.#byId.values()) if (this.#listed.has(transaction.id)) yield transaction;
  }

  /** The pending transaction that spends an output. */
  spender(key: OutpointKey): Id | undefined {
    return this.#spenders.get(key);
  }

  /** The listed transactions that concern an address, in the order of their acceptance. */
  ofAddress(address: Destination): PendingTransaction[] {
    return this.ofAddresses([address]);
  }

  /** The listed transactions that concern any of these addresses, in the order of their acceptance. */
  ofAddresses(addresses: Iterable<Destination>): PendingTransaction[] {
    const ids = this.#byAddress.of(addresses);
    if (ids.size === 0) return [];
    if (ids.size === 1) return [...ids].flatMap((id) => (this.#listed.has(id) ? this.#byId.get(id)! : []));
    return [...this.transactions()].filter(({ id }) => ids.has(id));
  }

  /** The ids of the transactions that concern any of these addresses and were dropped within the last hour. */
  droppedOfAddresses(addresses: Iterable<Destination>): Id[] {
    return this.#departed.droppedOfAddresses(addresses);
  }

  /** Returns the decimals of a token or NFT that a pending transaction issues. */
  decimalsOf(tokenId: Id): number | undefined {
    return this.#createdOf(tokenId, 'Token')?.decimals;
  }

  /** The pending transaction that creates a delegation, an order, a pool or a token. */
  creatorOf(id: Id): Id | undefined {
    return this.#created.get(id)?.by;
  }

  /** Returns an output of a pending transaction. */
  output({ sourceType, sourceId, index }: Outpoint): TxOutput | undefined {
    return sourceType === 'Transaction' ? this.#byId.get(sourceId)?.signed.transaction.outputs[index] : undefined;
  }

  /** Returns the sources for resolving a transaction: confirmed things, and those that pending transactions create. */
  sources(confirmed: IndexLookupResult = NOTHING_CONFIRMED, before?: Id): TransactionLookups {
    return {
      output: (outpoint) => this.output(outpoint) ?? confirmed.outputs.get(keyOfOutpoint(outpoint)),
      pool: (id) => confirmed.pools.get(id) ?? this.#createdOf(id, 'Pool')?.terms,
      delegationOwner: (id) => confirmed.delegations.get(id) ?? this.#createdOf(id, 'Delegation')?.owner,
      tokenAuthority: (id) => confirmed.tokens.get(id) ?? this.#createdOf(id, 'Token')?.authority ?? undefined,
      // The order has the changes by those pending transactions that come before `before`; by all if that is undefined.
      order: (id) => {
        const order = confirmed.orders.get(id) ?? this.#createdOf(id, 'Order')?.terms;
        return order && this.#orders.termsBefore(id, order, before);
      },
    };
  }

  /** Returns the thing of this type that a pending transaction creates, or undefined. */
  #createdOf<Type extends PendingCreation['type']>(id: Id, type: Type) {
    const thing = this.#created.get(id)?.thing;
    return thing?.type === type ? (thing as Extract<PendingCreation, { type: Type }>) : undefined;
  }

  #enterIndexes(transaction: PendingTransaction): void {
    const { id, signed, height } = transaction;
    this.#countedBytes += countedBytesOf(transaction);
    for (const input of signed.transaction.inputs) {
      if (isUtxoInput(input)) this.#spenders.set(keyOfOutpoint(input.outpoint), id);
    }
    for (const address of concernedAddresses(transaction)) this.#byAddress.add(address, id);
    for (const [created, thing] of pendingCreationsOf(this.network, height, signed.transaction)) {
      this.#created.set(created, { by: id, thing });
    }
  }

  #remove(id: Id): PendingTransaction | undefined {
    const transaction = this.#byId.get(id);
    if (transaction === undefined) return undefined;
    this.#leaveIndexes(transaction);
    this.#orders.remove(transaction);
    this.#byId.delete(id);
    this.#listed.delete(id);
    return transaction;
  }

  #leaveIndexes(transaction: PendingTransaction): void {
    const { id, signed, height } = transaction;
    this.#countedBytes -= countedBytesOf(transaction);
    for (const input of signed.transaction.inputs) {
      if (!isUtxoInput(input)) continue;
      const key = keyOfOutpoint(input.outpoint);
      // Another transaction that spends it may have come before the mirror noticed that this one has left.
      if (this.#spenders.get(key) === id) this.#spenders.delete(key);
    }
    for (const address of concernedAddresses(transaction)) this.#byAddress.delete(address, id);
    for (const created of pendingCreationsOf(this.network, height, signed.transaction).keys()) {
      if (this.#created.get(created)?.by === id) this.#created.delete(created);
    }
  }

  /** Puts the transactions in this order. Those that are not named come behind the others. */
  #order(ids: readonly Id[]): void {
    const others = new Map(this.#byId);
    this.#byId.clear();
    for (const id of [...ids, ...others.keys()]) {
      const transaction = others.get(id);
      if (transaction !== undefined) this.#byId.set(id, transaction);
    }
    this.#orders.clear();
    for (const transaction of this.#byId.values()) this.#orders.add(transaction);
  }
}

/** Yields each address whose history, accounts or outputs the transaction concerns; often twice the same. */
function* concernedAddresses({ addresses, accounts, inputs, signed }: PendingTransaction): Generator<Destination> {
  yield* addresses;
  for (const { owner } of accounts) if (owner !== null) yield owner;
  for (const input of inputs) if (input !== null) yield* ownersOfOutput(input.output);
  for (const output of signed.transaction.outputs) yield* ownersOfOutput(output);
}
