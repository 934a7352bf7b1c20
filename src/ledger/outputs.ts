/**
 * What the outputs of a transaction, of a block reward and of the genesis change (docs/indexing-rules.md#outputs,
 * docs/indexing-rules.md#block-rewards-and-genesis).
 */

import { COIN, type Currency } from '../chain/currency.ts';
import { delegationIdOf, orderIdOf, tokenIdOf } from '../chain/derive-ids.ts';
import { unknownKind } from '../chain/kind-facts.ts';
import { feesAt, tokenIdGenerationAt } from '../chain/networks/network.ts';
import type { Destination, Id, OrderData, OutputValue, StakePoolData, TimeLock, TxOutput } from '../chain/types.ts';
import { burnFee, changeBalance, changeStatistics, countedValue, setNftOwner } from './balances.ts';
import { type BlockContext, refuse, type TransactionContext } from './block-context.ts';
import { setPool } from './pools.ts';
import { nameFragmentKey, outpointKey, tickerFragmentKey, type Utxo } from './rows.ts';
import { searchFragments } from './search-fragments.ts';
import { hasEnded, type LockEnd, lockEnd } from './time-lock.ts';

const UNLOCKED: LockEnd | null = null;

/** Applies one output of a transaction. */
export function applyOutput(context: TransactionContext, output: TxOutput, index: number): void {
  const { block } = context;
  const fees = feesAt(block.network, block.height);
  switch (output.type) {
    case 'Transfer':
      return receive(context, output, index, UNLOCKED);
    case 'LockThenTransfer':
      return receive(context, output, index, pendingLock(block, output.lock));
    case 'Burn':
      return burn(context, output.value);
    case 'CreateStakePool':
      context.addresses.add(output.data.decommissionKey);
      context.addresses.add(output.data.staker);
      context.coinsOut += output.data.pledge;
      createPool(block, output.poolId, output.data);
      changeStatistics(context, COIN, { staked: output.data.pledge });
      return addUtxo(block, {
        source: context.id,
        position: context.position,
        index,
        output,
        owner: output.data.decommissionKey,
      });
    case 'ProduceBlockFromStake':
      return;
    case 'CreateDelegationId':
      return createDelegation(context, output.poolId, output.destination);
    case 'DelegateStaking':
      return delegate(context, output.delegationId, output.amount);
    case 'IssueFungibleToken':
      burnFee(context, fees.issueFungibleToken);
      return issueToken(context, output.issuance);
    case 'IssueNft':
      burnFee(context, fees.issueNft);
      return issueNft(context, output, index);
    case 'DataDeposit':
      return burnFee(context, fees.dataDeposit);
    case 'Htlc':
      return lockInHtlc(context, output, index);
    case 'CreateOrder':
      return createOrder(context, output.order);
    default:
      return unknownKind(output);
  }
}

/** Applies one output of a block reward or of the genesis; it is free to spend at once, and no history mentions it. */
export function applyRewardOutput(context: BlockContext, output: TxOutput, index: number, position: number): void {
  const add = (owner: Destination): void =>
    addUtxo(context, { source: context.blockId, position, index, output, owner, isReward: true });
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer': {
      const value = countedValue(output.value);
      if (value !== null) {
        changeBalance(context, output.destination, value.currency, { amount: value.amount });
        changeStatistics(context, value.currency, { preminted: value.amount, circulatingSupply: value.amount });
      }
      return add(output.destination);
    }
    case 'CreateStakePool': {
      const { pledge } = output.data;
      createPool(context, output.poolId, output.data);
      changeStatistics(context, COIN, { preminted: pledge, circulatingSupply: pledge, staked: pledge });
      return add(output.data.decommissionKey);
    }
    case 'ProduceBlockFromStake':
      return add(output.destination);
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
      return unknownKind(output);
  }
}

/** When a lock will end; null when it has ended already. */
function pendingLock(block: BlockContext, lock: TimeLock): LockEnd | null {
  const end = lockEnd(lock, block.height, block.timestamp);
  return hasEnded(end, block.height, block.medianTime) ? null : end;
}

interface NewUtxo {
  readonly source: Id;
  readonly position: number;
  readonly index: number;
  readonly output: TxOutput;
  readonly owner: Destination;
  readonly refundOwner?: Destination | null;
  readonly lock?: LockEnd | null;
  readonly refund?: LockEnd;
  readonly isReward?: boolean;
}

function addUtxo(context: BlockContext, created: NewUtxo): void {
  const utxo: Utxo = {
    outpoint: outpointKey(created.source, created.index),
    height: context.height,
    position: created.position,
    outputIndex: created.index,
    output: created.output,
    owner: created.owner,
    refundOwner: created.refundOwner ?? null,
    unlockHeight: created.lock?.height ?? null,
    unlockTime: created.lock?.time ?? null,
    refundHeight: created.refund?.height ?? null,
    refundTime: created.refund?.time ?? null,
    isReward: created.isReward ?? false,
  };
  context.state.utxos.set(utxo.outpoint, utxo);
  context.state.locks.add(utxo);
  context.outputs.push(utxo);
}

type Payment = Extract<TxOutput, { type: 'Transfer' | 'LockThenTransfer' }>;

function receive(context: TransactionContext, output: Payment, index: number, lock: LockEnd | null): void {
  const { destination } = output;
  context.addresses.add(destination);
  const value = countedValue(output.value);
  if (value !== null) {
    changeBalance(
      context,
      destination,
      value.currency,
      lock === null ? { amount: value.amount } : { locked: value.amount },
    );
    if (value.currency === COIN) context.coinsOut += value.amount;
    else {
      context.tokens.add(value.currency);
      if (value.amount > 0n) setNftOwner(context, value.currency, destination);
    }
  }
  addUtxo(context.block, { source: context.id, position: context.position, index, output, owner: destination, lock });
}

function burn(context: TransactionContext, burned: OutputValue): void {
  const value = countedValue(burned);
  if (value === null) return;
  if (value.currency === COIN) context.coinsOut += value.amount;
  else context.tokens.add(value.currency);
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
    blocksTotal: 0,
    blocksDay: 0,
    blocksMonth: 0,
    monthRate: 0n,
    staker: data.staker,
    decommissionDestination: data.decommissionKey,
    vrfPublicKey: data.vrfPublicKey,
    marginRatioPerThousand: data.marginRatioPerThousand,
    costPerBlock: data.costPerBlock,
  });
  context.state.delegationsOfPool.set(poolId, []);
}

function createDelegation(context: TransactionContext, poolId: Id, spendDestination: Destination): void {
  const { state, height } = context.block;
  const delegationId = delegationIdOf(context.transaction.inputs) ?? refuse(context, 'a delegation needs a UTXO input');
  if (state.pools.get(poolId) === null) refuse(context, `unknown pool ${poolId}`);
  const delegations = state.delegationsOfPool.get(poolId) ?? refuse(context, `pool ${poolId} was not collected`);
  delegations.push(delegationId);
  state.delegations.set(delegationId, {
    delegationId,
    poolId,
    spendDestination,
    balance: 0n,
    nextNonce: 0n,
    creationHeight: height,
  });
}

function delegate(context: TransactionContext, delegationId: Id, amount: bigint): void {
  const { delegations, pools } = context.block.state;
  const delegation = delegations.get(delegationId) ?? refuse(context, `unknown delegation ${delegationId}`);
  const pool = pools.get(delegation.poolId) ?? refuse(context, `unknown pool ${delegation.poolId}`);
  context.addresses.add(delegation.spendDestination);
  context.coinsOut += amount;
  delegations.set(delegationId, { ...delegation, balance: delegation.balance + amount });
  setPool(context, pool, {
    delegationsBalance: pool.delegationsBalance + amount,
    delegationCount: pool.delegationCount + (delegation.balance === 0n && amount > 0n ? 1 : 0),
  });
  changeStatistics(context, COIN, { staked: amount });
}

/** The id of what the transaction issues, by the rule of its height. */
function issuedTokenId(context: TransactionContext): Id {
  const { network, height } = context.block;
  const id = tokenIdOf(context.transaction.inputs, tokenIdGenerationAt(network, height));
  return id ?? refuse(context, 'an issuance needs an input to derive the token id from');
}

function issueToken(
  context: TransactionContext,
  issuance: Extract<TxOutput, { type: 'IssueFungibleToken' }>['issuance'],
): void {
  const { state, height } = context.block;
  const tokenId = issuedTokenId(context);
  context.tokens.add(tokenId);
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
  addTickerFragments(context, tokenId, issuance.ticker, false);
}

function issueNft(context: TransactionContext, output: Extract<TxOutput, { type: 'IssueNft' }>, index: number): void {
  const { state, height } = context.block;
  const { tokenId, destination, metadata } = output;
  context.tokens.add(tokenId);
  context.addresses.add(destination);
  state.nfts.set(tokenId, { tokenId, creationHeight: height, owner: destination, metadata });
  context.nftsBefore.set(tokenId, undefined);
  addTickerFragments(context, tokenId, metadata.ticker, true);
  addNameFragments(context, tokenId, metadata.name);
  changeBalance(context, destination, tokenId, { amount: 1n });
  changeStatistics(context, tokenId, { circulatingSupply: 1n });
  addUtxo(context.block, { source: context.id, position: context.position, index, output, owner: destination });
}

function addTickerFragments(context: TransactionContext, tokenId: Id, ticker: string, isNft: boolean): void {
  for (const { fragment, isWhole } of searchFragments(ticker)) {
    const row = { fragment, isNft, tokenId, isWhole };
    context.block.state.tickerFragments.set(tickerFragmentKey(row), row);
  }
}

function addNameFragments(context: TransactionContext, tokenId: Id, name: string): void {
  for (const { fragment, isWhole } of searchFragments(name)) {
    const row = { fragment, tokenId, isWhole };
    context.block.state.nameFragments.set(nameFragmentKey(row), row);
  }
}

/** The value is nobody's balance until the contract is spent or refunded; both keys see the output. */
function lockInHtlc(context: TransactionContext, output: Extract<TxOutput, { type: 'Htlc' }>, index: number): void {
  const { block } = context;
  const { spendKey, refundKey, refundTimelock } = output.contract;
  context.addresses.add(spendKey);
  context.addresses.add(refundKey);
  const value = countedValue(output.value);
  if (value?.currency === COIN) context.coinsOut += value.amount;
  else if (value) context.tokens.add(value.currency);
  addUtxo(block, {
    source: context.id,
    position: context.position,
    index,
    output,
    owner: spendKey,
    refundOwner: refundKey === spendKey ? null : refundKey,
    refund: lockEnd(refundTimelock, block.height, block.timestamp),
  });
}

function createOrder(context: TransactionContext, order: OrderData): void {
  const { state, height } = context.block;
  const orderId = orderIdOf(context.transaction.inputs) ?? refuse(context, 'an order needs a UTXO input');
  const ask = countedValue(order.ask);
  const give = countedValue(order.give);
  if (ask === null || give === null) return;
  for (const { currency } of [ask, give]) if (currency !== COIN) context.tokens.add(currency);
  if (give.currency === COIN) context.coinsOut += give.amount;
  state.orders.set(orderId, {
    orderId,
    creationHeight: height,
    concludeDestination: order.concludeKey,
    askCurrency: ask.currency,
    // Consensus lets an order ask for a token that nobody has issued, or not yet.
    askDecimals: decimalsOf(context, ask.currency),
    initiallyAsked: ask.amount,
    askBalance: ask.amount,
    giveCurrency: give.currency,
    giveDecimals: decimalsOf(context, give.currency) ?? refuse(context, `unknown token ${give.currency}`),
    initiallyGiven: give.amount,
    giveBalance: give.amount,
    nextNonce: 0n,
    isFrozen: false,
    isConcluded: false,
  });
}

/** Null for a token that was never issued. */
function decimalsOf(context: TransactionContext, currency: Currency): number | null {
  const { state, network } = context.block;
  if (currency === COIN) return network.coinDecimals;
  const token = state.tokens.get(currency);
  if (token !== null) return token.decimals;
  return state.nfts.get(currency) !== null ? 0 : null;
}
