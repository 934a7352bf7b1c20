/** The pending changes of an address: enough for its wallet not to spend anything twice. */

import { COIN, type Currency } from '../chain/currency.ts';
import { isUtxoInput } from '../chain/input-and-output-kinds.ts';
import { ownersOfOutput, valueInBalance } from '../chain/output-owner-and-value.ts';
import type { Atoms, Destination, Id, Outpoint, TxOutput } from '../chain/types.ts';
import { keyOfOutpoint, outpointKey } from '../ledger/rows.ts';
import type { PendingSet } from './pending-set.ts';

export interface PendingAmounts {
  readonly incoming: Atoms;
  readonly outgoing: Atoms;
}

export interface PendingAddressChanges {
  /**
   * Gross sums: an output that pays change counts on both sides. The coin is always included. As in balances, the value of
   * an HTLC belongs to no address.
   */
  readonly flows: ReadonlyMap<Currency, PendingAmounts>;
  /** The outputs of the address that pending transactions spend; some of them are pending themselves. */
  readonly spentOutpoints: readonly Outpoint[];
  /** The pending outputs of the address that no pending transaction spends. */
  readonly newUtxos: readonly { readonly outpoint: Outpoint; readonly output: TxOutput }[];
  /** The next nonces after those in use, for its delegations and for the tokens that it has authority over. */
  readonly nextNonces: readonly {
    readonly account: 'delegation' | 'token';
    readonly id: Id;
    readonly nonce: bigint;
  }[];
  /** The transactions that concern it, in the order of their acceptance. */
  readonly transactions: readonly Id[];
}

export function pendingChangesOfAddress(pending: PendingSet, address: Destination): PendingAddressChanges {
  const flows = new Map<Currency, { incoming: Atoms; outgoing: Atoms }>([[COIN, { incoming: 0n, outgoing: 0n }]]);
  const flow = (currency: Currency) => {
    const known = flows.get(currency) ?? { incoming: 0n, outgoing: 0n };
    flows.set(currency, known);
    return known;
  };
  const spentOutpoints: Outpoint[] = [];
  const newUtxos: { outpoint: Outpoint; output: TxOutput }[] = [];
  const nextNonces = new Map<Id, PendingAddressChanges['nextNonces'][number]>();
  const transactions = pending.ofAddress(address);
  for (const { id, signed, inputs, accounts } of transactions) {
    signed.transaction.inputs.forEach((input, i) => {
      const spent = inputs[i]?.output;
      if (!isUtxoInput(input) || spent === undefined || !ownersOfOutput(spent).includes(address)) return;
      spentOutpoints.push(input.outpoint);
      const value = valueInBalance(spent);
      if (value !== null) flow(value.currency).outgoing += value.amount;
    });
    signed.transaction.outputs.forEach((output, index) => {
      if (!ownersOfOutput(output).includes(address)) return;
      const value = valueInBalance(output);
      if (value !== null) flow(value.currency).incoming += value.amount;
      if (pending.spender(outpointKey(id, index)) !== undefined) return;
      newUtxos.push({ outpoint: { sourceType: 'Transaction', sourceId: id, index }, output });
    });
    for (const { account, id: accountId, nonce, owner } of accounts) {
      const known = nextNonces.get(accountId)?.nonce ?? 0n;
      if (owner === address && nonce >= known) {
        nextNonces.set(accountId, { account, id: accountId, nonce: nonce + 1n });
      }
    }
  }
  return {
    flows,
    spentOutpoints,
    newUtxos,
    nextNonces: [...nextNonces.values()],
    transactions: transactions.map(({ id }) => id),
  };
}

/** Does a pending transaction spend this output? */
export function isSpentByPending(pending: PendingSet, outpoint: Outpoint): boolean {
  return pending.spender(keyOfOutpoint(outpoint)) !== undefined;
}
