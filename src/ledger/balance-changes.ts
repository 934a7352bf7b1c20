/**
 * What a block changes in balances, supplies and stakes, gathered while it is applied
 * (docs/indexing-rules.md#balances-with-a-past).
 */
import { COIN, type Currency } from '../chain/currency.ts';
import { isBalanceOutput, isContractOutput, isStakeOutput } from '../chain/input-and-output-kinds.ts';
import type { Atoms, Destination, TxInput } from '../chain/types.ts';
import type { ResolvedInput } from './applied-block.ts';
import { balanceChangeKindBit } from './balance-change-kinds.ts';
import type { BlockContext, TransactionContext } from './block-context.ts';
import { type Balance, balanceKey, type Delegation } from './rows.ts';

/** A balance that a transaction, the end of locks or the reward changes. */
export interface TouchedBalance {
  readonly owner: Destination;
  readonly currency: Currency;
  readonly before: Balance | null;
  after: Balance | null;
}

const RECEIVED = balanceChangeKindBit('received');
const SENT = balanceChangeKindBit('sent');

/**
 * Records the balances that were touched since the last call. `position`: as in `BalanceChange`. `kinds`: bits that apply to
 * each of them. `fee`: in atoms, of the owner `feePayer`.
 */
export function recordBalanceChanges(
  { state, touched, balanceChanges }: BlockContext,
  position: number,
  kinds: number,
  fee: Atoms = 0n,
  feePayer: Destination | null = null,
): void {
  const payerKey = feePayer === null ? '' : balanceKey(feePayer, COIN);
  // An owner whose coins go elsewhere, out of a delegation for instance.
  if (feePayer !== null && !touched.has(payerKey)) {
    const balance = state.balances.get(payerKey);
    touched.set(payerKey, { owner: feePayer, currency: COIN, before: balance, after: balance });
  }
  if (touched.size === 0) return;
  for (const { owner, currency, before, after } of touched.values()) {
    const balance = heldIn(after);
    const change = balance - heldIn(before);
    balanceChanges.push({
      position,
      kinds: kinds | (change > 0n ? RECEIVED : change < 0n ? SENT : 0),
      owner,
      currency,
      change,
      balance,
      locked: after?.locked ?? 0n,
      fee: currency === COIN && owner === feePayer ? fee : 0n,
    });
  }
  touched.clear();
}

function heldIn(balance: Balance | null): Atoms {
  return balance === null ? 0n : balance.amount + balance.locked;
}

/**
 * Returns the owner of the first input that brings coins: of an output, a delegation, a pool or an order that is concluded.
 * Null if there is none: nobody owns the coins that a fill takes out of an order.
 */
export function feePayerOf({ transaction, inputs, block }: TransactionContext): Destination | null {
  for (let i = 0; i < transaction.inputs.length; i++) {
    const owner = ownerOfCoins(block, transaction.inputs[i]!, inputs[i] ?? null);
    if (owner !== null) return owner;
  }
  return null;
}

function ownerOfCoins({ state }: BlockContext, input: TxInput, spent: ResolvedInput | null): Destination | null {
  switch (input.type) {
    case 'Utxo':
      return spent === null ? null : ownerOfSpentCoins(state.pools, spent);
    case 'Account':
      return state.delegations.get(input.delegationId)?.spendDestination ?? null;
    case 'AccountCommand':
    case 'OrderAccountCommand': {
      if (input.command.type !== 'ConcludeOrder') return null;
      const order = state.orders.get(input.command.orderId);
      return order?.askCurrency === COIN || order?.giveCurrency === COIN ? order.concludeDestination : null;
    }
  }
}

function ownerOfSpentCoins(pools: BlockContext['state']['pools'], { output, secret }: ResolvedInput): string | null {
  if (isStakeOutput(output)) return pools.get(output.poolId)?.decommissionDestination ?? null;
  if (isContractOutput(output)) {
    if (output.value.type !== 'Coin') return null;
    return secret === null ? output.contract.refundKey : output.contract.spendKey;
  }
  if (!isBalanceOutput(output) || output.type === 'IssueNft' || output.value.type !== 'Coin') return null;
  return output.destination;
}

/** Records the currencies whose supply the block changed, at its end. */
export function recordSupplies({ state, supplies, statisticsBefore }: BlockContext): void {
  for (const [currency, before] of statisticsBefore) {
    const after = state.statistics.get(currency);
    if (after === null) continue;
    const { circulatingSupply, preminted, burned, staked } = after;
    // A command may mint nothing of a token of which there was nothing.
    const isSame =
      circulatingSupply === (before?.circulatingSupply ?? 0n) &&
      preminted === (before?.preminted ?? 0n) &&
      burned === (before?.burned ?? 0n) &&
      staked === (before?.staked ?? 0n);
    if (!isSame) supplies.push({ currency, circulatingSupply, preminted, burned, staked });
  }
}

/** Returns a delegation with another balance, and records it as it was if this is its first change on a later day. */
export function withBalance({ day, delegationDays }: BlockContext, delegation: Delegation, balance: Atoms): Delegation {
  if (delegation.changedDay < day) delegationDays.push(delegation);
  return { ...delegation, balance, changedDay: day };
}
