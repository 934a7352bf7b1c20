/** Renders the table of orders: what each gives and asks, its price, and how much of it is filled. */

import type { PriceRatio } from '../../answers/price-ratio.ts';
import { freezingOf, type TokenLabels } from '../../answers/token-label.ts';
import type { Currency } from '../../chain/currency.ts';
import { marketOf } from '../../chain/market.ts';
import type { AgeSort } from '../../store/queries/lists/age-order.ts';
import type { OrderRow } from '../../store/queries/orders/orders.ts';
import { type Html, html } from '../html.ts';
import { currentPrice, initialPrice, type OrderState, orderState, paidByFills } from '../read/order-values.ts';
import type { Site } from '../site-urls.ts';
import type { Words } from '../words/catalogue.ts';
import { amountHtml, type ExactAmount, exactAmount, unitAmountColumn } from './amount.ts';
import { currencyUnit } from './currency.ts';
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
  concluded: 'concluded',
} as const satisfies Readonly<Record<OrderState, Words>>;

const BADGE_KINDS = { open: 'good', filled: 'plain', frozen: 'warning', concluded: 'plain' } as const;

/** Renders the state of an order, and whether one of its tokens is frozen. */
export function orderBadges(labels: TokenLabels, order: OrderRow): Html {
  const state = orderState(order);
  return html`${badge(ORDER_STATES[state], BADGE_KINDS[state])} ${frozenTokenBadge(freezingOfOrder(labels, order))}`;
}

/** Returns since when an order can be neither filled nor concluded, because one of its tokens is frozen; null if none is. */
function freezingOfOrder(labels: TokenLabels, { give_currency, ask_currency, is_concluded }: OrderRow) {
  return is_concluded ? null : freezingOf([labels.get(give_currency), labels.get(ask_currency)]);
}

/** `order`: that of the list, if it has several. `base`: the currency whose prices are shown; without it, the usual one of each order. */
export function orderTable(
  site: Site,
  labels: TokenLabels,
  orders: readonly OrderRow[],
  { base, ...words }: TableTexts & { readonly base?: Currency },
  order?: TableOrder<AgeSort>,
): Html {
  return table<OrderRow, AgeSort>(orders, {
    ...words,
    order,
    columns: [
      column(
        'Order',
        (order) => html`${orderLink(site, order.order_id)} ${frozenTokenBadge(freezingOfOrder(labels, order))}`,
      ),
      givenColumn(site, labels, 'Gives (remaining)', ({ give_balance }) => give_balance),
      askedColumn(site, labels, 'Asks (remaining)', ({ ask_balance }) => ask_balance),
      inCard.top(numberColumn('Price', (order) => describeSide(site, labels, order, base))),
      numberColumn('Filled', (order) => percentage(paidByFills(order) ?? 0n, order.initially_asked)),
      inCard.off(
        numberColumn('Created in block', ({ creation_height }) => heightLink(site, creation_height), order?.sort),
      ),
    ],
  });
}

type OrderColumn = (
  site: Site,
  labels: TokenLabels,
  label: Words,
  atomsOf: (order: OrderRow) => bigint,
) => Column<OrderRow>;

/** A column of amounts in the currencies that orders give. */
export const givenColumn: OrderColumn = (site, labels, label, atomsOf) =>
  unitAmountColumn(label, (order) => ({
    amount: exactAmount(atomsOf(order), order.give_decimals),
    unit: currencyUnit(site, labels, order.give_currency),
  }));

/** A column of amounts in the currencies that orders ask. */
export const askedColumn: OrderColumn = (site, labels, label, atomsOf) =>
  unitAmountColumn(label, (order) => ({
    amount: exactAmount(atomsOf(order), order.ask_decimals),
    unit: currencyUnit(site, labels, order.ask_currency),
  }));

/** Renders an amount in the currency that an order gives. */
export function givenAmount(site: Site, labels: TokenLabels, order: OrderRow, atoms: bigint): Html {
  return amountHtml(exactAmount(atoms, order.give_decimals), { unit: currencyUnit(site, labels, order.give_currency) });
}

/** Renders an amount in the currency that an order asks. */
export function askedAmount(site: Site, labels: TokenLabels, order: OrderRow, atoms: bigint): Html {
  return amountHtml(exactAmount(atoms, order.ask_decimals), { unit: currencyUnit(site, labels, order.ask_currency) });
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
  { isTurned = false }: { readonly isTurned?: boolean } = {},
): Html {
  if (price === null) return noPrice();
  const said = bothPrices(order, price)[isTurned ? 1 : 0];
  const unit = currencyUnit(site, labels, said.quote);
  return html`${amountHtml(said.price, { unit, isRounded: true })} <span class="unit">per</span> ${currencyUnit(site, labels, said.base)}`;
}

const noPrice = () => html`<span class="muted">none</span>`;

/** Says whether an order sells or buys the base of a market, and at which price. */
function describeSide(site: Site, labels: TokenLabels, order: OrderRow, ofBase: Currency | undefined): Html {
  const ratio = currentPrice(order) ?? initialPrice(order);
  if (ratio === null) return noPrice();
  const prices = bothPrices(order, ratio);
  const { price, base, quote } = prices.find((each) => each.base === ofBase) ?? prices[0];
  const unit = currencyUnit(site, labels, base);
  const shown = amountHtml(price, { unit: currencyUnit(site, labels, quote), isRounded: true });
  return base === order.give_currency ? html`Sells ${unit} at ${shown}` : html`Buys ${unit} at ${shown}`;
}
