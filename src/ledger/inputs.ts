/** What the inputs of a transaction change (docs/indexing-rules.md#inputs). */

import { htlcSpend } from '../chain/codec/witness.ts';
import { COIN } from '../chain/currency.ts';
import { unknownKind } from '../chain/kind-facts.ts';
import type { AccountCommand, Hex, InputWitness, Outpoint, TxInput } from '../chain/types.ts';
import type { ResolvedInput } from './applied.ts';
import { changeBalance, changeStatistics, countedValue, setNftOwner } from './balances.ts';
import { refuse, subtract, type TransactionContext } from './block-context.ts';
import { concludeOrder, fillOrder, freezeOrder } from './orders.ts';
import { setPool } from './pools.ts';
import { hasPendingLock, keyOfOutpoint, type Utxo } from './rows.ts';
import { applyTokenCommand } from './tokens.ts';

export function applyInput(context: TransactionContext, input: TxInput, witness: InputWitness, index: number): void {
  switch (input.type) {
    case 'Utxo':
      context.inputs.push(spendOutput(context, input.outpoint, witness, index));
      return;
    case 'Account':
      withdraw(context, input);
      break;
    case 'AccountCommand':
      applyAccountCommand(context, input.nonce, input.command);
      break;
    case 'OrderAccountCommand':
      switch (input.command.type) {
        case 'FillOrder':
          fillOrder(context, input.command.orderId, input.command.fillAmount);
          break;
        case 'FreezeOrder':
          freezeOrder(context, input.command.orderId);
          break;
        case 'ConcludeOrder':
          concludeOrder(context, input.command.orderId);
          break;
        default:
          unknownKind(input.command);
      }
      break;
    default:
      unknownKind(input);
  }
  context.inputs.push(null);
}

function applyAccountCommand(context: TransactionContext, nonce: bigint, command: AccountCommand): void {
  switch (command.type) {
    case 'FillOrder':
      return fillOrder(context, command.orderId, command.fillAmount);
    case 'ConcludeOrder':
      return concludeOrder(context, command.orderId);
    case 'MintTokens':
    case 'UnmintTokens':
    case 'LockTokenSupply':
    case 'FreezeToken':
    case 'UnfreezeToken':
    case 'ChangeTokenAuthority':
    case 'ChangeTokenMetadataUri':
      return applyTokenCommand(context, nonce, command);
    default:
      return unknownKind(command);
  }
}

/** Takes an output out of the set of unspent ones. */
function takeUtxo(context: TransactionContext, outpoint: Outpoint): Utxo {
  const { state } = context.block;
  const key = keyOfOutpoint(outpoint);
  const utxo =
    state.utxos.find(key) ??
    refuse(context, `the output ${outpoint.sourceId}:${outpoint.index} is unknown or already spent`);
  state.utxos.set(key, null);
  return utxo;
}

function spendOutput(
  context: TransactionContext,
  outpoint: Outpoint,
  witness: InputWitness,
  inputIndex: number,
): ResolvedInput {
  const utxo = takeUtxo(context, outpoint);
  const { output } = utxo;
  let secret: Hex | null = null;
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer': {
      context.addresses.add(output.destination);
      const value = countedValue(output.value);
      if (value === null) break;
      changeBalance(
        context,
        utxo.owner,
        value.currency,
        hasPendingLock(utxo) ? { locked: -value.amount } : { amount: -value.amount },
      );
      if (value.currency === COIN) context.coinsIn += value.amount;
      else {
        context.tokens.add(value.currency);
        if (value.amount > 0n) setNftOwner(context, value.currency, null);
      }
      break;
    }
    case 'IssueNft':
      context.addresses.add(output.destination);
      context.tokens.add(output.tokenId);
      changeBalance(context, utxo.owner, output.tokenId, { amount: -1n });
      setNftOwner(context, output.tokenId, null);
      break;
    case 'Htlc': {
      const spend = witness.type === 'Standard' ? htlcSpend(witness.rawSignature) : null;
      if (spend?.type === 'Spend') secret = spend.secret;
      if (spend?.type !== 'Refund') context.addresses.add(output.contract.spendKey);
      if (spend?.type !== 'Spend') context.addresses.add(output.contract.refundKey);
      const value = countedValue(output.value);
      if (value?.currency === COIN) context.coinsIn += value.amount;
      else if (value) context.tokens.add(value.currency);
      break;
    }
    case 'CreateStakePool':
    case 'ProduceBlockFromStake':
      decommission(context, output.poolId, utxo.isReward);
      break;
    case 'Burn':
    case 'CreateDelegationId':
    case 'DelegateStaking':
    case 'IssueFungibleToken':
    case 'DataDeposit':
    case 'CreateOrder':
      refuse(context, `an output of the kind ${output.type} cannot be spent`);
      break;
    default:
      unknownKind(output);
  }
  context.block.spends.push({ utxo, position: context.position, inputIndex, secret });
  return { output, secret };
}

/** The pool's row and its delegations stay; its own stake is subtracted from the totals. */
function decommission(context: TransactionContext, poolId: string, isReward: boolean): void {
  const { pools } = context.block.state;
  const pool = pools.get(poolId) ?? refuse(context, `unknown pool ${poolId}`);
  const stakerBalance = pool.pledge + pool.rewards;
  context.coinsIn += stakerBalance;
  if (isReward) context.addresses.add(pool.decommissionDestination);
  setPool(context, pool, { pledge: 0n, rewards: 0n });
  changeStatistics(context, COIN, { staked: -stakerBalance });
}

function withdraw(context: TransactionContext, input: Extract<TxInput, { type: 'Account' }>): void {
  const { delegations, pools } = context.block.state;
  const delegation = delegations.get(input.delegationId) ?? refuse(context, `unknown delegation ${input.delegationId}`);
  const pool = pools.get(delegation.poolId) ?? refuse(context, `unknown pool ${delegation.poolId}`);
  context.coinsIn += input.amount;
  const balance = subtract(context, 'the balance of a delegation', delegation.balance, input.amount);
  delegations.set(input.delegationId, { ...delegation, balance, nextNonce: input.nonce + 1n });
  setPool(context, pool, {
    delegationsBalance: subtract(context, 'the delegated total of a pool', pool.delegationsBalance, input.amount),
    delegationCount: pool.delegationCount - (delegation.balance > 0n && balance === 0n ? 1 : 0),
  });
  changeStatistics(context, COIN, { staked: -input.amount });
}
