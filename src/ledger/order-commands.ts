/** The commands that fill, freeze and conclude orders (docs/indexing-rules.md#orders). */

import { assertNever } from '../chain/input-and-output-kinds.ts';
import { marketOf } from '../chain/market.ts';
import type { Atoms, Destination, OrderCommand } from '../chain/types.ts';
import { spenderOf } from './balance-changes.ts';
import { refuseBlock, subtractOrRefuse, type TransactionContext } from './block-context.ts';
import { filledAmount, isOpenOrder } from './order-terms.ts';
import type { Order } from './state-rows.ts';

/** Applies a command to its order. `index`: of the command among the inputs. */
export function applyOrderCommand(context: TransactionContext, command: OrderCommand, index: number): void {
  const { state, rules, counts, height } = context.block;
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
      context.actors.push(order.concludeDestination);
      return change({ askBalance: 0n, giveBalance: 0n, nextNonce, concludedHeight: height });
    case 'FreezeOrder':
      context.actors.push(order.concludeDestination);
      return change({ isFrozen: true });
    default:
      return assertNever(command);
  }
}

function noteFill(
  context: TransactionContext,
  { orderId, askCurrency, giveCurrency, initiallyAsked, initiallyGiven }: Order,
  index: number,
  asked: Atoms,
  given: Atoms,
): void {
  const market = marketOf(askCurrency, giveCurrency);
  const isBuy = giveCurrency === market.base;
  const inMarket = (ofAsk: Atoms, ofGive: Atoms) =>
    isBuy ? { base: ofGive, quote: ofAsk } : { base: ofAsk, quote: ofGive };
  const price = asked === 0n || given === 0n ? null : inMarket(initiallyAsked, initiallyGiven);
  const moved = inMarket(asked, given);
  context.fills.push({ ...market, orderId, position: context.position, index, isBuy, moved, price });
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
