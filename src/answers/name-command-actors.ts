/** Who gave the commands of transactions that no block has (docs/api.md#what-a-transaction-did). */
import { destinationAddress, parseOrderId } from '../chain/address.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Destination, Id } from '../chain/types.ts';
import { pendingActorOf } from '../mempool/pending-command-actors.ts';
import type { PendingSet } from '../mempool/pending-set.ts';
import type { PendingTransaction } from '../mempool/pending-transaction.ts';
import type { CommandAction } from '../render/actions.ts';
import type { TransactionSummary } from '../render/transaction-summary.ts';
import { listConcludeKeys } from '../store/queries/orders/orders.ts';
import type { QueryRunner } from '../store/read/query.ts';

/** Sets `by` of those of the commands that conclude or freeze orders of the index. */
export async function nameConcluders(
  network: Network,
  store: QueryRunner,
  commands: readonly CommandAction[],
): Promise<void> {
  const ofOrders = commands.flatMap(({ action }) =>
    'order_id' in action ? [{ action, order: parseOrderId(network, action.order_id) }] : [],
  );
  if (ofOrders.length === 0) return;
  const found = await listConcludeKeys(store, [...new Set(ofOrders.map(({ order }) => order))]);
  const keys = new Map<Id, Destination>(found.rows.map((row) => [row.order_id, row.conclude_destination]));
  for (const { action, order } of ofOrders) {
    const key = keys.get(order);
    if (key !== undefined) action.by = destinationAddress(network, key);
  }
}

/** Sets `by` of all commands of pending transactions, as far as it is known. */
export async function namePendingActors(
  network: Network,
  store: QueryRunner,
  pool: PendingSet,
  pending: readonly (Pick<TransactionSummary, 'commands'> & { readonly transaction: PendingTransaction })[],
): Promise<void> {
  for (const { transaction, commands } of pending) {
    for (const { action, inputIndex } of commands) {
      const actor = pendingActorOf(pool, transaction, inputIndex);
      if (actor !== undefined) action.by = destinationAddress(network, actor);
    }
  }
  const others = pending.flatMap(({ commands }) => commands.filter(({ action }) => action.by === null));
  await nameConcluders(network, store, others);
}
