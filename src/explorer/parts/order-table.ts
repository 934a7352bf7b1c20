/** A list of orders: what each gives, asks and costs, and how much of it is filled. */

import type { Ratio } from '../../api/present/price-ratio.ts';
import type { TokenLabels } from '../../api/present/token-label.ts';
import type { OrderRow } from '../../store/queries/orders.ts';
import { type Html, html } from '../html.ts';
import { currentPrice, initialPrice, paidIn } from '../read/order-facts.ts';
import type { Site } from '../site.ts';
import { AMOUNT_COLUMN, amount, exactAmount, percentage } from './amount.ts';
import { currencyUnit } from './currency.ts';
import { heightLink, orderLink } from './ids.ts';
import { unitPrice } from './price.ts';
import { table } from './table.ts';

export interface OrderTableOptions {
  readonly caption: string;
  readonly empty: Html | string;
}

export function orderTable(
  site: Site,
  labels: TokenLabels,
  orders: readonly OrderRow[],
  { caption, empty }: OrderTableOptions,
): Html {
  return table({
    caption,
    isCaptionHidden: true,
    columns: [
      { label: 'Order' },
      { label: 'Still gives', kind: AMOUNT_COLUMN },
      { label: 'Still asks', kind: AMOUNT_COLUMN },
      { label: 'Asks for one unit', kind: AMOUNT_COLUMN },
      { label: 'Filled', kind: AMOUNT_COLUMN },
      { label: 'Block', kind: AMOUNT_COLUMN },
    ],
    rows: orders.map((order) => [
      orderLink(site, order.order_id),
      givenAmount(site, labels, order, order.give_balance),
      askedAmount(site, labels, order, order.ask_balance),
      askedForOne(site, labels, order, currentPrice(order) ?? initialPrice(order)),
      percentage(paidIn(order) ?? 0n, order.initially_asked),
      heightLink(site, order.creation_height),
    ]),
    empty,
  });
}

/** An amount in the currency that an order gives. */
export function givenAmount(site: Site, labels: TokenLabels, order: OrderRow, atoms: bigint): Html {
  return amount(exactAmount(atoms, order.give_decimals), { unit: currencyUnit(site, labels, order.give_currency) });
}

/** An amount in the currency that an order asks. */
export function askedAmount(site: Site, labels: TokenLabels, order: OrderRow, atoms: bigint): Html {
  return amount(exactAmount(atoms, order.ask_decimals), { unit: currencyUnit(site, labels, order.ask_currency) });
}

/** What one whole unit of what an order gives costs, rounded down. */
export function askedForOne(site: Site, labels: TokenLabels, order: OrderRow, price: Ratio | null): Html {
  if (price === null) return html`<span class="muted">none</span>`;
  const { ask_currency, ask_decimals, give_currency, give_decimals } = order;
  const unit = currencyUnit(site, labels, ask_currency);
  const per = currencyUnit(site, labels, give_currency);
  return html`${amount(unitPrice(price, give_decimals, ask_decimals), { unit })} <span class="unit">per</span> ${per}`;
}
