/** Who gives the commands of pending transactions, as far as the pending set knows. */
import { createsOrder, isCommandInput } from '../chain/input-and-output-kinds.ts';
import type { Destination, Id } from '../chain/types.ts';
import { oncePerRevision } from './once-per-revision.ts';
import type { PendingSet } from './pending-set.ts';
import type { PendingTransaction } from './pending-transaction.ts';

interface AuthorityChange {
  readonly nonce: bigint;
  readonly authority: Destination;
}

/** The pending changes of authority by token. */
const authorityChanges = oncePerRevision((pool): ReadonlyMap<Id, readonly AuthorityChange[]> => {
  const changes = new Map<Id, AuthorityChange[]>();
  for (const { accounts, signed } of pool.transactions()) {
    if (!accounts.some(({ account }) => account === 'token')) continue;
    for (const input of signed.transaction.inputs) {
      if (input.type !== 'AccountCommand' || input.command.type !== 'ChangeTokenAuthority') continue;
      const { tokenId, newAuthority: authority } = input.command;
      changes.set(tokenId, [...(changes.get(tokenId) ?? []), { nonce: input.nonce, authority }]);
    }
  }
  return changes;
});

/**
 * Returns who gives the command of an input: the authority over its token, after the pending changes with lower nonces; of a pending order
 * the conclude key. Undefined for a confirmed order, and while it is not known.
 */
export function pendingActorOf(
  pool: PendingSet,
  { signed, accounts }: PendingTransaction,
  inputIndex: number,
): Destination | undefined {
  const input = signed.transaction.inputs[inputIndex];
  if (input === undefined || !isCommandInput(input)) return undefined;
  if ('orderId' in input.command) return concludeKeyOf(pool, input.command.orderId);
  if (input.type !== 'AccountCommand') return undefined;
  const { tokenId } = input.command;
  let last: AuthorityChange | undefined;
  for (const change of authorityChanges(pool).get(tokenId) ?? []) {
    if (change.nonce < input.nonce && (last === undefined || change.nonce > last.nonce)) last = change;
  }
  return last?.authority ?? accounts.find(({ id }) => id === tokenId)?.owner ?? undefined;
}

function concludeKeyOf(pool: PendingSet, order: Id): Destination | undefined {
  const creator = pool.get(pool.creatorOf(order) ?? '');
  for (const output of creator?.signed.transaction.outputs ?? []) {
    // A transaction creates one order at most.
    if (createsOrder(output)) return output.order.concludeKey;
  }
  return undefined;
}
