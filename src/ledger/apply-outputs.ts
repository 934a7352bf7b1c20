/**
 * Applies the outputs of a transaction, of a block reward and of the genesis (docs/indexing-rules.md#outputs,
 * docs/indexing-rules.md#block-rewards-and-genesis).
 */

import { COIN, type Currency } from '../chain/currency.ts';
import { deriveDelegationId, deriveOrderId, deriveTokenId } from '../chain/derive-ids.ts';
import { assertNever, type PaymentKind, type SpendableOutput } from '../chain/input-and-output-kinds.ts';
import { currencyAndAmount, ownerOfOutput, refundOwnerOfOutput } from '../chain/output-owner-and-value.ts';
import type {
  Destination,
  Id,
  OrderData,
  OutputValue,
  StakePoolData,
  TimeLock,
  TokenIssuance,
  TxOutput,
} from '../chain/types.ts';
import { noteBalanceChange } from './balance-changes.ts';
import { type BlockContext, refuseBlock, type TransactionContext } from './block-context.ts';
import { burnFee, changeStatistics } from './currency-statistics.ts';
import { setNftOwner } from './nft-owners.ts';
import { isOpenOrder, newOrderTerms } from './order-terms.ts';
import { changeDelegatedBalance, setPool } from './pool-stake.ts';
import { searchFragments } from './search-fragments.ts';
import { delegationsOfPool } from './state.ts';
import { nftNameFragmentKey, type Order, outpointKey, tickerFragmentKey, type Utxo } from './state-rows.ts';
import { hasLockEnded, type LockEnd, lockEnd } from './time-lock.ts';
import { recordTokenEvent } from './token-commands.ts';

/** Applies one output of a transaction. */
export function applyOutput(context: TransactionContext, output: TxOutput, index: number): void {
  const { block } = context;
  burnFee(context, context.effects.output(output, context.transaction.inputs));
  switch (output.type) {
    case 'Transfer':
      return receive(context, output, index, null);
    case 'LockThenTransfer':
      return receive(context, output, index, pendingLock(block, output.lock));
    case 'Burn':
      return burn(context, output.value);
    case 'CreateStakePool':
      createPool(block, output.poolId, output.data);
      changeStatistics(context, COIN, { staked: output.data.pledge });
      return addUtxo(block, context, output, index);
    case 'ProduceBlockFromStake':
    case 'DataDeposit':
      return;
    case 'CreateDelegationId':
      return createDelegation(context, output.poolId, output.destination);
    case 'DelegateStaking':
      changeDelegatedBalance(context, output.delegationId, output.amount).deposited += output.amount;
      return;
    case 'IssueFungibleToken':
      return issueToken(context, output.issuance, index);
    case 'IssueNft':
      issueNft(context, output, index);
      return addUtxo(block, context, output, index);
    case 'Htlc': {
      // The value is nobody's balance until the contract is spent or refunded.
      const refund = lockEnd(output.contract.refundTimelock, block.height, block.timestamp);
      return addUtxo(block, context, output, index, null, refund);
    }
    case 'CreateOrder':
      return createOrder(context, output.order);
    default:
      return assertNever(output);
  }
}

/** Applies an output of a block reward or of the genesis. It is spendable at once, and in no history. */
export function applyRewardOutput(context: BlockContext, output: TxOutput, index: number, position: number): void {
  const source = { id: context.blockId, position };
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer': {
      const value = currencyAndAmount(output.value);
      if (value !== null) {
        noteBalanceChange(context, output.destination, value.currency, { amount: value.amount });
        changeStatistics(context, value.currency, { preminted: value.amount, circulatingSupply: value.amount });
      }
      return addUtxo(context, source, output, index);
    }
    case 'CreateStakePool': {
      const { pledge } = output.data;
      createPool(context, output.poolId, output.data);
      changeStatistics(context, COIN, { preminted: pledge, circulatingSupply: pledge, staked: pledge });
      return addUtxo(context, source, output, index);
    }
    case 'ProduceBlockFromStake':
      return addUtxo(context, source, output, index);
    // Consensus allows none of these in a reward or a genesis.
    case 'Burn':
    case 'CreateDelegationId':
    case 'DelegateStaking':
    case 'IssueFungibleToken':
    case 'IssueNft':
    case 'DataDeposit':
    case 'Htlc':
    case 'CreateOrder':
      return;
    default:
      return assertNever(output);
  }
}

/** Returns the end of a lock; null if it has already ended. */
function pendingLock(block: BlockContext, lock: TimeLock): LockEnd | null {
  const end = lockEnd(lock, block.height, block.timestamp);
  return hasLockEnded(end, block.height, block.medianTime) ? null : end;
}

/** Adds an output to the set of unspent ones. `source`: its transaction, or the block if it is of a reward. */
function addUtxo(
  context: BlockContext,
  source: Pick<TransactionContext, 'id' | 'position'>,
  output: SpendableOutput,
  index: number,
  lock: LockEnd | null = null,
  refund: LockEnd | null = null,
): void {
  const utxo: Utxo = {
    outpoint: outpointKey(source.id, index),
    height: context.height,
    position: source.position,
    outputIndex: index,
    output,
    owner: ownerOfOutput(output),
    refundOwner: refundOwnerOfOutput(output),
    unlockHeight: lock?.height ?? null,
    unlockTime: lock?.time ?? null,
    refundHeight: refund?.height ?? null,
    refundTime: refund?.time ?? null,
    isReward: source.id === context.blockId,
  };
  context.state.utxos.set(utxo.outpoint, utxo);
  context.state.locks.add(utxo);
  context.outputs.push(utxo);
}

type Payment = Extract<TxOutput, { type: PaymentKind }>;

function receive(context: TransactionContext, output: Payment, index: number, lock: LockEnd | null): void {
  const value = currencyAndAmount(output.value);
  if (value !== null) {
    const { currency, amount } = value;
    noteBalanceChange(context, output.destination, currency, lock === null ? { amount } : { locked: amount });
    if (currency !== COIN && amount > 0n) setNftOwner(context, currency, output.destination);
  }
  addUtxo(context.block, context, output, index, lock);
}

function burn(context: TransactionContext, burned: OutputValue): void {
  const value = currencyAndAmount(burned);
  if (value === null) return;
  changeStatistics(context, value.currency, { burned: value.amount, circulatingSupply: -value.amount });
}

function createPool(context: BlockContext, poolId: Id, data: StakePoolData): void {
  setPool(context, {
    poolId,
    creationHeight: context.height,
    pledge: data.pledge,
    rewards: 0n,
    delegationsBalance: 0n,
    delegationCount: 0,
    effectiveStake: 0n,
    expectedBase: 0n,
    blocksTotal: 0,
    blocksDay: 0,
    blocksMonth: 0,
    monthRate: 0n,
    stakerRewards: 0n,
    delegationRewards: 0n,
    decommissionedBy: null,
    changedDay: context.day,
    staker: data.staker,
    decommissionDestination: data.decommissionKey,
    vrfPublicKey: data.vrfPublicKey,
    marginRatioPerThousand: data.marginRatioPerThousand,
    costPerBlock: data.costPerBlock,
  });
  context.state.delegationsOfPool.set(poolId, []);
}

function createDelegation(context: TransactionContext, poolId: Id, spendDestination: Destination): void {
  const { state, height, day } = context.block;
  const delegationId =
    deriveDelegationId(context.transaction.inputs) ?? refuseBlock(context, 'a delegation needs a UTXO input');
  if (state.pools.get(poolId) === null) refuseBlock(context, `unknown pool ${poolId}`);
  const delegations = delegationsOfPool(state, poolId);
  delegations.push(delegationId);
  state.delegations.set(delegationId, {
    delegationId,
    poolId,
    spendDestination,
    balance: 0n,
    deposited: 0n,
    withdrawn: 0n,
    nextNonce: 0n,
    creationHeight: height,
    changedDay: day,
  });
}

function issueToken(context: TransactionContext, issuance: TokenIssuance, index: number): void {
  const { state, height, rules, counts } = context.block;
  const tokenId =
    deriveTokenId(context.transaction.inputs, rules.tokenIdGeneration) ??
    refuseBlock(context, 'an issuance needs an input to derive the token id from');
  state.tokens.set(tokenId, {
    tokenId,
    creationHeight: height,
    ticker: issuance.ticker,
    decimals: issuance.numberOfDecimals,
    metadataUri: issuance.metadataUri,
    totalSupply: issuance.totalSupply,
    circulatingSupply: 0n,
    isLocked: false,
    isFrozen: false,
    isFreezable: issuance.isFreezable,
    isUnfreezable: null,
    authority: issuance.authority,
    nextNonce: 0n,
  });
  const { authority, metadataUri } = issuance;
  recordTokenEvent(context, { tokenId, index, kind: 'token_issue', supply: 0n, authority, metadataUri });
  counts.tokens++;
  addTickerFragments(context, tokenId, issuance.ticker, false);
}

function issueNft(context: TransactionContext, output: Extract<TxOutput, { type: 'IssueNft' }>, index: number): void {
  const { state, height, counts } = context.block;
  const { tokenId, destination, metadata } = output;
  counts.nfts++;
  state.nfts.set(tokenId, { tokenId, creationHeight: height, owner: destination, metadata });
  context.nftsBefore.set(tokenId, undefined);
  recordTokenEvent(context, { tokenId, index, kind: 'nft_issue', amount: 1n, supply: 1n });
  addTickerFragments(context, tokenId, metadata.ticker, true);
  for (const { fragment, isWhole } of searchFragments(metadata.name)) {
    const row = { fragment, tokenId, isWhole };
    state.nameFragments.set(nftNameFragmentKey(row), row);
  }
  noteBalanceChange(context, destination, tokenId, { amount: 1n });
  changeStatistics(context, tokenId, { circulatingSupply: 1n });
}

function addTickerFragments(context: TransactionContext, tokenId: Id, ticker: string, isNft: boolean): void {
  for (const { fragment, isWhole } of searchFragments(ticker)) {
    const row = { fragment, isNft, tokenId, isWhole };
    context.block.state.tickerFragments.set(tickerFragmentKey(row), row);
  }
}

function createOrder(context: TransactionContext, data: OrderData): void {
  const { state, height, counts } = context.block;
  const orderId = deriveOrderId(context.transaction.inputs) ?? refuseBlock(context, 'an order needs a UTXO input');
  const terms = newOrderTerms(data);
  if (terms === null) return;
  const order: Order = {
    ...terms,
    orderId,
    creationHeight: height,
    concludeDestination: data.concludeKey,
    // Consensus lets an order ask for a token that nobody has issued, or not yet.
    askDecimals: decimalsOf(context, terms.askCurrency),
    giveDecimals:
      decimalsOf(context, terms.giveCurrency) ?? refuseBlock(context, `unknown token ${terms.giveCurrency}`),
    nextNonce: 0n,
    isFrozen: false,
    concludedHeight: null,
  };
  if (isOpenOrder(order)) counts.openOrders++;
  state.orders.set(orderId, order);
}

/** Returns the decimals of a currency; null for a token that was never issued. */
function decimalsOf(context: TransactionContext, currency: Currency): number | null {
  const { state, network } = context.block;
  if (currency === COIN) return network.coinDecimals;
  const token = state.tokens.get(currency);
  if (token !== null) return token.decimals;
  return state.nfts.get(currency) !== null ? 0 : null;
}
