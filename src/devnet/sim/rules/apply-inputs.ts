/** Applies each kind of input to the world, and adds its value to the transaction. */
import { assertNever, isBurnOutput, isContractOutput, isStakeOutput } from '../../../chain/input-and-output-kinds.ts';
import type {
  AccountCommand,
  Atoms,
  HashedTimelockContract,
  Id,
  InputWitness,
  OrderCommand,
  Outpoint,
  Transaction,
  TxInput,
} from '../../../chain/types.ts';
import { secretHashOf } from '../user-keys.ts';
import {
  type SimulatedCurrency,
  type SimulatedOrder,
  type SimulatedPool,
  type SimulatedToken,
  type SimulatedUtxo,
  type SimulatedWorld,
  worldOutpointKey,
} from '../world.ts';
import type { InputOutputBalance } from './input-output-balance.ts';
import { checkUriLength } from './issuance.ts';
import { lockOpensAt } from './locks.ts';
import { OrphanRefusal, refuseTransaction, TransactionRefusal } from './refusal.ts';

/** A node counts supplies in 127 bits. */
const MAX_SUPPLY_ATOMS = 2n ** 127n - 1n;

/** Refuses currencies that cannot move now. */
export function refuseFrozenCurrency(world: SimulatedWorld, currency: SimulatedCurrency): void {
  if (world.isFrozen(currency)) refuseTransaction(`Token ${currency} is frozen`);
}

/** Returns a pool that is not decommissioned. Throws TransactionRefusal if there is none. */
export function activePool(world: SimulatedWorld, poolId: Id): SimulatedPool {
  const pool = world.pools.get(poolId);
  return pool === undefined || pool.outputKey === '' ? refuseTransaction(`Stake pool ${poolId} does not exist`) : pool;
}

export function applyInputToWorld(
  world: SimulatedWorld,
  sheet: InputOutputBalance,
  transaction: Transaction,
  input: TxInput,
  witness: InputWitness,
): void {
  switch (input.type) {
    case 'Utxo':
      return spend(world, sheet, input.outpoint, witness);
    case 'Account':
      return withdraw(world, sheet, input.delegationId, input.nonce, input.amount);
    case 'AccountCommand':
      return command(world, sheet, transaction, input.command, input.nonce);
    case 'OrderAccountCommand':
      if (world.ordersVersion === 0) refuseTransaction('Orders V1 are not activated yet');
      return orderCommand(world, sheet, input.command);
    default:
      return assertNever(input);
  }
}

function spend(world: SimulatedWorld, sheet: InputOutputBalance, outpoint: Outpoint, witness: InputWitness): void {
  const { sourceType, sourceId, index } = outpoint;
  const utxo = world.utxos.get(worldOutpointKey(outpoint));
  if (utxo === undefined)
    throw new OrphanRefusal(`Missing output or already spent: ${sourceType}(${sourceId}), ${index}`);
  const { output } = utxo;
  if (isStakeOutput(output)) decommission(world, sheet, output.poolId);
  else {
    if (isContractOutput(output)) checkContract(world, utxo, output.contract, witness);
    else if (!world.isFree(utxo)) refuseTransaction(`Output timelock of ${sourceId}, ${index} is not over`);
    refuseFrozenCurrency(world, utxo.currency);
    sheet.takeIn(utxo.currency, utxo.amount);
  }
  world.removeUtxo(utxo);
}

function decommission(world: SimulatedWorld, sheet: InputOutputBalance, poolId: Id): void {
  const { journal, statistics } = world;
  const pool = activePool(world, poolId);
  if (world.isStaking(pool)) refuseTransaction(`The output of stake pool ${poolId} is spent by the block itself`);
  sheet.takeInMaturing(pool.stakerBalance);
  journal.set(statistics, 'staked', statistics.staked - pool.stakerBalance);
  journal.change(pool, { stakerBalance: 0n, outputKey: '' });
  if (world.livePools.has(pool)) world.livePools.remove(pool);
}

function checkContract(
  world: SimulatedWorld,
  utxo: SimulatedUtxo,
  contract: HashedTimelockContract,
  witness: InputWitness,
): void {
  const raw = witness.type === 'Standard' ? witness.rawSignature : '';
  if (raw.startsWith('00')) {
    if (secretHashOf(raw.slice(2, 66)) !== contract.secretHash)
      refuseTransaction('The HTLC secret does not match its hash');
  } else if (raw.startsWith('01')) {
    if (!world.hasOpened(lockOpensAt(contract.refundTimelock, utxo.height, utxo.timestamp)))
      refuseTransaction('The HTLC refund lock is not over');
  } else refuseTransaction('An HTLC is spent by its secret or refunded, by a standard witness');
}

function withdraw(
  world: SimulatedWorld,
  sheet: InputOutputBalance,
  delegationId: Id,
  nonce: bigint,
  amount: Atoms,
): void {
  const { journal, statistics } = world;
  const delegation =
    world.delegations.get(delegationId) ?? refuseTransaction(`Delegation ${delegationId} does not exist`);
  checkNonce(`delegation ${delegationId}`, delegation.nonce, nonce);
  const { pool, balance } = delegation;
  if (amount > balance)
    refuseTransaction(`Delegation ${delegationId} holds ${balance} atoms, ${amount} were asked for`);
  journal.change(delegation, { nonce: nonce + 1n, balance: balance - amount });
  journal.set(pool, 'delegationsBalance', pool.delegationsBalance - amount);
  journal.set(statistics, 'staked', statistics.staked - amount);
  sheet.takeInMaturing(amount);
}

function command(
  world: SimulatedWorld,
  sheet: InputOutputBalance,
  transaction: Transaction,
  command: AccountCommand,
  nonce: bigint,
): void {
  if (command.type === 'ConcludeOrder' || command.type === 'FillOrder') {
    if (world.ordersVersion === 1) refuseTransaction('Orders V0 commands are deprecated');
    const order = openOrder(world, command.orderId);
    checkNonce(`order ${order.id}`, order.nonce, nonce);
    return orderCommand(world, sheet, command);
  }
  const { journal } = world;
  const token = world.tokens.get(command.tokenId) ?? refuseTransaction(`Token ${command.tokenId} does not exist`);
  checkNonce(`token ${token.id}`, token.nonce, nonce);
  if (command.type !== 'UnfreezeToken') refuseFrozenCurrency(world, token.id);
  journal.set(token, 'nonce', nonce + 1n);
  switch (command.type) {
    case 'MintTokens':
      return mint(world, sheet, token, command.amount);
    case 'UnmintTokens': {
      if (token.isLocked) refuseTransaction(`The supply of token ${token.id} is locked`);
      const burned = burnedOf(transaction, token.id);
      if (burned > token.supply) refuseTransaction(`Cannot unmint ${burned} atoms of token ${token.id}`);
      return journal.set(token, 'supply', token.supply - burned);
    }
    case 'LockTokenSupply':
      if (token.issuance.totalSupply.type !== 'Lockable' || token.isLocked)
        refuseTransaction(`The supply of token ${token.id} cannot be locked`);
      return journal.set(token, 'isLocked', true);
    case 'FreezeToken':
      if (!token.issuance.isFreezable) refuseTransaction(`Token ${token.id} cannot be frozen`);
      return;
    case 'UnfreezeToken':
      if (token.frozen !== 'Unfreezable') refuseTransaction(`Token ${token.id} cannot be unfrozen`);
      return;
    case 'ChangeTokenAuthority':
      return journal.set(token, 'authority', command.newAuthority);
    case 'ChangeTokenMetadataUri':
      checkUriLength('token metadata URI', command.metadataUri);
      return journal.set(token, 'metadataUri', command.metadataUri);
    default:
      return assertNever(command);
  }
}

/** Freezes or unfreezes a token: after all else of the transaction, so that whether its tokens move depends on the past. */
export function applyFreezing(world: SimulatedWorld, input: TxInput): void {
  if (input.type !== 'AccountCommand') return;
  const { command } = input;
  if (command.type !== 'FreezeToken' && command.type !== 'UnfreezeToken') return;
  const frozen = command.type === 'UnfreezeToken' ? 'No' : command.isUnfreezable ? 'Unfreezable' : 'ForEver';
  world.journal.set(world.tokens.get(command.tokenId)!, 'frozen', frozen);
}

function checkNonce(account: string, expected: bigint, nonce: bigint): void {
  if (nonce === expected) return;
  const message = `Nonce is not incremental: ${account}, expected ${expected}, got ${nonce}`;
  throw nonce > expected ? new OrphanRefusal(message) : new TransactionRefusal(message);
}

function mint(world: SimulatedWorld, sheet: InputOutputBalance, token: SimulatedToken, amount: Atoms): void {
  const { id, supply, minted, issuance } = token;
  const limit = issuance.totalSupply;
  if (token.isLocked) refuseTransaction(`The supply of token ${id} is locked`);
  const most = limit.type === 'Fixed' ? limit.amount : MAX_SUPPLY_ATOMS;
  if (supply + amount > most) refuseTransaction(`Cannot mint ${amount} atoms of token ${id}`);
  world.journal.change(token, { supply: supply + amount, minted: minted + amount });
  sheet.takeIn(id, amount);
}

function burnedOf(transaction: Transaction, tokenId: Id): Atoms {
  let burned = 0n;
  for (const output of transaction.outputs) {
    if (isBurnOutput(output) && output.value.type === 'TokenV1' && output.value.tokenId === tokenId) {
      burned += output.value.amount;
    }
  }
  return burned;
}

function openOrder(world: SimulatedWorld, orderId: Id): SimulatedOrder {
  const order = world.orders.get(orderId);
  if (order === undefined || order.isConcluded) refuseTransaction(`Order ${orderId} does not exist`);
  return order;
}

/** Returns the payout for filling an order by `amount` (ask currency) at this height (docs/indexing-rules.md#orders). */
export function fillPayout(world: SimulatedWorld, order: SimulatedOrder, amount: Atoms): Atoms {
  if (world.ordersVersion === 1) return (order.give.amount * amount) / order.ask.amount;
  return order.askBalance === 0n ? 0n : (order.giveBalance * amount) / order.askBalance;
}

function orderCommand(world: SimulatedWorld, sheet: InputOutputBalance, command: OrderCommand): void {
  const { journal } = world;
  const order = openOrder(world, command.orderId);
  const { id, ask, give, askBalance, giveBalance } = order;
  const nonce = order.nonce + 1n;
  switch (command.type) {
    case 'FillOrder': {
      const { fillAmount } = command;
      if (order.isFrozen) refuseTransaction(`Order ${id} is frozen`);
      if (fillAmount > askBalance || (fillAmount === 0n && world.ordersVersion === 1))
        refuseTransaction(`Order ${id} asks for ${askBalance} atoms, ${fillAmount} were offered`);
      refuseFrozenCurrency(world, ask.currency);
      refuseFrozenCurrency(world, give.currency);
      const given = fillPayout(world, order, fillAmount);
      if (given === 0n && world.ordersVersion === 1)
        refuseTransaction(`Order ${id} gives nothing for ${fillAmount} atoms`);
      sheet.giveOut(ask.currency, fillAmount);
      sheet.takeIn(give.currency, given);
      return journal.change(order, { askBalance: askBalance - fillAmount, giveBalance: giveBalance - given, nonce });
    }
    case 'FreezeOrder':
      if (order.isFrozen) refuseTransaction(`Order ${id} is frozen already`);
      return journal.set(order, 'isFrozen', true);
    case 'ConcludeOrder':
      refuseFrozenCurrency(world, ask.currency);
      refuseFrozenCurrency(world, give.currency);
      sheet.takeIn(ask.currency, ask.amount - askBalance);
      sheet.takeIn(give.currency, giveBalance);
      journal.change(order, { askBalance: 0n, giveBalance: 0n, nonce, isConcluded: true });
      return world.openOrders.remove(order);
    default:
      assertNever(command);
  }
}
