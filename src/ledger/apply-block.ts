/** Applies a block to the ledger's state, and returns its effects (docs/indexing-rules.md#order-of-work-in-a-block). */

import { dayOfHour, hourOf } from '../chain/calendar.ts';
import { COIN } from '../chain/currency.ts';
import { isUtxoInput } from '../chain/input-and-output-kinds.ts';
import { medianTime, nextTimestamps } from '../chain/median-time.ts';
import { type Network, rewardDistributionVersionAt, subsidyAt } from '../chain/networks/network.ts';
import { valueInBalance } from '../chain/output-owner-and-value.ts';
import type { Genesis, Id, IdentifiedBlock, SignedTransaction } from '../chain/types.ts';
import type { AppliedBlock, AppliedGenesis, BlockReward } from './applied-block.ts';
import { applyInput } from './apply-inputs.ts';
import { applyOutput, applyRewardOutput } from './apply-outputs.ts';
import { balanceChangeKindBit, bitsOfTransactionKinds } from './balance-change-kinds.ts';
import { feePayerOf, noteBalanceChange, settleBalances } from './balance-changes.ts';
import { type BlockContext, refuseBlock, type TransactionContext } from './block-context.ts';
import { changeStatistics, recordSupplies, settleHolderCounts } from './currency-statistics.ts';
import { delegatorShare, rewardRate, stakerPart } from './divide-reward.ts';
import { countBlockInHour, expectedPerStakeWith, noHourCounts } from './hourly-totals.ts';
import { LedgerError } from './ledger-error.ts';
import { recordNftOwnerChanges } from './nft-owners.ts';
import { recordFills } from './order-commands.ts';
import { movePoolWindows } from './pool-block-windows.ts';
import { setDelegationBalance, setPool } from './pool-stake.ts';
import { delegationsOfPool, type LedgerState } from './state.ts';
import { type Delegation, isTimeLocked, keyOfOutpoint } from './state-rows.ts';
import { type EffectSources, effectRulesAt, TransactionEffects } from './transaction-effects.ts';
import { firstKind, transactionKinds } from './transaction-kind.ts';

/** The position in a block of the end of time locks: before its first transaction. */
const UNLOCK_POSITION = -1;
const UNLOCKED = balanceChangeKindBit('unlocked');
const REWARD = balanceChangeKindBit('reward');

/**
 * Applies the block that follows the state's tip. The state must know all keys that the block touches
 * (`collect-keys.ts`). Throws a LedgerError if the block contradicts the state. The state is then half changed, so the
 * caller must discard it or roll it back.
 */
export function applyBlock(state: LedgerState, network: Network, identified: IdentifiedBlock): AppliedBlock {
  const { block, id } = identified;
  const { chain } = state;
  const height = chain.height + 1;
  if (block.header.prevBlockId !== chain.blockId) {
    const what = `its parent is ${block.header.prevBlockId}, the tip is ${chain.blockId}`;
    throw new LedgerError(what, { height, blockId: id });
  }
  const timestamps = nextTimestamps(chain.timestamps, block.header.timestamp);
  const context = newBlockContext(state, network, {
    height,
    blockId: id,
    timestamp: block.header.timestamp,
    medianTime: medianTime(timestamps),
    identified,
  });
  movePoolWindows(context, chain.timestamps.at(-1) ?? block.header.timestamp);
  unlock(context, medianTime(chain.timestamps));
  let fees = 0n;
  for (const [position, signed] of block.transactions.entries()) {
    fees += applyTransaction(context, signed, identified.transactionIds[position]!, position);
  }
  const rewardPosition = block.transactions.length;
  for (const [index, output] of block.reward.entries()) applyRewardOutput(context, output, index, rewardPosition);
  settleBalances(context, rewardPosition, REWARD);
  const reward = applyConsensus(context, fees);
  settleHolderCounts(context);
  recordSupplies(context);
  const transactionCount = chain.transactionCount + block.transactions.length;
  countBlockInHour(context, transactionCount, fees);
  state.chain = {
    height,
    blockId: id,
    timestamps,
    hour: context.hour,
    transactionCount,
  };
  return {
    height,
    identified,
    medianTime: context.medianTime,
    firstTransactionIndex: chain.transactionCount,
    transactions: context.transactions,
    outputs: context.outputs,
    spends: context.spends,
    fees,
    reward,
    nftOwners: context.nftOwners,
    balanceChanges: context.balanceChanges,
    supplies: context.supplies,
    tokenEvents: context.tokenEvents,
    startedDay: context.day > dayOfHour(chain.hour) ? context.day : null,
    delegationDays: context.delegationDays,
    poolDays: context.poolDays,
    fills: context.fills,
  };
}

/** Applies the genesis to an empty state. */
export function applyGenesis(state: LedgerState, network: Network, genesis: Genesis, id: Id): AppliedGenesis {
  const { timestamp } = genesis;
  const place = { height: 0, blockId: id, timestamp, medianTime: timestamp, identified: null };
  const context = newBlockContext(state, network, place);
  for (const [index, output] of genesis.outputs.entries()) applyRewardOutput(context, output, index, 0);
  settleBalances(context, 0, REWARD);
  settleHolderCounts(context);
  recordSupplies(context);
  countBlockInHour(context, 0, 0n);
  const { outputs, balanceChanges, supplies, day, hour } = context;
  state.chain = { height: 0, blockId: id, timestamps: [timestamp], hour, transactionCount: 0 };
  return { outputs, balanceChanges, supplies, startedDay: day };
}

/** Returns the context of a block of which nothing is applied yet. */
export function newBlockContext(
  state: LedgerState,
  network: Network,
  place: Pick<BlockContext, 'height' | 'blockId' | 'timestamp' | 'medianTime' | 'identified'>,
): BlockContext {
  const hour = Math.max(state.chain.hour, hourOf(place.timestamp));
  return {
    network,
    state,
    ...place,
    hour,
    day: dayOfHour(hour),
    rules: effectRulesAt(network, place.height),
    sources: sourcesIn(state),
    transactions: [],
    outputs: [],
    spends: [],
    nftOwners: [],
    touched: new Map(),
    balanceChanges: [],
    statisticsBefore: new Map(),
    supplies: [],
    tokenEvents: [],
    delegationDays: [],
    poolDays: [],
    counts: noHourCounts(),
    expectedPerStake: expectedPerStakeWith(state, place.identified?.block.header.consensus.type === 'PoS'),
    fills: [],
    holders: new Map(),
  };
}

function sourcesIn({ pools, delegations, orders }: LedgerState): EffectSources {
  return {
    pool: (id) => {
      const pool = pools.get(id);
      if (pool === null) return undefined;
      return { stakerBalance: pool.pledge + pool.rewards, decommissionDestination: pool.decommissionDestination };
    },
    delegationOwner: (id) => delegations.get(id)?.spendDestination,
    order: (id) => orders.get(id) ?? undefined,
  };
}

/** Frees the outputs whose time lock ends with this block. */
function unlock(context: BlockContext, previousMedian: number): void {
  const { state, height } = context;
  for (const key of state.locks.takeDue(height, previousMedian, context.medianTime)) {
    const utxo = state.utxos.get(key);
    if (utxo === null || !isTimeLocked(utxo)) continue;
    state.utxos.set(key, { ...utxo, unlockHeight: null, unlockTime: null });
    const value = valueInBalance(utxo.output);
    if (value !== null) {
      noteBalanceChange(context, utxo.owner, value.currency, { amount: value.amount, locked: -value.amount });
    }
  }
  settleBalances(context, UNLOCK_POSITION, UNLOCKED);
}

/** Applies a transaction. Returns its fee in atoms. */
function applyTransaction(context: BlockContext, signed: SignedTransaction, id: Id, position: number): bigint {
  const { transaction, signatures } = signed;
  const tx: TransactionContext = {
    block: context,
    id,
    transaction,
    position,
    inputs: [],
    effects: new TransactionEffects(context.rules, context.sources),
    nftsBefore: new Map(),
    actors: [],
    fills: [],
  };
  for (let i = 0; i < transaction.inputs.length; i++) applyInput(tx, transaction.inputs[i]!, signatures[i]!, i);
  for (let i = 0; i < transaction.outputs.length; i++) applyOutput(tx, transaction.outputs[i]!, i);
  const { addresses, tokens, coinsIn, coinsOut } = tx.effects;
  if (coinsOut > coinsIn) refuseBlock(tx, `it spends ${coinsIn} atoms and pays out ${coinsOut}`);
  const fee = coinsIn - coinsOut;
  recordNftOwnerChanges(tx);
  recordFills(tx);
  const kinds = transactionKinds(transaction, tx.inputs);
  const feePayer = fee === 0n ? null : feePayerOf(tx, fee);
  settleBalances(tx, position, bitsOfTransactionKinds(kinds), fee, feePayer);
  context.transactions.push({
    id,
    transaction,
    fee,
    size: context.identified?.transactionSizes[position] ?? 0,
    kind: firstKind(kinds),
    kinds,
    inputs: tx.inputs,
    actors: tx.actors,
    addresses,
    tokens,
  });
  return fee;
}

/**
 * Applies proof of stake: spends the kernel inputs, and divides subsidy and fees between the staker and the
 * delegations.
 */
function applyConsensus(context: BlockContext, fees: bigint): BlockReward {
  const consensus = context.identified?.block.header.consensus;
  if (consensus?.type !== 'PoS') return NO_REWARD;
  const { stakePoolId, kernelInputs } = consensus.data;
  for (const [inputIndex, input] of kernelInputs.entries()) {
    if (!isUtxoInput(input)) continue;
    const key = keyOfOutpoint(input.outpoint);
    const utxo =
      context.state.utxos.take(key) ?? refuseBlock(context, `the kernel input ${key} is unknown or already spent`);
    context.spends.push({ utxo, position: null, inputIndex, secret: null });
  }
  const subsidy = subsidyAt(context.network, context.height);
  const reward = distributeReward(context, stakePoolId, subsidy + fees);
  changeStatistics(context, COIN, { staked: subsidy + fees, circulatingSupply: subsidy });
  context.state.poolBlocks.add({ timestamp: context.timestamp, poolId: stakePoolId, rate: reward.rate });
  return reward;
}

const NO_REWARD: BlockReward = { staker: 0n, delegations: 0n, rate: 0n };

const hasBalance = ({ balance }: Delegation): boolean => balance > 0n;

function distributeReward(context: BlockContext, poolId: Id, reward: bigint): BlockReward {
  const { state, network, height } = context;
  const pool = state.pools.get(poolId) ?? refuseBlock(context, `unknown pool ${poolId}`);
  const { costPerBlock, marginRatioPerThousand, delegationsBalance } = pool;
  const stakerBalance = pool.pledge + pool.rewards;
  const terms = { reward, costPerBlock, marginRatioPerThousand, stakerBalance, delegationsBalance };
  const own = stakerPart(rewardDistributionVersionAt(network, height), terms);
  const pot = reward - own;
  let shared = 0n;
  if (pot > 0n && delegationsBalance > 0n) {
    for (const delegationId of delegationsOfPool(state, poolId)) {
      const delegation = state.delegations.writable(delegationId, hasBalance);
      if (delegation === null) continue;
      const share = delegatorShare(pot, delegation.balance, delegationsBalance);
      if (share === 0n) continue;
      shared += share;
      setDelegationBalance(context, delegation, delegation.balance + share);
    }
  }
  const rate = rewardRate(shared, delegationsBalance);
  setPool(context, pool, {
    rewards: pool.rewards + reward - shared,
    delegationsBalance: delegationsBalance + shared,
    blocksTotal: pool.blocksTotal + 1,
    blocksDay: pool.blocksDay + 1,
    blocksMonth: pool.blocksMonth + 1,
    monthRate: pool.monthRate + rate,
    stakerRewards: pool.stakerRewards + reward - shared,
    delegationRewards: pool.delegationRewards + shared,
  });
  return { staker: reward - shared, delegations: shared, rate };
}
