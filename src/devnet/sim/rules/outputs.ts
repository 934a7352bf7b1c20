/** Applies each kind of output to the world, and takes its value from the transaction. */

import { delegationIdOf, orderIdOf, poolIdOf, tokenIdOf } from '../../../chain/derive-ids.ts';
import { isStakeOutput, type SpendableOutput, unknownKind } from '../../../chain/input-and-output-kinds.ts';
import { ATOMS_PER_COIN, feesAt, maturityAt, tokenIdGenerationAt } from '../../../chain/networks/network.ts';
import { ownerOf } from '../../../chain/output-owner-and-value.ts';
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
import { NO_BAG } from '../undoable-collections.ts';
import { type Currency, outpointKey, type Pool, type SimulatedWorld } from '../world.ts';
import type { BalanceSheet } from './balance-sheet.ts';
import { checkMovable, livePool } from './inputs.ts';
import { checkNft, issueToken } from './issuance.ts';
import { type LockOpening, lockOpensAt, NO_LOCK } from './locks.ts';
import { refuse } from './refusal.ts';

const MIN_PLEDGE_COINS = 40_000n;
export const MIN_PLEDGE_ATOMS = MIN_PLEDGE_COINS * ATOMS_PER_COIN;
const DATA_DEPOSIT_V0_FEE = 100n * ATOMS_PER_COIN;

interface Value {
  readonly currency: Currency;
  readonly amount: Atoms;
}

function readValue(value: OutputValue): Value {
  if (value.type === 'TokenV0') refuse('Tokens V0 are deprecated');
  return { currency: value.type === 'Coin' ? 'coin' : value.tokenId, amount: value.amount };
}

/** Returns the value that an output takes from the inputs, besides its burned fee; null if none. */
export function valueTakenBy(output: TxOutput): Value | null {
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
    default:
      return unknownKind(output);
  }
}

/** Adds an output to the set of unspent ones, of `owner` and without a lock unless given. */
export function addUnspent(
  world: SimulatedWorld,
  outpoint: Outpoint,
  output: SpendableOutput,
  { owner = ownerOf(output), opens = NO_LOCK }: { owner?: Destination; opens?: LockOpening } = {},
): void {
  world.addUtxo({
    key: outpointKey(outpoint),
    outpoint,
    output,
    destination: owner,
    ...worthOf(output),
    height: world.height,
    timestamp: world.timestamp,
    freeAtHeight: opens.height,
    freeAtTime: opens.time,
    ...NO_BAG,
  });
}

const NOTHING: Value = { currency: 'coin', amount: 0n };

/** The worth of a pool's output is the pool's. */
function worthOf(output: SpendableOutput): Value {
  if (isStakeOutput(output)) return NOTHING;
  return output.type === 'IssueNft' ? { currency: output.tokenId, amount: 1n } : readValue(output.value);
}

export function applyOutput(
  world: SimulatedWorld,
  sheet: BalanceSheet,
  { inputs, outputs }: Transaction,
  transactionId: Id,
  index: number,
): void {
  const output = outputs[index]!;
  const outpoint: Outpoint = { sourceType: 'Transaction', sourceId: transactionId, index };
  const { journal, statistics } = world;
  const taken = valueTakenBy(output) ?? NOTHING;
  checkTransferable(world, taken.currency);
  const isLocked = taken.currency === 'coin' && output.type === 'LockThenTransfer' && matures(world, output.lock);
  if (isLocked) sheet.giveOutLocked(taken.amount);
  else sheet.giveOut(taken.currency, taken.amount);
  switch (output.type) {
    case 'Transfer':
    case 'Htlc':
      return addUnspent(world, outpoint, output);
    case 'LockThenTransfer':
      return addUnspent(world, outpoint, output, { opens: lockOpensAt(output.lock, world.height, world.timestamp) });
    case 'Burn':
      return burn(world, taken);
    case 'CreateStakePool': {
      const { data, poolId } = output;
      if (poolId !== poolIdOf(inputs)) refuse(`Stake pool id ${poolId} is not that of its input`);
      if (data.pledge < MIN_PLEDGE_ATOMS) refuse(`Not enough pledge to create a stake pool: ${data.pledge}`);
      return createPool(world, output, outpoint);
    }
    case 'ProduceBlockFromStake':
      return refuse('Outputs of block production are not allowed in a transaction');
    case 'CreateDelegationId': {
      const pool = livePool(world, output.poolId);
      const delegation = {
        id: delegationIdOf(inputs)!,
        pool,
        owner: output.destination,
        creationHeight: world.height,
        balance: 0n,
        nonce: 0n,
        ...NO_BAG,
      };
      pool.delegations.push(delegation);
      journal.note(lastDelegation, pool);
      world.delegations.set(delegation.id, delegation);
      if (world.wallet.owns(delegation.owner)) world.delegationBag.add(delegation);
      return;
    }
    case 'DelegateStaking': {
      const { amount, delegationId } = output;
      const delegation = world.delegations.get(delegationId) ?? refuse(`Delegation ${delegationId} does not exist`);
      // A node also takes this when the pool was decommissioned since.
      const { pool } = delegation;
      journal.set(delegation, 'balance', delegation.balance + amount);
      journal.set(pool, 'delegationsBalance', pool.delegationsBalance + amount);
      return journal.set(statistics, 'staked', statistics.staked + amount);
    }
    case 'IssueFungibleToken':
      return issueToken(world, inputs, output.issuance);
    case 'IssueNft': {
      const { tokenId } = output;
      if (tokenId !== tokenIdOf(inputs, tokenIdGenerationAt(world.network, world.height)))
        refuse(`Token id ${tokenId} is not that of its input`);
      checkNft(output.metadata);
      world.nfts.set(tokenId, { id: tokenId, creationHeight: world.height, burned: false, forsaken: 0n });
      return addUnspent(world, outpoint, output);
    }
    case 'DataDeposit': {
      const limit = maxDataBytes(world);
      if (output.data.length > 2 * limit)
        refuse(`Data deposit of ${output.data.length / 2} bytes, the limit is ${limit}`);
      return;
    }
    case 'CreateOrder': {
      const ask = readValue(output.order.ask);
      checkTransferable(world, ask.currency);
      if (ask.currency === taken.currency) refuse('Order of a currency for itself');
      const order = {
        id: orderIdOf(inputs)!,
        concludeKey: output.order.concludeKey,
        creationHeight: world.height,
        ask,
        give: taken,
        askBalance: ask.amount,
        giveBalance: taken.amount,
        nonce: 0n,
        isFrozen: false,
        isConcluded: false,
        ...NO_BAG,
      };
      world.orders.set(order.id, order);
      return world.openOrders.add(order);
    }
    default:
      unknownKind(output);
  }
}

/** Does a lock hold for the maturity, as coins of pools and delegations need it? */
function matures(world: SimulatedWorld, lock: TimeLock): boolean {
  return lock.type === 'ForBlockCount' && lock.value >= BigInt(maturityAt(world.network, world.height));
}

/** Refuses what does not exist, or cannot move now. */
function checkTransferable(world: SimulatedWorld, currency: Currency): void {
  if (currency !== 'coin' && !world.tokens.get(currency) && !world.nfts.get(currency))
    refuse(`Token ${currency} does not exist`);
  checkMovable(world, currency);
}

/** Returns the largest length of a data deposit, which grew when its fee fell. */
export function maxDataBytes(world: SimulatedWorld): number {
  return feesAt(world.network, world.height).dataDeposit === DATA_DEPOSIT_V0_FEE ? 128 : 384;
}

function burn(world: SimulatedWorld, { currency, amount }: Value): void {
  if (currency === 'coin') return burnCoins(world, amount);
  const token = world.tokens.get(currency);
  if (token !== undefined) world.journal.set(token, 'burned', token.burned + amount);
  const nft = world.nfts.get(currency);
  if (nft !== undefined) world.journal.set(nft, 'burned', true);
}

/** Takes coins out of circulation. */
export function burnCoins({ journal, statistics }: SimulatedWorld, amount: Atoms): void {
  journal.change(statistics, { burned: statistics.burned + amount, circulating: statistics.circulating - amount });
}

/** Takes back the newest delegation of a pool. */
const lastDelegation = {
  undo(record: unknown): void {
    (record as Pool).delegations.pop();
  },
};

/** Creates a pool, also one of the genesis. */
export function createPool(
  world: SimulatedWorld,
  output: Extract<TxOutput, { type: 'CreateStakePool' }>,
  outpoint: Outpoint,
): void {
  const { poolId, data } = output;
  const { statistics, journal } = world;
  const pool: Pool = {
    id: poolId,
    staker: data.staker,
    decommissionKey: data.decommissionKey,
    vrfPublicKey: data.vrfPublicKey,
    marginRatioPerThousand: data.marginRatioPerThousand,
    costPerBlock: data.costPerBlock,
    creationHeight: world.height,
    luck: luckOf(poolId),
    stakerBalance: data.pledge,
    delegationsBalance: 0n,
    delegations: [],
    outputKey: outpointKey(outpoint),
    blocks: 0,
    ...NO_BAG,
  };
  world.pools.set(poolId, pool);
  if (world.wallet.owns(data.staker)) world.livePools.add(pool);
  journal.set(statistics, 'staked', statistics.staked + data.pledge);
  addUnspent(world, outpoint, output);
}

/**
 * Returns the luck of a pool: some make many blocks, most make few. It is derived from the id, so that a chain read
 * back has the same pools.
 */
function luckOf(poolId: Id): number {
  const unit = (Number.parseInt(poolId.slice(0, 8), 16) + 1) / 2 ** 32;
  return 0.1 + 0.9 * unit ** 3;
}
