/** Values derived from the row of an order. Pure. */
import { type PriceRatio, reducedPriceRatio } from '../../answers/price-ratio.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import type { OrderRow } from '../../store/queries/orders/orders.ts';

/** `filled`: nothing more is asked, but the order is not concluded yet. */
export type OrderState = 'open' | 'filled' | 'frozen' | 'concluded';

export function orderState(order: OrderRow): OrderState {
  if (order.is_concluded) return 'concluded';
  if (order.is_frozen) return 'frozen';
  return order.ask_balance === 0n ? 'filled' : 'open';
}

/** Returns the number of fills. A conclusion also counts in the nonce. */
export function fillCount(order: OrderRow): bigint {
  return order.is_concluded ? order.next_nonce - 1n : order.next_nonce;
}

/** Returns the total paid by fills; null for a concluded order, which keeps no amounts. */
export function paidByFills(order: OrderRow): Atoms | null {
  return order.is_concluded ? null : order.initially_asked - order.ask_balance;
}

/** Returns the total taken by fills; null for a concluded order. */
export function takenByFills(order: OrderRow): Atoms | null {
  return order.is_concluded ? null : order.initially_given - order.give_balance;
}

/** Returns the initial atoms asked per atom given; null if the order gave nothing. */
export function initialPrice({ initially_asked, initially_given }: OrderRow): PriceRatio | null {
  return initially_given === 0n ? null : reducedPriceRatio(initially_asked, initially_given);
}

/**
 * Returns the atoms asked per atom given of the remaining amounts, as in the order book; null if one side is used up.
 */
export function currentPrice({ ask_balance, give_balance }: OrderRow): PriceRatio | null {
  return ask_balance === 0n || give_balance === 0n ? null : reducedPriceRatio(ask_balance, give_balance);
}

/** Returns the tokens that orders exchange. */
export function tokensOfOrders(orders: readonly OrderRow[]): Id[] {
  return tokensOfCurrencies(orders.flatMap(({ ask_currency, give_currency }) => [ask_currency, give_currency]));
}

/** Returns the tokens among currencies. */
export function tokensOfCurrencies(currencies: readonly Currency[]): Id[] {
  return currencies.filter((currency) => currency !== COIN);
}
