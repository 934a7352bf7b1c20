/** What each kind of output does to the world, and what it takes out of its transaction. */

import { delegationIdOf, orderIdOf, poolIdOf, tokenIdOf } from '../../../chain/derive-ids.ts';
import { unknownKind } from '../../../chain/kind-facts.ts';
import { ATOMS_PER_COIN, feesAt, maturityAt, tokenIdGenerationAt } from '../../../chain/networks/network.ts';
import type { Atoms, Destination, Id, Outpoint, OutputValue, Transaction, TxOutput } from '../../../chain/types.ts';
import { type Currency, outpointKey, type Pool, type Utxo, type World } from '../world.ts';
import type { BalanceSheet } from './balance-sheet.ts';
import { burnFee, checkMovable } from './inputs.ts';
import { checkNft, issueToken } from './issuance.ts';
import { lockOpensAt, OPEN, type Opening } from './locks.ts';
import { Refusal } from './refusal.ts';

const MIN_PLEDGE_COINS = 40_000n;
export const MIN_PLEDGE_ATOMS = MIN_PLEDGE_COINS * ATOMS_PER_COIN;
export const MAX_DATA_BYTES_OF_VERSION = [128, 384] as const;
const DATA_DEPOSIT_V0_FEE = 100n * ATOMS_PER_COIN;

export function currencyOf(value: OutputValue): Currency {
  if (value.type === 'TokenV0') throw new Refusal('Tokens V0 are deprecated');
  return value.type === 'Coin' ? 'coin' : value.tokenId;
}

export function amountOf(value: OutputValue): Atoms {
  if (value.type === 'TokenV0') throw new Refusal('Tokens V0 are deprecated');
  return value.amount;
}

/** What is needed to add an output to the set of unspent ones. */
export interface Source {
  readonly outpoint: Outpoint;
  readonly output: TxOutput;
  readonly destination: Destination;
  readonly currency: Currency;
  readonly amount: Atoms;
  readonly opens: Opening;
}

export function addUnspent(world: World, source: Source): Utxo {
  const utxo: Utxo = {
    key: outpointKey(source.outpoint),
    outpoint: source.outpoint,
    output: source.output,
    destination: source.destination,
    currency: source.currency,
    amount: source.amount,
    height: world.height,
    timestamp: world.timestamp,
    freeAtHeight: source.opens.height,
    freeAtTime: source.opens.time,
    place: -1,
    ownerPlace: -1,
  };
  world.addUtxo(utxo);
  return utxo;
}

export function applyOutput(
  world: World,
  sheet: BalanceSheet,
  transaction: Transaction,
  transactionId: Id,
  index: number,
): void {
  const output = transaction.outputs[index]!;
  const outpoint: Outpoint = { sourceType: 'Transaction', sourceId: transactionId, index };
  const { journal, statistics } = world;
  switch (output.type) {
    case 'Transfer': {
      const { currency, amount } = moved(world, output.value);
      sheet.giveOut(currency, amount);
      addUnspent(world, { outpoint, output, destination: output.destination, currency, amount, opens: OPEN });
      return;
    }
    case 'LockThenTransfer': {
      const { currency, amount } = moved(world, output.value);
      const { lock } = output;
      const maturity = maturityAt(world.network, world.height);
      const matures = lock.type === 'ForBlockCount' && lock.value >= BigInt(maturity);
      if (currency === 'coin' && matures) sheet.giveOutLocked(amount);
      else sheet.giveOut(currency, amount);
      const opens = lockOpensAt(lock, world.height, world.timestamp);
      addUnspent(world, { outpoint, output, destination: output.destination, currency, amount, opens });
      return;
    }
    case 'Burn': {
      const { currency, amount } = moved(world, output.value);
      sheet.giveOut(currency, amount);
      burn(world, currency, amount);
      return;
    }
    case 'CreateStakePool': {
      const { data, poolId } = output;
      if (poolId !== poolIdOf(transaction.inputs))
        throw new Refusal(`Stake pool id ${poolId} is not that of its input`);
      if (data.pledge < MIN_PLEDGE_ATOMS) throw new Refusal(`Not enough pledge to create a stake pool: ${data.pledge}`);
      sheet.giveOut('coin', data.pledge);
      createPool(world, output, outpoint);
      return;
    }
    case 'ProduceBlockFromStake':
      throw new Refusal('Outputs of block production are not allowed in a transaction');
    case 'CreateDelegationId': {
      const pool = livePool(world, output.poolId);
      const delegation = {
        id: delegationIdOf(transaction.inputs)!,
        pool,
        owner: output.destination,
        creationHeight: world.height,
        balance: 0n,
        nonce: 0n,
        place: -1,
        ownerPlace: -1,
      };
      pool.delegations.push(delegation);
      journal.note(lastDelegation, pool);
      world.delegations.set(delegation.id, delegation);
      if (world.wallet.owns(delegation.owner)) world.delegationBag.add(delegation);
      return;
    }
    case 'DelegateStaking': {
      const { amount } = output;
      const delegation = world.delegations.get(output.delegationId);
      if (delegation === undefined) throw new Refusal(`Delegation ${output.delegationId} does not exist`);
      // A node also takes this when the pool was decommissioned since.
      const { pool } = delegation;
      sheet.giveOut('coin', amount);
      journal.set(delegation, 'balance', delegation.balance + amount);
      journal.set(pool, 'delegationsBalance', pool.delegationsBalance + amount);
      journal.set(statistics, 'staked', statistics.staked + amount);
      return;
    }
    case 'IssueFungibleToken':
      return issueToken(world, sheet, transaction.inputs, output.issuance);
    case 'IssueNft': {
      const { tokenId } = output;
      const generation = tokenIdGenerationAt(world.network, world.height);
      if (tokenId !== tokenIdOf(transaction.inputs, generation))
        throw new Refusal(`Token id ${tokenId} is not that of its input`);
      checkNft(output.metadata);
      burnFee(world, sheet, feesAt(world.network, world.height).issueNft);
      world.nfts.set(tokenId, { id: tokenId, creationHeight: world.height, burned: false, forsaken: 0n });
      addUnspent(world, {
        outpoint,
        output,
        destination: output.destination,
        currency: tokenId,
        amount: 1n,
        opens: OPEN,
      });
      return;
    }
    case 'DataDeposit': {
      const fee = feesAt(world.network, world.height).dataDeposit;
      const limit = MAX_DATA_BYTES_OF_VERSION[fee === DATA_DEPOSIT_V0_FEE ? 0 : 1];
      if (output.data.length > 2 * limit)
        throw new Refusal(`Data deposit of ${output.data.length / 2} bytes, the limit is ${limit}`);
      burnFee(world, sheet, fee);
      return;
    }
    case 'Htlc': {
      const { currency, amount } = moved(world, output.value);
      sheet.giveOut(currency, amount);
      addUnspent(world, { outpoint, output, destination: output.contract.spendKey, currency, amount, opens: OPEN });
      return;
    }
    case 'CreateOrder': {
      const { ask, give, concludeKey } = output.order;
      const order = {
        id: orderIdOf(transaction.inputs)!,
        concludeKey,
        creationHeight: world.height,
        ask: moved(world, ask),
        give: moved(world, give),
        askBalance: amountOf(ask),
        giveBalance: amountOf(give),
        nonce: 0n,
        isFrozen: false,
        isConcluded: false,
        place: -1,
        ownerPlace: -1,
      };
      if (order.ask.currency === order.give.currency) throw new Refusal('Order of a currency for itself');
      sheet.giveOut(order.give.currency, order.give.amount);
      world.orders.set(order.id, order);
      world.openOrders.add(order);
      return;
    }
    default:
      unknownKind(output);
  }
}

/** Currency and amount of a value that may move now. */
function moved(world: World, value: OutputValue): { currency: Currency; amount: Atoms } {
  const currency = currencyOf(value);
  const amount = amountOf(value);
  if (currency !== 'coin' && !world.tokens.get(currency) && !world.nfts.get(currency)) {
    throw new Refusal(`Token ${currency} does not exist`);
  }
  checkMovable(world, currency);
  return { currency, amount };
}

function burn(world: World, currency: Currency, amount: Atoms): void {
  const { journal, statistics } = world;
  if (currency === 'coin') {
    journal.set(statistics, 'burned', statistics.burned + amount);
    journal.set(statistics, 'circulating', statistics.circulating - amount);
    return;
  }
  const token = world.tokens.get(currency);
  if (token !== undefined) journal.set(token, 'burned', token.burned + amount);
  const nft = world.nfts.get(currency);
  if (nft !== undefined) journal.set(nft, 'burned', true);
}

function livePool(world: World, poolId: Id): Pool {
  const pool = world.pools.get(poolId);
  if (pool === undefined || pool.outputKey === '') throw new Refusal(`Stake pool ${poolId} does not exist`);
  return pool;
}

/** Takes back the newest delegation of a pool. */
const lastDelegation = {
  undo(record: unknown): void {
    (record as Pool).delegations.pop();
  },
};

/** Also for the pools of the genesis. */
export function createPool(
  world: World,
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
    place: -1,
    ownerPlace: -1,
  };
  world.pools.set(poolId, pool);
  if (world.wallet.owns(data.staker)) world.livePools.add(pool);
  journal.set(statistics, 'staked', statistics.staked + data.pledge);
  const destination = data.decommissionKey;
  addUnspent(world, { outpoint, output, destination, currency: 'coin', amount: 0n, opens: OPEN });
}

/** Some pools make many blocks, most few: drawn from the id, so that a chain read back has the same pools. */
function luckOf(poolId: Id): number {
  const unit = (Number.parseInt(poolId.slice(0, 8), 16) + 1) / 2 ** 32;
  return 0.1 + 0.9 * unit ** 3;
}
