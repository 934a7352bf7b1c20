/** What follows from an order's row alone. Pure. */
import { type Ratio, reducedRatio } from '../../api/present/order.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import type { OrderRow } from '../../store/queries/orders.ts';

/** `filled`: nothing is asked any more; it waits for its conclusion. */
export type OrderState = 'open' | 'filled' | 'frozen' | 'concluded';

export function orderState(order: OrderRow): OrderState {
  if (order.is_concluded) return 'concluded';
  if (order.is_frozen) return 'frozen';
  return order.ask_balance === 0n ? 'filled' : 'open';
}

/** How many fills there were; a conclusion counts in the nonce, too. */
export function fillCount(order: OrderRow): bigint {
  return order.is_concluded ? order.next_nonce - 1n : order.next_nonce;
}

/** What was paid into it; null for a concluded one, which keeps no amounts. */
export function paidIn(order: OrderRow): Atoms | null {
  return order.is_concluded ? null : order.initially_asked - order.ask_balance;
}

/** What was taken out of it by fills; null for a concluded one. */
export function takenOut(order: OrderRow): Atoms | null {
  return order.is_concluded ? null : order.initially_given - order.give_balance;
}

/** Atoms asked for one atom given, as the order began; null where it gave nothing. */
export function initialPrice({ initially_asked, initially_given }: OrderRow): Ratio | null {
  return initially_given === 0n ? null : reducedRatio(initially_asked, initially_given);
}

/** The same of what is left, as the order book counts; null where one side is used up. */
export function currentPrice({ ask_balance, give_balance }: OrderRow): Ratio | null {
  return ask_balance === 0n || give_balance === 0n ? null : reducedRatio(ask_balance, give_balance);
}

/** The tokens that orders exchange. */
export function tokensOfOrders(orders: readonly OrderRow[]): Id[] {
  return tokensOf(orders.flatMap(({ ask_currency, give_currency }) => [ask_currency, give_currency]));
}

/** The tokens among currencies. */
export function tokensOf(currencies: readonly Currency[]): Id[] {
  return currencies.filter((currency) => currency !== COIN);
}
