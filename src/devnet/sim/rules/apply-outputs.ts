/** Applies each kind of output to the world, and takes its value from the transaction. */

import { deriveDelegationId, deriveOrderId, derivePoolId, deriveTokenId } from '../../../chain/derive-ids.ts';
import {
  assertNever,
  createsNft,
  isLockedOutput,
  isStakeOutput,
  type SpendableOutput,
} from '../../../chain/input-and-output-kinds.ts';
import { ATOMS_PER_COIN, burnedFeesAt, maturityAt, tokenIdGenerationAt } from '../../../chain/networks/network.ts';
import { ownerOfOutput } from '../../../chain/output-owner-and-value.ts';
import type {
  Atoms,
  Destination,
  Id,
  Outpoint,
  OutputValue,
  TimeLock,
  Transaction,
  TxOutput,
} from '../../../chain/types.ts';
import { NOT_IN_A_BAG } from '../undoable-collections.ts';
import { type SimulatedCurrency, type SimulatedPool, type SimulatedWorld, worldOutpointKey } from '../world.ts';
import { activePool, refuseFrozenCurrency } from './apply-inputs.ts';
import type { InputOutputBalance } from './input-output-balance.ts';
import { checkNftTexts, issueToken } from './issuance.ts';
import { type LockOpening, lockOpensAt, NO_LOCK } from './locks.ts';
import { refuseTransaction } from './refusal.ts';

const MIN_PLEDGE_COINS = 40_000n;
export const MIN_PLEDGE_ATOMS = MIN_PLEDGE_COINS * ATOMS_PER_COIN;
const DATA_DEPOSIT_V0_FEE = 100n * ATOMS_PER_COIN;

interface Value {
  readonly currency: SimulatedCurrency;
  readonly amount: Atoms;
}

function readValue(value: OutputValue): Value {
  if (value.type === 'TokenV0') refuseTransaction('Tokens V0 are deprecated');
  return { currency: value.type === 'Coin' ? 'coin' : value.tokenId, amount: value.amount };
}

/** Returns the value that an output takes from the inputs, besides its burned fee; null if none. */
export function valueNeededByOutput(output: TxOutput): Value | null {
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer':
    case 'Burn':
    case 'Htlc':
      return readValue(output.value);
    case 'CreateOrder':
      return readValue(output.order.give);
    case 'CreateStakePool':
      return { currency: 'coin', amount: output.data.pledge };
    case 'DelegateStaking':
      return { currency: 'coin', amount: output.amount };
    case 'ProduceBlockFromStake':
    case 'CreateDelegationId':
    case 'IssueFungibleToken':
    case 'IssueNft':
    case 'DataDeposit':
      return null;
  }
}

/** Adds an output to the set of unspent ones, of `owner` and without a lock unless given. */
export function addUnspentOutput(
  world: SimulatedWorld,
  outpoint: Outpoint,
  output: SpendableOutput,
  { owner = ownerOfOutput(output), opens = NO_LOCK }: { owner?: Destination; opens?: LockOpening } = {},
): void {
  world.addUtxo({
    key: worldOutpointKey(outpoint),
    outpoint,
    output,
    destination: owner,
    ...worthOf(output),
    height: world.height,
    timestamp: world.timestamp,
    freeAtHeight: opens.height,
    freeAtTime: opens.time,
    ...NOT_IN_A_BAG,
  });
}

/** An output of a type. */
type OutputOf<Type extends TxOutput['type']> = Extract<TxOutput, { type: Type }>;

const NOTHING: Value = { currency: 'coin', amount: 0n };

/** The worth of a pool's output is the pool's. */
function worthOf(output: SpendableOutput): Value {
  if (isStakeOutput(output)) return NOTHING;
  return createsNft(output) ? { currency: output.tokenId, amount: 1n } : readValue(output.value);
}

export function applyOutputToWorld(
  world: SimulatedWorld,
  sheet: InputOutputBalance,
  { inputs, outputs }: Transaction,
  transactionId: Id,
  index: number,
): void {
  const output = outputs[index]!;
  const outpoint: Outpoint = { sourceType: 'Transaction', sourceId: transactionId, index };
  const taken = valueNeededByOutput(output) ?? NOTHING;
  checkTransferable(world, taken.currency);
  const isLocked = taken.currency === 'coin' && isLockedOutput(output) && matures(world, output.lock);
  if (isLocked) sheet.giveOutLocked(taken.amount);
  else sheet.giveOut(taken.currency, taken.amount);
  switch (output.type) {
    case 'Transfer':
    case 'Htlc':
      return addUnspentOutput(world, outpoint, output);
    case 'LockThenTransfer':
      return addUnspentOutput(world, outpoint, output, {
        opens: lockOpensAt(output.lock, world.height, world.timestamp),
      });
    case 'Burn':
      return burn(world, taken);
    case 'CreateStakePool': {
      const { data, poolId } = output;
      if (poolId !== derivePoolId(inputs)) refuseTransaction(`Stake pool id ${poolId} is not that of its input`);
      if (data.pledge < MIN_PLEDGE_ATOMS) refuseTransaction(`Not enough pledge to create a stake pool: ${data.pledge}`);
      return createPool(world, output, outpoint);
    }
    case 'ProduceBlockFromStake':
      return refuseTransaction('Outputs of block production are not allowed in a transaction');
    case 'CreateDelegationId':
      return createDelegation(world, output, deriveDelegationId(inputs)!);
    case 'DelegateStaking':
      return delegate(world, output);
    case 'IssueFungibleToken':
      return issueToken(world, inputs, output.issuance);
    case 'IssueNft': {
      const { tokenId } = output;
      if (tokenId !== deriveTokenId(inputs, tokenIdGenerationAt(world.network, world.height)))
        refuseTransaction(`Token id ${tokenId} is not that of its input`);
      checkNftTexts(output.metadata);
      world.nfts.set(tokenId, { id: tokenId, creationHeight: world.height, burned: false, forsaken: 0n });
      return addUnspentOutput(world, outpoint, output);
    }
    case 'DataDeposit': {
      const limit = maxDataBytes(world);
      if (output.data.length > 2 * limit)
        refuseTransaction(`Data deposit of ${output.data.length / 2} bytes, the limit is ${limit}`);
      return;
    }
    case 'CreateOrder':
      return createOrder(world, output, deriveOrderId(inputs)!);
    default:
      assertNever(output);
  }
}

/** Does a lock hold for the maturity, as coins of pools and delegations need it? */
function matures(world: SimulatedWorld, lock: TimeLock): boolean {
  return lock.type === 'ForBlockCount' && lock.value >= BigInt(maturityAt(world.network, world.height));
}

/** Refuses what does not exist, or cannot move now. */
function checkTransferable(world: SimulatedWorld, currency: SimulatedCurrency): void {
  if (currency !== 'coin' && !world.tokens.get(currency) && !world.nfts.get(currency))
    refuseTransaction(`Token ${currency} does not exist`);
  refuseFrozenCurrency(world, currency);
}

/** Returns the largest length of a data deposit, which grew when its fee fell. */
export function maxDataBytes(world: SimulatedWorld): number {
  return burnedFeesAt(world.network, world.height).dataDeposit === DATA_DEPOSIT_V0_FEE ? 128 : 384;
}

function burn(world: SimulatedWorld, { currency, amount }: Value): void {
  if (currency === 'coin') return burnCoins(world, amount);
  const token = world.tokens.get(currency);
  if (token !== undefined) world.journal.set(token, 'burned', token.burned + amount);
  const nft = world.nfts.get(currency);
  if (nft !== undefined && amount > 0n) world.journal.set(nft, 'burned', true);
}

/** Takes coins out of circulation. */
export function burnCoins({ journal, statistics }: SimulatedWorld, amount: Atoms): void {
  journal.change(statistics, { burned: statistics.burned + amount, circulating: statistics.circulating - amount });
}

function createDelegation(world: SimulatedWorld, output: OutputOf<'CreateDelegationId'>, id: Id): void {
  const { poolId, destination: owner } = output;
  const pool = activePool(world, poolId);
  const delegation = { id, pool, owner, creationHeight: world.height, balance: 0n, nonce: 0n, ...NOT_IN_A_BAG };
  pool.delegations.push(delegation);
  world.journal.note(lastDelegation, pool);
  world.delegations.set(id, delegation);
  if (world.userKeys.owns(owner)) world.delegationBag.add(delegation);
}

/** Takes back the newest delegation of a pool. */
const lastDelegation = {
  undo(record: unknown): void {
    (record as SimulatedPool).delegations.pop();
  },
};

function delegate(world: SimulatedWorld, { delegationId, amount }: OutputOf<'DelegateStaking'>): void {
  const { delegations, journal, statistics } = world;
  const delegation = delegations.get(delegationId) ?? refuseTransaction(`Delegation ${delegationId} does not exist`);
  // A node also takes this when the pool was decommissioned since.
  const { pool } = delegation;
  journal.set(delegation, 'balance', delegation.balance + amount);
  journal.set(pool, 'delegationsBalance', pool.delegationsBalance + amount);
  journal.set(statistics, 'staked', statistics.staked + amount);
}

function createOrder(world: SimulatedWorld, { order: data }: OutputOf<'CreateOrder'>, id: Id): void {
  // It may ask for a token that does not exist yet.
  const [ask, give] = [readValue(data.ask), readValue(data.give)];
  refuseFrozenCurrency(world, ask.currency);
  if (ask.amount === 0n || give.amount === 0n) refuseTransaction('Order with zero exchange value');
  if (ask.currency === give.currency) refuseTransaction('Order of a currency for itself');
  const order = {
    id,
    concludeKey: data.concludeKey,
    creationHeight: world.height,
    ask,
    give,
    askBalance: ask.amount,
    giveBalance: give.amount,
    nonce: 0n,
    isFrozen: false,
    isConcluded: false,
    ...NOT_IN_A_BAG,
  };
  world.orders.set(id, order);
  world.openOrders.add(order);
}

/** Creates a pool, also one of the genesis. */
export function createPool(world: SimulatedWorld, output: OutputOf<'CreateStakePool'>, outpoint: Outpoint): void {
  const { poolId, data } = output;
  const { statistics, journal } = world;
  const pool: SimulatedPool = {
    id: poolId,
    staker: data.staker,
    decommissionKey: data.decommissionKey,
    marginRatioPerThousand: data.marginRatioPerThousand,
    costPerBlock: data.costPerBlock,
    creationHeight: world.height,
    luck: luckOf(poolId),
    stakerBalance: data.pledge,
    delegationsBalance: 0n,
    delegations: [],
    outputKey: worldOutpointKey(outpoint),
    blocks: 0,
    ...NOT_IN_A_BAG,
  };
  world.pools.set(poolId, pool);
  if (world.userKeys.owns(data.staker)) world.livePools.add(pool);
  journal.set(statistics, 'staked', statistics.staked + data.pledge);
  addUnspentOutput(world, outpoint, output);
}

/**
 * Returns the luck of a pool: some make many blocks, most make few. It is derived from the id, so that a chain read
 * back has the same pools.
 */
function luckOf(poolId: Id): number {
  const unit = (Number.parseInt(poolId.slice(0, 8), 16) + 1) / 2 ** 32;
  return 0.1 + 0.9 * unit ** 3;
}
