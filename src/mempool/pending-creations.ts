/** The things that a pending transaction creates, so that others can use them before they are in a block. */

import { deriveDelegationId, deriveOrderId, deriveTokenId } from '../chain/derive-ids.ts';
import { assertNever, isCommandInput } from '../chain/input-and-output-kinds.ts';
import { type Network, tokenIdGenerationAt } from '../chain/networks/network.ts';
import type { Destination, Id, Transaction } from '../chain/types.ts';
import { filledAmount, newOrderTerms, type OrderTerms } from '../ledger/order-terms.ts';
import type { PoolTerms } from '../ledger/transaction-effects.ts';

export type PendingCreation =
  | { readonly type: 'Delegation'; readonly owner: Destination }
  | { readonly type: 'Order'; readonly terms: OrderTerms }
  | { readonly type: 'Pool'; readonly terms: PoolTerms }
  /** A token or an NFT; nobody has authority over an NFT. */
  | { readonly type: 'Token'; readonly decimals: number; readonly authority: Destination | null };

/**
 * Returns what a transaction creates, by id. `height`: that of the block it may be in, because token ids depend on it.
 */
export function pendingCreationsOf(
  network: Network,
  height: number,
  { inputs, outputs }: Transaction,
): Map<Id, PendingCreation> {
  const created = new Map<Id, PendingCreation>();
  const add = (id: Id | null, thing: PendingCreation) => void (id !== null && created.set(id, thing));
  for (const output of outputs) {
    switch (output.type) {
      case 'CreateDelegationId':
        add(deriveDelegationId(inputs), { type: 'Delegation', owner: output.destination });
        break;
      case 'CreateStakePool': {
        const { pledge, decommissionKey } = output.data;
        const terms = { stakerBalance: pledge, decommissionDestination: decommissionKey };
        add(output.poolId, { type: 'Pool', terms });
        break;
      }
      case 'CreateOrder': {
        const terms = newOrderTerms(output.order);
        if (terms !== null) add(deriveOrderId(inputs), { type: 'Order', terms });
        break;
      }
      case 'IssueFungibleToken': {
        const { numberOfDecimals: decimals, authority } = output.issuance;
        add(deriveTokenId(inputs, tokenIdGenerationAt(network, height)), { type: 'Token', decimals, authority });
        break;
      }
      case 'IssueNft':
        add(output.tokenId, { type: 'Token', decimals: 0, authority: null });
        break;
      // These create outputs, or nothing.
      case 'Transfer':
      case 'LockThenTransfer':
      case 'Burn':
      case 'ProduceBlockFromStake':
      case 'DelegateStaking':
      case 'DataDeposit':
      case 'Htlc':
        break;
      default:
        assertNever(output);
    }
  }
  return created;
}

/** Returns an order after a transaction has filled or concluded it. */
export function orderAfterTransaction(version: 0 | 1, id: Id, before: OrderTerms, { inputs }: Transaction): OrderTerms {
  let order = before;
  for (const input of inputs) {
    if (!isCommandInput(input)) continue;
    const { command } = input;
    if (!('orderId' in command) || command.orderId !== id) continue;
    switch (command.type) {
      case 'FillOrder': {
        const { fillAmount } = command;
        const given = filledAmount(version, order, fillAmount);
        order = { ...order, askBalance: order.askBalance - fillAmount, giveBalance: order.giveBalance - given };
        break;
      }
      case 'ConcludeOrder':
        order = { ...order, askBalance: 0n, giveBalance: 0n };
        break;
      case 'FreezeOrder':
        break;
      default:
        assertNever(command);
    }
  }
  return order;
}
