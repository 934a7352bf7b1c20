/** Renders the table of orders, and their amounts and prices. */

import type { PriceRatio } from '../../answers/price-ratio.ts';
import { freezingOf, type TokenLabels } from '../../answers/token-label.ts';
import type { Currency } from '../../chain/currency.ts';
import { marketOf } from '../../chain/market.ts';
import type { AgeSort } from '../../store/queries/lists/age-order.ts';
import type { OrderRow } from '../../store/queries/orders/orders.ts';
import { type Html, html } from '../html.ts';
import { currentPrice, initialPrice, type OrderState, orderState, paidByFills } from '../read/order-values.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import {
  type AmountOptions,
  amountColumn,
  amountHtml,
  type ExactAmount,
  exactAmount,
  noneHtml,
  unitAmountColumn,
} from './amount.ts';
import { currencyUnit, tickerText } from './currency-names.ts';
import { heightLink, orderLink } from './id-links.ts';
import { percentage } from './number.ts';
import { badge } from './properties-and-badges.ts';
import { type Column, column, inCard, numberColumn, type TableOrder, type TableTexts, table } from './table.ts';
import { frozenTokenBadge } from './token.ts';
import { unitPrice } from './trading-pair.ts';

/** The words for the state of an order. */
export const ORDER_STATES = {
  open: 'open|order',
  filled: 'filled',
  frozen: 'frozen|order',
  concluded: 'closed',
} as const satisfies Readonly<Record<OrderState, Words>>;

const BADGE_KINDS = { open: 'good', filled: 'plain', frozen: 'warning', concluded: 'plain' } as const;

/** Renders the state of an order, and whether one of its tokens is frozen. */
export function orderBadges(labels: TokenLabels, order: OrderRow): Html {
  const state = orderState(order);
  return html`${badge(ORDER_STATES[state], BADGE_KINDS[state])} ${frozenTokenBadge(freezingOfOrder(labels, order))}`;
}

/** Returns since when an order cannot be filled or closed, because one of its tokens is frozen; null if none is. */
function freezingOfOrder(labels: TokenLabels, { give_currency, ask_currency, is_concluded }: OrderRow) {
  return is_concluded ? null : freezingOf([labels.get(give_currency), labels.get(ask_currency)]);
}

/**
 * Renders orders as a market has them: side, price, amount and total of what remains. `order`: that of the list, if it has several.
 * `base`: of the pair of all these orders; without it, each has the usual one of its pair.
 */
export function orderTable(
  site: Site,
  labels: TokenLabels,
  orders: readonly OrderRow[],
  { base, ...words }: TableTexts & { readonly base?: Currency | undefined },
  order?: TableOrder<AgeSort>,
): Html {
  const shown = orders.map((row) => ({ row, ...inMarket(row, base) }));
  type Shown = (typeof shown)[number];
  const [first] = shown;
  const amounts = (
    label: 'Price' | 'Amount' | 'Total',
    ofBase: boolean,
    amountOf: (shown: Shown) => ExactAmount | null,
  ): Column<Shown, AgeSort> => {
    const currencyOf = (each: Shown) => (ofBase ? each.base : each.quote);
    if (base === undefined || first === undefined)
      return unitAmountColumn(label, (each) => {
        const amount = amountOf(each);
        return amount && { amount, unit: currencyUnit(site, labels, currencyOf(each)) };
      });
    const unit = tickerText(site, labels, currencyOf(first));
    return amountColumn(say('{label}, {unit}', { label: textOf(label), unit }), amountOf, {
      isPrice: label === 'Price',
    });
  };
  const amount = amounts('Amount', true, ({ row, isBuy }) =>
    isBuy ? exactAmount(row.ask_balance, row.ask_decimals) : exactAmount(row.give_balance, row.give_decimals),
  );
  return table<Shown, AgeSort>(shown, {
    ...words,
    order,
    columns: [
      column(
        'Order',
        ({ row }) => html`${orderLink(site, row.order_id)} ${frozenTokenBadge(freezingOfOrder(labels, row))}`,
      ),
      inCard.plain(column('Side', ({ isBuy }) => sideHtml(isBuy ? 'buy' : 'sell'))),
      inCard.namedTop(amounts('Price', false, ({ price }) => price)),
      base === undefined ? inCard.plain(amount) : amount,
      amounts('Total', false, ({ row, isBuy }) =>
        isBuy ? exactAmount(row.give_balance, row.give_decimals) : exactAmount(row.ask_balance, row.ask_decimals),
      ),
      numberColumn('Filled', ({ row }) => percentage(paidByFills(row) ?? 0n, row.initially_asked)),
      inCard.off(numberColumn('Created in block', ({ row }) => heightLink(site, row.creation_height), order?.sort)),
    ],
  });
}

/** Returns what an order does in a market, and its price there, of what remains; null without one. */
function inMarket(order: OrderRow, ofBase: Currency | undefined) {
  const ratio = currentPrice(order) ?? initialPrice(order);
  const prices = ratio && bothPrices(order, ratio);
  const { price, base, quote } = prices?.find((each) => each.base === ofBase) ??
    prices?.[0] ?? { price: null, ...marketOf(order.give_currency, order.ask_currency) };
  return { price, base, quote, isBuy: base === order.ask_currency };
}

/** Says which side of a market an order or a trader is on. */
export const sideHtml = (side: 'buy' | 'sell'): Html =>
  side === 'buy'
    ? html`<span class="bid">${textOf('Buy|side')}</span>`
    : html`<span class="ask">${textOf('Sell|side')}</span>`;

export type OrderSide = 'give' | 'ask';

/** A column of amounts in the currencies that orders give, or ask. */
export const orderAmountColumn = (
  site: Site,
  labels: TokenLabels,
  label: Words,
  side: OrderSide,
  atomsOf: (order: OrderRow) => bigint,
): Column<OrderRow> =>
  unitAmountColumn(label, (order) => ({
    amount: exactAmount(atomsOf(order), order[`${side}_decimals`]),
    unit: currencyUnit(site, labels, order[`${side}_currency`]),
  }));

/** Renders an amount in the currency that an order gives, or asks. */
export function orderAmount(
  site: Site,
  labels: TokenLabels,
  order: OrderRow,
  side: OrderSide,
  atoms: bigint,
  options: Pick<AmountOptions, 'isRounded' | 'decimals'> = {},
): Html {
  const unit = currencyUnit(site, labels, order[`${side}_currency`]);
  return amountHtml(exactAmount(atoms, order[`${side}_decimals`]), { ...options, unit });
}

/** A price of an order: the cost of a whole unit of one currency in the other, rounded down to its decimals. */
interface OrderPrice {
  readonly price: ExactAmount;
  readonly base: Currency;
  readonly quote: Currency;
}

/** Returns a price in both directions, the usual one first ({@link marketOf}). */
function bothPrices(order: OrderRow, price: PriceRatio): readonly [OrderPrice, OrderPrice] {
  const { ask_currency, ask_decimals, give_currency, give_decimals } = order;
  const inverse = { numerator: price.denominator, denominator: price.numerator };
  const ofGiven = { price: unitPrice(price, give_decimals, ask_decimals), base: give_currency, quote: ask_currency };
  const ofAsked = { price: unitPrice(inverse, ask_decimals, give_decimals), base: ask_currency, quote: give_currency };
  const [first, second] =
    marketOf(give_currency, ask_currency).base === give_currency ? [ofGiven, ofAsked] : [ofAsked, ofGiven];
  // If a unit costs less than the smallest amount of the other currency, the other direction is better.
  return first.price.atoms === 0n ? [second, first] : [first, second];
}

/** `price`: atoms asked per atom given; `isTurned`: shows the other direction. */
export function describePrice(
  site: Site,
  labels: TokenLabels,
  order: OrderRow,
  price: PriceRatio | null,
  { isTurned = false, isRounded = true }: { readonly isTurned?: boolean } & Pick<AmountOptions, 'isRounded'> = {},
): Html {
  if (price === null) return noneHtml();
  const said = bothPrices(order, price)[isTurned ? 1 : 0];
  const unit = currencyUnit(site, labels, said.quote);
  return html`${amountHtml(said.price, { unit, isRounded })} <span class="unit">per</span> ${currencyUnit(site, labels, said.base)}`;
}
