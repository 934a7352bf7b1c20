/**
 * Computes the terms of orders as pending transactions change them, one after the other: each transaction that uses an
 * order sees the terms that those before it leave.
 */

import { isCommandInput } from '../chain/input-and-output-kinds.ts';
import { type Network, ordersVersionAt } from '../chain/networks/network.ts';
import type { Id, Transaction } from '../chain/types.ts';
import type { OrderTerms } from '../ledger/order-terms.ts';
import { orderAfterTransaction } from './pending-creations.ts';
import type { PendingTransaction } from './pending-transaction.ts';

interface User {
  readonly version: 0 | 1;
  /** The transaction, with only those inputs that use the order. */
  readonly transaction: Transaction;
}

interface Use {
  /** The transactions that use it, in the order of the pending set. */
  readonly users: Map<Id, User>;
  /** The terms before each user and after all of them; null until they are needed, and after a user has left. */
  terms: { readonly start: OrderTerms; readonly before: Map<Id, OrderTerms>; after: OrderTerms } | null;
}

export class PendingOrders {
  readonly #network: Network;
  /** The uses by order id. */
  readonly #uses = new Map<Id, Use>();

  constructor(network: Network) {
    this.#network = network;
  }

  /** Adds a transaction after all others. */
  add({ id, height, signed }: PendingTransaction): void {
    const version = ordersVersionAt(this.#network, height);
    for (const [order, inputs] of inputsByOrder(signed.transaction)) {
      const user = { version, transaction: { ...signed.transaction, inputs } };
      const use = this.#uses.get(order) ?? { users: new Map(), terms: null };
      this.#uses.set(order, use);
      use.users.set(id, user);
      if (use.terms !== null) use.terms.after = appended(use.terms, order, id, user);
    }
  }

  remove({ id, signed }: PendingTransaction): void {
    for (const order of inputsByOrder(signed.transaction).keys()) {
      const use = this.#uses.get(order);
      if (!use?.users.delete(id)) continue;
      use.terms = null;
      if (use.users.size === 0) this.#uses.delete(order);
    }
  }

  /** Notes that a transaction was resolved again: at its new height other rules may apply. */
  resolved({ id, height, signed }: PendingTransaction): void {
    const version = ordersVersionAt(this.#network, height);
    for (const order of inputsByOrder(signed.transaction).keys()) {
      const use = this.#uses.get(order);
      const user = use?.users.get(id);
      if (use === undefined || user === undefined || user.version === version) continue;
      use.users.set(id, { ...user, version });
      use.terms = null;
    }
  }

  clear(): void {
    this.#uses.clear();
  }

  /**
   * Returns the terms of an order before the pending transaction `user`; after all pending transactions if `user` does not
   * use the order. `start`: the confirmed terms.
   */
  termsBefore(order: Id, start: OrderTerms, user: Id | undefined): OrderTerms {
    const use = this.#uses.get(order);
    if (use === undefined) return start;
    if (use.terms === null || !isSame(use.terms.start, start)) {
      use.terms = { start, before: new Map(), after: start };
      for (const [id, each] of use.users) use.terms.after = appended(use.terms, order, id, each);
    }
    return (user === undefined ? undefined : use.terms.before.get(user)) ?? use.terms.after;
  }
}

function appended({ before, after }: NonNullable<Use['terms']>, order: Id, id: Id, user: User): OrderTerms {
  before.set(id, after);
  return orderAfterTransaction(user.version, order, after, user.transaction);
}

function inputsByOrder({ inputs }: Transaction): Map<Id, Transaction['inputs'][number][]> {
  const byOrder = new Map<Id, Transaction['inputs'][number][]>();
  for (const input of inputs) {
    if (!isCommandInput(input) || !('orderId' in input.command)) continue;
    const of = byOrder.get(input.command.orderId);
    if (of === undefined) byOrder.set(input.command.orderId, [input]);
    else of.push(input);
  }
  return byOrder;
}

/** Are two states of one order equal? The fields set at its creation never change. */
function isSame(a: OrderTerms, b: OrderTerms): boolean {
  return a === b || (a.askBalance === b.askBalance && a.giveBalance === b.giveBalance);
}
