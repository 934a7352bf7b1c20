/** Applies the inputs of a transaction (docs/indexing-rules.md#inputs). */

import { COIN } from '../chain/currency.ts';
import { assertNever, isSpendable, isStakeOutput } from '../chain/input-and-output-kinds.ts';
import { valueInBalance } from '../chain/output-owner-and-value.ts';
import type { InputWitness, Outpoint, ResolvedInput, TxInput } from '../chain/types.ts';
import { noteBalanceChange } from './balance-changes.ts';
import { refuseBlock, type TransactionContext } from './block-context.ts';
import { burnFee, changeStatistics } from './currency-statistics.ts';
import { setNftOwner } from './nft-owners.ts';
import { applyOrderCommand } from './order-commands.ts';
import { changeDelegatedBalance, setPool } from './pool-stake.ts';
import { isTimeLocked, keyOfOutpoint, type Utxo } from './state-rows.ts';
import { applyTokenCommand } from './token-commands.ts';

export function applyInput(context: TransactionContext, input: TxInput, witness: InputWitness, index: number): void {
  if (input.type === 'Utxo') {
    context.inputs.push(spendOutput(context, input.outpoint, witness, index));
    return;
  }
  context.inputs.push(null);
  burnFee(context, context.effects.account(input));
  switch (input.type) {
    case 'Account':
      return withdraw(context, input);
    case 'AccountCommand':
      if ('orderId' in input.command) return applyOrderCommand(context, input.command, index);
      return applyTokenCommand(context, input.nonce, input.command, index);
    case 'OrderAccountCommand':
      return applyOrderCommand(context, input.command, index);
    default:
      return assertNever(input);
  }
}

/** Removes an output from the set of unspent ones, and returns it. */
function takeUtxo(context: TransactionContext, outpoint: Outpoint): Utxo {
  const { state } = context.block;
  const key = keyOfOutpoint(outpoint);
  return (
    state.utxos.take(key) ??
    refuseBlock(context, `the output ${outpoint.sourceId}:${outpoint.index} is unknown or already spent`)
  );
}

function spendOutput(
  context: TransactionContext,
  outpoint: Outpoint,
  witness: InputWitness,
  inputIndex: number,
): ResolvedInput {
  const utxo = takeUtxo(context, outpoint);
  const { output } = utxo;
  const secret = context.effects.spend(output, utxo.isReward, witness);
  if (!isSpendable(output)) refuseBlock(context, `an output of the kind ${output.type} cannot be spent`);
  if (isStakeOutput(output)) decommission(context, output.poolId);
  const value = valueInBalance(output);
  if (value !== null) {
    const { currency, amount } = value;
    noteBalanceChange(context, utxo.owner, currency, isTimeLocked(utxo) ? { locked: -amount } : { amount: -amount });
    if (currency !== COIN && amount > 0n) setNftOwner(context, currency, null);
  }
  context.block.spends.push({ utxo, position: context.position, inputIndex, secret });
  return { output, secret };
}

/** Sets the pledge and the rewards of a pool to 0, and subtracts them from the totals. Its row and delegations stay. */
function decommission(context: TransactionContext, poolId: string): void {
  const { pools, chain } = context.block.state;
  const pool = pools.get(poolId) ?? refuseBlock(context, `unknown pool ${poolId}`);
  const stakerBalance = pool.pledge + pool.rewards;
  setPool(context, pool, { pledge: 0n, rewards: 0n, decommissionedBy: chain.transactionCount + context.position });
  changeStatistics(context, COIN, { staked: -stakerBalance });
}

function withdraw(context: TransactionContext, input: Extract<TxInput, { type: 'Account' }>): void {
  const delegation = changeDelegatedBalance(context, input.delegationId, -input.amount);
  delegation.withdrawn += input.amount;
  delegation.nextNonce = input.nonce + 1n;
}
