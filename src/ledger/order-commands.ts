/** The terms of orders, and the commands that fill, freeze and conclude them (docs/indexing-rules.md#orders). */
import { assertNever } from '../chain/input-and-output-kinds.ts';
import { marketOf } from '../chain/market.ts';
import { currencyAndAmount } from '../chain/output-owner-and-value.ts';
import type { Atoms, Destination, OrderCommand, OrderData } from '../chain/types.ts';
import { spenderOf } from './balance-changes.ts';
import { refuseBlock, subtractOrRefuse, type TransactionContext } from './block-context.ts';
import type { Order } from './rows.ts';

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
export function isOpenOrder({ isFrozen, isConcluded, askBalance }: Order): boolean {
  return !isFrozen && !isConcluded && askBalance > 0n;
}

/** Applies a command to its order. `index`: of the command among the inputs. */
export function applyOrderCommand(context: TransactionContext, command: OrderCommand, index: number): void {
  const { state, rules, counts } = context.block;
  const order = state.orders.get(command.orderId) ?? refuseBlock(context, `unknown order ${command.orderId}`);
  const change = (changed: Partial<Order>): void => {
    const after = { ...order, ...changed };
    counts.openOrders += Number(isOpenOrder(after)) - Number(isOpenOrder(order));
    state.orders.set(command.orderId, after);
  };
  const nextNonce = order.nextNonce + 1n;
  switch (command.type) {
    case 'FillOrder': {
      counts.trades++;
      const given = filledAmount(rules.ordersVersion, order, command.fillAmount);
      noteFill(context, order, index, command.fillAmount, given);
      return change({
        askBalance: subtractOrRefuse(context, 'the ask balance of an order', order.askBalance, command.fillAmount),
        giveBalance: subtractOrRefuse(context, 'the give balance of an order', order.giveBalance, given),
        nextNonce,
      });
    }
    case 'ConcludeOrder':
      return change({ askBalance: 0n, giveBalance: 0n, nextNonce, isConcluded: true });
    case 'FreezeOrder':
      return change({ isFrozen: true });
    default:
      return assertNever(command);
  }
}

function noteFill(
  context: TransactionContext,
  { orderId, askCurrency, giveCurrency }: Order,
  index: number,
  asked: Atoms,
  given: Atoms,
): void {
  const market = marketOf(askCurrency, giveCurrency);
  const isBuy = giveCurrency === market.base;
  const [baseAmount, quoteAmount] = isBuy ? [given, asked] : [asked, given];
  context.fills.push({ ...market, orderId, position: context.position, index, isBuy, baseAmount, quoteAmount });
}

/** Records the fills of a transaction whose inputs are applied. */
export function recordFills(context: TransactionContext): void {
  if (context.fills.length === 0) return;
  const taker = takerOf(context);
  for (const fill of context.fills) context.block.fills.push({ ...fill, taker });
}

/** Returns the owner of the first input that spends an output or withdraws from a delegation; commands have no owner. */
function takerOf({ transaction, inputs, block: { state } }: TransactionContext): Destination | null {
  for (const [i, input] of transaction.inputs.entries()) {
    const spent = inputs[i] ?? null;
    if (spent !== null) return spenderOf(state.pools, spent);
    if (input.type === 'Account') return state.delegations.get(input.delegationId)?.spendDestination ?? null;
  }
  return null;
}
