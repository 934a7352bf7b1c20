/** Orders: filled, frozen, concluded (docs/indexing-rules.md#orders). */
import { COIN } from '../chain/currency.ts';
import { ordersVersionAt } from '../chain/networks/network.ts';
import type { Atoms, Id } from '../chain/types.ts';
import { refuse, subtract, type TransactionContext } from './block-context.ts';
import type { Order } from './rows.ts';

/** What a fill is counted from. */
export type OrderAmounts = Pick<Order, 'askBalance' | 'giveBalance' | 'initiallyAsked' | 'initiallyGiven'>;

/** What a fill of `fillAmount` (ask currency) takes out of the order (give currency). Version 0 goes by what is left. */
export function filledAmount(version: 0 | 1, order: OrderAmounts, fillAmount: Atoms): Atoms {
  const ask = version === 0 ? order.askBalance : order.initiallyAsked;
  const give = version === 0 ? order.giveBalance : order.initiallyGiven;
  return ask === 0n ? 0n : (give * fillAmount) / ask;
}

function orderFor(context: TransactionContext, orderId: Id): Order {
  const order = context.block.state.orders.get(orderId) ?? refuse(context, `unknown order ${orderId}`);
  for (const currency of [order.askCurrency, order.giveCurrency]) if (currency !== COIN) context.tokens.add(currency);
  return order;
}

export function fillOrder(context: TransactionContext, orderId: Id, fillAmount: Atoms): void {
  const { state, network, height } = context.block;
  const order = orderFor(context, orderId);
  const given = filledAmount(ordersVersionAt(network, height), order, fillAmount);
  if (order.giveCurrency === COIN) context.coinsIn += given;
  if (order.askCurrency === COIN) context.coinsOut += fillAmount;
  state.orders.set(orderId, {
    ...order,
    askBalance: subtract(context, 'the ask balance of an order', order.askBalance, fillAmount),
    giveBalance: subtract(context, 'the give balance of an order', order.giveBalance, given),
    nextNonce: order.nextNonce + 1n,
  });
}

export function concludeOrder(context: TransactionContext, orderId: Id): void {
  const order = orderFor(context, orderId);
  if (order.giveCurrency === COIN) context.coinsIn += order.giveBalance;
  if (order.askCurrency === COIN) context.coinsIn += order.initiallyAsked - order.askBalance;
  context.block.state.orders.set(orderId, {
    ...order,
    askBalance: 0n,
    giveBalance: 0n,
    nextNonce: order.nextNonce + 1n,
    isConcluded: true,
  });
}

export function freezeOrder(context: TransactionContext, orderId: Id): void {
  const order = orderFor(context, orderId);
  context.block.state.orders.set(orderId, { ...order, isFrozen: true });
}
