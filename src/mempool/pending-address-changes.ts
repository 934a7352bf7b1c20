/** The pending changes of an address: enough for its wallet not to spend anything twice. */

import { COIN, type Currency } from '../chain/currency.ts';
import { isContractOutput, isLockedOutput, isUtxoInput } from '../chain/input-and-output-kinds.ts';
import { ownersOfOutput, valueInBalance } from '../chain/output-owner-and-value.ts';
import type { Atoms, Destination, Id, Outpoint, TimeLock, TxOutput } from '../chain/types.ts';
import { keyOfOutpoint, outpointKey } from '../ledger/state-rows.ts';
import { hasLockEnded, lockEnd } from '../ledger/time-lock.ts';
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
  readonly newUtxos: readonly PendingOutput[];
  /** The next nonces after those in use, for its delegations and for the tokens that it has authority over. */
  readonly nextNonces: readonly {
    readonly account: 'delegation' | 'token';
    readonly id: Id;
    readonly nonce: bigint;
  }[];
  /** The transactions that concern it, in the order of their acceptance. */
  readonly transactions: readonly Id[];
}

/** An output of a pending transaction that is part of the UTXO set. */
export interface PendingOutput {
  readonly outpoint: Outpoint;
  readonly output: TxOutput;
  /** The pending transaction that spends it; null if none does. */
  readonly spentBy: Id | null;
  /** The height of the block after the tip. */
  readonly height: number;
}

/** The pending outputs of an address, in the order of the acceptance of their transactions. */
export function pendingOutputsOfAddress(pending: PendingSet, address: Destination): PendingOutput[] {
  return pending.ofAddress(address).flatMap(({ id, height, signed }) =>
    signed.transaction.outputs.flatMap((output, index): PendingOutput[] => {
      if (!ownersOfOutput(output).includes(address)) return [];
      const spentBy = pending.spender(outpointKey(id, index)) ?? null;
      return [{ outpoint: { sourceType: 'Transaction', sourceId: id, index }, output, spentBy, height }];
    }),
  );
}

/**
 * Is a pending output under no time lock for this address, if it is confirmed in the next block? A lock that ends at a time counts
 * as not ended. `refundWaitsForLock`: is an HTLC locked for its refund key until its refund lock ends?
 */
export function isUnlockedFor(
  { output, height }: PendingOutput,
  address: Destination,
  refundWaitsForLock: boolean,
): boolean {
  const hasEnded = (lock: TimeLock) => hasLockEnded(lockEnd(lock, height, Number.MAX_SAFE_INTEGER), height, 0);
  if (isContractOutput(output)) {
    const { spendKey, refundTimelock } = output.contract;
    return spendKey === address || !refundWaitsForLock || hasEnded(refundTimelock);
  }
  return !isLockedOutput(output) || hasEnded(output.lock);
}

export function pendingChangesOfAddress(pending: PendingSet, address: Destination): PendingAddressChanges {
  const flows = new Map<Currency, { incoming: Atoms; outgoing: Atoms }>([[COIN, { incoming: 0n, outgoing: 0n }]]);
  const flow = (currency: Currency) => {
    const known = flows.get(currency) ?? { incoming: 0n, outgoing: 0n };
    flows.set(currency, known);
    return known;
  };
  const spentOutpoints: Outpoint[] = [];
  const nextNonces = new Map<Id, PendingAddressChanges['nextNonces'][number]>();
  const transactions = pending.ofAddress(address);
  for (const { signed, inputs, accounts } of transactions) {
    signed.transaction.inputs.forEach((input, i) => {
      const spent = inputs[i]?.output;
      if (!isUtxoInput(input) || spent === undefined || !ownersOfOutput(spent).includes(address)) return;
      spentOutpoints.push(input.outpoint);
      const value = valueInBalance(spent);
      if (value !== null) flow(value.currency).outgoing += value.amount;
    });
    for (const { account, id: accountId, nonce, owner } of accounts) {
      const known = nextNonces.get(accountId)?.nonce ?? 0n;
      if (owner === address && nonce >= known) {
        nextNonces.set(accountId, { account, id: accountId, nonce: nonce + 1n });
      }
    }
  }
  const outputs = pendingOutputsOfAddress(pending, address);
  for (const { output } of outputs) {
    const value = valueInBalance(output);
    if (value !== null) flow(value.currency).incoming += value.amount;
  }
  return {
    flows,
    spentOutpoints,
    newUtxos: outputs.filter(({ spentBy }) => spentBy === null),
    nextNonces: [...nextNonces.values()],
    transactions: transactions.map(({ id }) => id),
  };
}

/** Returns the pending transaction that spends an output; null if none does. */
export function pendingSpenderOf(pending: PendingSet, outpoint: Outpoint): Id | null {
  return pending.spender(keyOfOutpoint(outpoint)) ?? null;
}
