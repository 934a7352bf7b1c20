/** Applies each kind of input to the world, and adds its value to the transaction. */
import { isBurnOutput, isContractOutput, isStakeOutput, unknownKind } from '../../../chain/input-and-output-kinds.ts';
import { ordersVersionAt } from '../../../chain/networks/network.ts';
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
import { secretHashOf } from '../wallet.ts';
import { type Currency, type Order, outpointKey, type SimulatedWorld, type Token, type Utxo } from '../world.ts';
import type { BalanceSheet } from './balance-sheet.ts';
import { lockOpensAt } from './locks.ts';
import { OrphanRefusal, TransactionRefusal } from './refusal.ts';

/** Refuses currencies that cannot move now. */
export function checkMovable(world: SimulatedWorld, currency: Currency): void {
  if (world.isFrozen(currency)) throw new TransactionRefusal(`Token ${currency} is frozen`);
}

export function applyInput(
  world: SimulatedWorld,
  sheet: BalanceSheet,
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
      if (ordersVersionAt(world.network, world.height) === 0)
        throw new TransactionRefusal('Orders V1 are not activated yet');
      return orderCommand(world, sheet, input.command);
    default:
      return unknownKind(input);
  }
}

function spend(world: SimulatedWorld, sheet: BalanceSheet, outpoint: Outpoint, witness: InputWitness): void {
  const utxo = world.utxos.get(outpointKey(outpoint));
  if (utxo === undefined) {
    throw new OrphanRefusal(
      `Missing output or already spent: ${outpoint.sourceType}(${outpoint.sourceId}), ${outpoint.index}`,
    );
  }
  const { output } = utxo;
  if (isStakeOutput(output)) decommission(world, sheet, output.poolId);
  else {
    if (isContractOutput(output)) checkContract(world, utxo, output.contract, witness);
    else if (!world.isFree(utxo)) {
      throw new TransactionRefusal(`Output timelock of ${outpoint.sourceId}, ${outpoint.index} is not over`);
    }
    checkMovable(world, utxo.currency);
    sheet.takeIn(utxo.currency, utxo.amount);
  }
  world.removeUtxo(utxo);
}

function decommission(world: SimulatedWorld, sheet: BalanceSheet, poolId: Id): void {
  const { journal, statistics } = world;
  const pool = world.pools.get(poolId);
  if (pool === undefined || pool.outputKey === '') throw new TransactionRefusal(`Stake pool ${poolId} does not exist`);
  if (pool === world.producer)
    throw new TransactionRefusal(`The output of stake pool ${poolId} is spent by the block itself`);
  sheet.takeInMaturing(pool.stakerBalance);
  journal.set(statistics, 'staked', statistics.staked - pool.stakerBalance);
  journal.change(pool, { stakerBalance: 0n, outputKey: '' });
  if (world.livePools.has(pool)) world.livePools.remove(pool);
}

function checkContract(
  world: SimulatedWorld,
  utxo: Utxo,
  contract: HashedTimelockContract,
  witness: InputWitness,
): void {
  const raw = witness.type === 'Standard' ? witness.rawSignature : '';
  if (raw.startsWith('00')) {
    if (secretHashOf(raw.slice(2, 66)) !== contract.secretHash)
      throw new TransactionRefusal('The HTLC secret does not match its hash');
  } else if (raw.startsWith('01')) {
    if (!world.hasOpened(lockOpensAt(contract.refundTimelock, utxo.height, utxo.timestamp)))
      throw new TransactionRefusal('The HTLC refund lock is not over');
  } else throw new TransactionRefusal('An HTLC is spent by its secret or refunded, by a standard witness');
}

function withdraw(world: SimulatedWorld, sheet: BalanceSheet, delegationId: Id, nonce: bigint, amount: Atoms): void {
  const { journal, statistics } = world;
  const delegation = world.delegations.get(delegationId);
  if (delegation === undefined) throw new TransactionRefusal(`Delegation ${delegationId} does not exist`);
  checkNonce(`delegation ${delegationId}`, delegation.nonce, nonce);
  if (amount === 0n || amount > delegation.balance) {
    throw new TransactionRefusal(
      `Delegation ${delegationId} holds ${delegation.balance} atoms, ${amount} were asked for`,
    );
  }
  const { pool } = delegation;
  journal.change(delegation, { nonce: nonce + 1n, balance: delegation.balance - amount });
  journal.set(pool, 'delegationsBalance', pool.delegationsBalance - amount);
  journal.set(statistics, 'staked', statistics.staked - amount);
  sheet.takeInMaturing(amount);
}

function command(
  world: SimulatedWorld,
  sheet: BalanceSheet,
  transaction: Transaction,
  command: AccountCommand,
  nonce: bigint,
): void {
  if (command.type === 'ConcludeOrder' || command.type === 'FillOrder') {
    if (ordersVersionAt(world.network, world.height) === 1)
      throw new TransactionRefusal('Orders V0 commands are deprecated');
    const order = openOrder(world, command.orderId);
    checkNonce(`order ${order.id}`, order.nonce, nonce);
    return orderCommand(world, sheet, command);
  }
  const { journal } = world;
  const token = world.tokens.get(command.tokenId);
  if (token === undefined) throw new TransactionRefusal(`Token ${command.tokenId} does not exist`);
  checkNonce(`token ${token.id}`, token.nonce, nonce);
  if (command.type !== 'UnfreezeToken') checkMovable(world, token.id);
  journal.set(token, 'nonce', nonce + 1n);
  switch (command.type) {
    case 'MintTokens':
      return mint(world, sheet, token, command.amount);
    case 'UnmintTokens': {
      if (token.isLocked) throw new TransactionRefusal(`The supply of token ${token.id} is locked`);
      const burned = burnedOf(transaction, token.id);
      if (burned === 0n || burned > token.supply)
        throw new TransactionRefusal(`Cannot unmint ${burned} atoms of token ${token.id}`);
      return journal.set(token, 'supply', token.supply - burned);
    }
    case 'LockTokenSupply':
      if (token.issuance.totalSupply.type !== 'Lockable' || token.isLocked) {
        throw new TransactionRefusal(`The supply of token ${token.id} cannot be locked`);
      }
      return journal.set(token, 'isLocked', true);
    case 'FreezeToken':
      if (!token.issuance.isFreezable) throw new TransactionRefusal(`Token ${token.id} cannot be frozen`);
      return journal.set(token, 'frozen', command.isUnfreezable ? 'Unfreezable' : 'ForEver');
    case 'UnfreezeToken':
      if (token.frozen !== 'Unfreezable') throw new TransactionRefusal(`Token ${token.id} cannot be unfrozen`);
      return journal.set(token, 'frozen', 'No');
    case 'ChangeTokenAuthority':
      return journal.set(token, 'authority', command.newAuthority);
    case 'ChangeTokenMetadataUri':
      return journal.set(token, 'metadataUri', command.metadataUri);
    default:
      return unknownKind(command);
  }
}

function checkNonce(account: string, expected: bigint, nonce: bigint): void {
  if (nonce === expected) return;
  const message = `Nonce is not incremental: ${account}, expected ${expected}, got ${nonce}`;
  throw nonce > expected ? new OrphanRefusal(message) : new TransactionRefusal(message);
}

function mint(world: SimulatedWorld, sheet: BalanceSheet, token: Token, amount: Atoms): void {
  const { totalSupply } = token.issuance;
  if (token.isLocked) throw new TransactionRefusal(`The supply of token ${token.id} is locked`);
  if (amount === 0n || (totalSupply.type === 'Fixed' && token.supply + amount > totalSupply.amount)) {
    throw new TransactionRefusal(`Cannot mint ${amount} atoms of token ${token.id}`);
  }
  world.journal.set(token, 'supply', token.supply + amount);
  world.journal.set(token, 'minted', token.minted + amount);
  sheet.takeIn(token.id, amount);
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

function openOrder(world: SimulatedWorld, orderId: Id): Order {
  const order = world.orders.get(orderId);
  if (order === undefined || order.isConcluded) throw new TransactionRefusal(`Order ${orderId} does not exist`);
  return order;
}

/** Returns the payout for filling an order by `amount` (ask currency) at this height (docs/indexing-rules.md#orders). */
export function fillPayout(world: SimulatedWorld, order: Order, amount: Atoms): Atoms {
  if (ordersVersionAt(world.network, world.height) === 1) return (order.give.amount * amount) / order.ask.amount;
  return order.askBalance === 0n ? 0n : (order.giveBalance * amount) / order.askBalance;
}

function orderCommand(world: SimulatedWorld, sheet: BalanceSheet, command: OrderCommand): void {
  const { journal } = world;
  const order = openOrder(world, command.orderId);
  switch (command.type) {
    case 'FillOrder': {
      const { fillAmount } = command;
      if (order.isFrozen) throw new TransactionRefusal(`Order ${order.id} is frozen`);
      if (fillAmount === 0n || fillAmount > order.askBalance) {
        throw new TransactionRefusal(
          `Order ${order.id} asks for ${order.askBalance} atoms, ${fillAmount} were offered`,
        );
      }
      checkMovable(world, order.ask.currency);
      checkMovable(world, order.give.currency);
      const given = fillPayout(world, order, fillAmount);
      if (given === 0n && ordersVersionAt(world.network, world.height) === 1) {
        throw new TransactionRefusal(`Order ${order.id} gives nothing for ${fillAmount} atoms`);
      }
      sheet.giveOut(order.ask.currency, fillAmount);
      sheet.takeIn(order.give.currency, given);
      return journal.change(order, {
        askBalance: order.askBalance - fillAmount,
        giveBalance: order.giveBalance - given,
        nonce: order.nonce + 1n,
      });
    }
    case 'FreezeOrder':
      if (order.isFrozen) throw new TransactionRefusal(`Order ${order.id} is frozen already`);
      return journal.set(order, 'isFrozen', true);
    case 'ConcludeOrder':
      checkMovable(world, order.ask.currency);
      checkMovable(world, order.give.currency);
      sheet.takeIn(order.ask.currency, order.ask.amount - order.askBalance);
      sheet.takeIn(order.give.currency, order.giveBalance);
      journal.change(order, { askBalance: 0n, giveBalance: 0n, nonce: order.nonce + 1n, isConcluded: true });
      world.openOrders.remove(order);
      return;
    default:
      unknownKind(command);
  }
}
