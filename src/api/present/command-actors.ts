/** Who gave the commands of transactions, which their JSON does not say (docs/api.md#what-a-transaction-did). */
import { destinationAddress, parseOrderId, parseTokenId } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination, Id } from '../../chain/types.ts';
import { pendingActorOf } from '../../mempool/command-actors.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';
import type { CommandAction } from '../../render/actions.ts';
import { summarizeTransactionText, type TransactionSummary } from '../../render/transaction-summary.ts';
import { listCommandAuthorities, listConcludeKeys } from '../../store/queries/transactions/command-actors.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { longQueries, type QueryRunner, type SnapshotTip } from '../../store/read/query.ts';

/** So many commands are looked up in a millisecond or two; a block may have thousands. */
const MANY = 100;

type Summary = Pick<TransactionSummary, 'id' | 'commands'>;

/** Sets `by` of all commands of confirmed transactions. Without commands nothing is read. Throws SnapshotChanged. */
export async function nameActors(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  summaries: readonly Summary[],
): Promise<void> {
  const ofTokens = summaries.flatMap(({ id, commands }) =>
    commands.flatMap(({ action, inputIndex }) =>
      'token_id' in action ? [{ id, action, inputIndex, token: parseTokenId(network, action.token_id) }] : [],
    ),
  );
  const [authorities] = await Promise.all([
    ofTokens.length === 0
      ? null
      : listCommandAuthorities(
          ofTokens.length > MANY ? longQueries(store) : store,
          ofTokens.map(({ token }) => token),
          ofTokens.map(({ id }) => id),
          ofTokens.map(({ inputIndex }) => inputIndex),
        ),
    nameConcluders(
      network,
      store,
      tip,
      summaries.flatMap(({ commands }) => commands),
    ),
  ]);
  if (authorities === null) return;
  requireSameTip({ tip }, authorities);
  for (const { place, authority } of authorities.rows) {
    ofTokens[place - 1]!.action.by = destinationAddress(network, authority!);
  }
}

/** Sets `by` of those of the commands that conclude or freeze orders of the index. `tip`: of the orders; null for any. */
async function nameConcluders(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip | null,
  commands: readonly CommandAction[],
): Promise<void> {
  const ofOrders = commands.flatMap(({ action }) =>
    'order_id' in action ? [{ action, order: parseOrderId(network, action.order_id) }] : [],
  );
  if (ofOrders.length === 0) return;
  const found = await listConcludeKeys(store, [...new Set(ofOrders.map(({ order }) => order))]);
  if (tip !== null) requireSameTip({ tip }, found);
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
  pending: readonly (Pick<Summary, 'commands'> & { readonly transaction: PendingTransaction })[],
): Promise<void> {
  for (const { transaction, commands } of pending) {
    for (const { action, inputIndex } of commands) {
      const actor = pendingActorOf(pool, transaction, inputIndex);
      if (actor !== undefined) action.by = destinationAddress(network, actor);
    }
  }
  const others = pending.flatMap(({ commands }) => commands.filter(({ action }) => action.by === null));
  await nameConcluders(network, store, null, others);
}

/** A command of a token's authority, or of an order's conclude key: quotation marks in texts of the chain are escaped. */
const COMMAND = /"command":"(?!FillOrder)/;

/**
 * Returns the function that summarizes one of these confirmed transactions, with who gave its commands; null for one that is too long.
 * Only those that have commands are summarized before it is called. Throws SnapshotChanged.
 */
export async function readSummaries(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  transactions: readonly { readonly text: string; readonly height: number }[],
): Promise<(index: number) => TransactionSummary | null> {
  const told = new Map<number, TransactionSummary | null>();
  for (const [i, { text, height }] of transactions.entries()) {
    if (COMMAND.test(text)) told.set(i, summarizeTransactionText(network, text, height));
  }
  await nameActors(
    network,
    store,
    tip,
    [...told.values()].filter((each) => each !== null),
  );
  return (i) => {
    const known = told.get(i);
    const { text, height } = transactions[i]!;
    return known === undefined ? summarizeTransactionText(network, text, height) : known;
  };
}
