/** The terms of orders, and what a fill takes out of one (docs/indexing-rules.md#orders). */
import { currencyAndAmount } from '../chain/output-owner-and-value.ts';
import type { Atoms, OrderData } from '../chain/types.ts';
import type { Order } from './state-rows.ts';

/** The fields from which a fill is computed. */
type OrderAmounts = Pick<Order, 'askBalance' | 'giveBalance' | 'initiallyAsked' | 'initiallyGiven'>;

/** The currencies and amounts that an order asks and gives. */
export type OrderTerms = OrderAmounts & Pick<Order, 'askCurrency' | 'giveCurrency'>;

/** Returns the terms of a new order; null if it asks or gives legacy tokens, which are never counted. */
export function newOrderTerms(order: OrderData): OrderTerms | null {
  const ask = currencyAndAmount(order.ask);
  const give = currencyAndAmount(order.give);
  if (ask === null || give === null) return null;
  return {
    askCurrency: ask.currency,
    initiallyAsked: ask.amount,
    askBalance: ask.amount,
    giveCurrency: give.currency,
    initiallyGiven: give.amount,
    giveBalance: give.amount,
  };
}

/**
 * Returns the amount that a fill of `fillAmount` takes out of the order. Version 0 uses the ratio of the remaining
 * amounts, version 1 that of the initial ones.
 */
export function filledAmount(version: 0 | 1, order: OrderAmounts, fillAmount: Atoms): Atoms {
  const ask = version === 0 ? order.askBalance : order.initiallyAsked;
  const give = version === 0 ? order.giveBalance : order.initiallyGiven;
  return ask === 0n ? 0n : (give * fillAmount) / ask;
}

/** Is the order one that a fill may use (docs/indexing-rules.md#open-orders)? */
export function isOpenOrder({ isFrozen, concludedHeight, askBalance }: Order): boolean {
  return !isFrozen && concludedHeight === null && askBalance > 0n;
}
