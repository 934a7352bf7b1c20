/** What a block changes in balances, gathered while it is applied (docs/indexing-rules.md#balances-with-a-past). */

import { COIN, type Currency } from '../chain/currency.ts';
import { createsNft, isBalanceOutput, isContractOutput, isStakeOutput } from '../chain/input-and-output-kinds.ts';
import type { Atoms, Destination, ResolvedInput, TxInput } from '../chain/types.ts';
import { balanceChangeKindBit } from './balance-change-kinds.ts';
import {
  type BlockContext,
  blockContextOf,
  subtractOrRefuse,
  type TouchedBalance,
  type TransactionContext,
} from './block-context.ts';
import { type Balance, balanceKey } from './state-rows.ts';

type Context = BlockContext | TransactionContext;

const RECEIVED = balanceChangeKindBit('received');
const SENT = balanceChangeKindBit('sent');

/** Notes a change of a balance by signed amounts of its free and its locked part: `settleBalances` makes it. */
export function noteBalanceChange(
  context: Context,
  owner: Destination,
  currency: Currency,
  { amount = 0n, locked = 0n }: { amount?: Atoms; locked?: Atoms },
): void {
  // An unlocked output of amount zero may belong to a balance that does not exist or was not loaded.
  if (amount === 0n && locked === 0n) return;
  const balance = touchBalance(blockContextOf(context).touched, owner, currency);
  balance.amount += amount;
  balance.locked += locked;
}

/**
 * Changes the balances that were touched since the last call, each once, and records the changes. `position`: as in
 * `BalanceChange`. `kinds`: bits that apply to each of them. `fee`: in atoms, of the owner `feePayer`.
 */
export function settleBalances(
  context: Context,
  position: number,
  kinds: number,
  fee: Atoms = 0n,
  feePayer: Destination | null = null,
): void {
  const { state, touched, balanceChanges } = blockContextOf(context);
  // An owner whose coins go elsewhere, out of a delegation for instance.
  if (feePayer !== null) touchBalance(touched, feePayer, COIN);
  if (touched.size === 0) return;
  for (const [key, each] of touched) {
    const { owner, currency, amount, locked } = each;
    const row = state.balances.update(key, (old) => changedBalance(context, old, each));
    const change = amount + locked;
    balanceChanges.push({
      position,
      kinds: kinds | (change > 0n ? RECEIVED : change < 0n ? SENT : 0),
      owner,
      currency,
      change,
      balance: row === null ? 0n : row.amount + row.locked,
      locked: row === null ? 0n : row.locked,
      fee: currency === COIN && owner === feePayer ? fee : 0n,
    });
  }
  touched.clear();
}

/** Returns what is noted of a balance since the last call of {@link settleBalances}. */
function touchBalance(touched: Map<string, TouchedBalance>, owner: Destination, currency: Currency): TouchedBalance {
  const key = balanceKey(owner, currency);
  let balance = touched.get(key);
  if (balance === undefined) {
    balance = { owner, currency, amount: 0n, locked: 0n };
    touched.set(key, balance);
  }
  return balance;
}

function changedBalance(context: Context, old: Balance | null, touched: TouchedBalance): Balance | null {
  const { owner, currency } = touched;
  if (touched.amount === 0n && touched.locked === 0n) return old;
  const amount = subtractOrRefuse(context, `the balance of ${owner}`, old?.amount ?? 0n, -touched.amount);
  const locked = subtractOrRefuse(context, `the locked balance of ${owner}`, old?.locked ?? 0n, -touched.locked);
  const row: Balance | null = amount === 0n && locked === 0n ? null : { owner, currency, amount, locked };
  if ((row === null) !== (old === null)) countHolder(blockContextOf(context), currency, row === null ? -1 : 1);
  return row;
}

function countHolder({ holders }: BlockContext, currency: Currency, change: 1 | -1): void {
  holders.set(currency, (holders.get(currency) ?? 0) + change);
}

/**
 * Returns who paid the fee, before {@link settleBalances}: the first owner of a coin input whose balance falls by at least the
 * fee; else the first owner of one. Coin inputs are outputs, delegations, pools and concluded orders with coins. Null without
 * any: nobody owns the coins that a fill takes out of an order.
 */
export function feePayerOf({ transaction, inputs, block }: TransactionContext, fee: Atoms): Destination | null {
  let first: Destination | null = null;
  for (let i = 0; i < transaction.inputs.length; i++) {
    const owner = ownerOfCoins(block, transaction.inputs[i]!, inputs[i] ?? null);
    if (owner === null) continue;
    const { amount, locked } = block.touched.get(balanceKey(owner, COIN)) ?? { amount: 0n, locked: 0n };
    if (amount + locked <= -fee) return owner;
    first ??= owner;
  }
  return first;
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
  if (createsNft(output) || ('value' in output && output.value.type !== 'Coin')) return null;
  return spenderOf(pools, spent);
}

type Pools = BlockContext['state']['pools'];

/** Returns who spent an output: its owner, of an HTLC whose key it was, of a pool whoever may decommission it. */
export function spenderOf(pools: Pools, { output, secret }: ResolvedInput): Destination | null {
  if (isStakeOutput(output)) return pools.get(output.poolId)?.decommissionDestination ?? null;
  if (isContractOutput(output)) return secret === null ? output.contract.refundKey : output.contract.spendKey;
  return isBalanceOutput(output) ? output.destination : null;
}
