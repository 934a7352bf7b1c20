/**
 * What a block changes in balances, supplies and stakes, gathered while it is applied
 * (docs/indexing-rules.md#balances-with-a-past).
 */
import { COIN, type Currency } from '../chain/currency.ts';
import { isBalanceOutput, isContractOutput, isStakeOutput } from '../chain/input-and-output-kinds.ts';
import type { Atoms, Destination, Id, TxInput } from '../chain/types.ts';
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

function ownerOfSpentCoins(pools: Pools, spent: ResolvedInput): Destination | null {
  const { output } = spent;
  if (output.type === 'IssueNft' || ('value' in output && output.value.type !== 'Coin')) return null;
  return spenderOf(pools, spent);
}

type Pools = BlockContext['state']['pools'];

/** Returns who spent an output: its owner, of an HTLC whose key it was, of a pool whoever may decommission it. */
export function spenderOf(pools: Pools, { output, secret }: ResolvedInput): Destination | null {
  if (isStakeOutput(output)) return pools.get(output.poolId)?.decommissionDestination ?? null;
  if (isContractOutput(output)) return secret === null ? output.contract.refundKey : output.contract.spendKey;
  return isBalanceOutput(output) ? output.destination : null;
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

/** Records what a delegation or a pool's staker had at the end of an earlier day, if it now changes for the first time since. */
export function recordDayEnd(
  { day, dayEnds }: BlockContext,
  stakeId: Id,
  { changedDay, balance }: { readonly changedDay: number; readonly balance: Atoms },
): void {
  if (changedDay < day) dayEnds.push({ stakeId, day: changedDay, balance });
}

/** Returns a delegation with another balance. */
export function withBalance(context: BlockContext, delegation: Delegation, balance: Atoms): Delegation {
  recordDayEnd(context, delegation.delegationId, delegation);
  return { ...delegation, balance, changedDay: context.day };
}
