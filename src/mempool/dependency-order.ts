import { isUtxoInput } from '../chain/input-and-output-kinds.ts';
import type { Id } from '../chain/types.ts';
import type { PendingTransaction } from './pending-transaction.ts';

/** Returns the transactions with parents before the children that spend their outputs, otherwise in the same order. */
export function inDependencyOrder(transactions: Iterable<PendingTransaction>): PendingTransaction[] {
  const byId = new Map<Id, PendingTransaction>();
  for (const transaction of transactions) byId.set(transaction.id, transaction);
  const ordered = new Map<Id, PendingTransaction>();
  for (const first of byId.values()) {
    // The stack is explicit, because chains of transactions may be longer than the call stack.
    const stack = [first];
    const begun = new Set<Id>();
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const parents = ordered.has(top.id) || begun.has(top.id) ? [] : parentsOf(top, byId);
      begun.add(top.id);
      const missing = parents.filter(({ id }) => !ordered.has(id) && !begun.has(id));
      if (missing.length > 0) stack.push(...missing.reverse());
      else ordered.set(stack.pop()!.id, top);
    }
  }
  return [...ordered.values()];
}

function parentsOf({ signed }: PendingTransaction, byId: ReadonlyMap<Id, PendingTransaction>): PendingTransaction[] {
  const parents = new Set<PendingTransaction>();
  for (const input of signed.transaction.inputs) {
    if (!isUtxoInput(input) || input.outpoint.sourceType !== 'Transaction') continue;
    const parent = byId.get(input.outpoint.sourceId);
    if (parent !== undefined) parents.add(parent);
  }
  return [...parents];
}
