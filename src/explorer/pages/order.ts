/** `/order/{id}`: an order: what it gives and asks, and how much of it is filled. */

import { requestedPair } from '../../answers/markets.ts';
import type { PriceRatio } from '../../answers/price-ratio.ts';
import { freezingOf, readTokenLabels, type TokenLabels } from '../../answers/token-label.ts';
import { destinationAddress, orderAddress } from '../../chain/address.ts';
import { marketOf } from '../../chain/market.ts';
import { type FillEntryRow, ORDER_FILL_LIST } from '../../store/queries/orders/fills.ts';
import { getOrder, type OrderRow } from '../../store/queries/orders/orders.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, type HtmlValue, html } from '../html.ts';
import { pageNotFound } from '../page-error.ts';
import { countHtml } from '../parts/amount.ts';
import { meter } from '../parts/chart.ts';
import { currencyText, currencyUnit } from '../parts/currency-names.ts';
import { destinationLink, heightLink, idHtml, thingPath, wholeIdLink } from '../parts/id-links.ts';
import { percentage } from '../parts/number.ts';
import { describePrice, ORDER_STATES, type OrderSide, orderAmount, orderBadges } from '../parts/order-table.ts';
import { fold, pagingLinks, parseListPage, readListPage, type ShownPage } from '../parts/paging.ts';
import { banner, propertyList } from '../parts/properties-and-badges.ts';
import { timeHtml } from '../parts/time.ts';
import { tradeTable } from '../parts/trade-table.ts';
import { marketLink } from '../parts/trading-pair.ts';
import {
  currentPrice,
  fillCount,
  initialPrice,
  type OrderState,
  orderState,
  paidByFills,
  takenByFills,
  tokensOfOrders,
} from '../read/order-values.ts';
import type { Site } from '../site.ts';
import { parseOrderIdInput } from '../visitor-input.ts';
import { newestFirst, say, textOf, type Words } from '../words/catalogue.ts';

export function orderPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/order/:id',
    parse: ({ params, query }) => {
      const id = parseOrderIdInput(site.network, params.id!);
      return { id, page: parseListPage(query, ORDER_FILL_LIST, { orderId: id }) };
    },
    read: async (store, { id, page }) => {
      const [{ rows, ...order }, fills] = await Promise.all([
        getOrder(store, id),
        readListPage(store, ORDER_FILL_LIST, page, { orderId: id }),
      ]);
      const tip = requireSameTip(order, fills);
      return { tip, fills, order: rows[0], labels: await readTokenLabels(store, tip, tokensOfOrders(rows)) };
    },
    render: ({ order, labels, fills }, { id }) => {
      const address = orderAddress(site.network, id);
      if (!order) throw pageNotFound(say('There is no order with the id {address} in the chain.', { address }));
      const give = currencyText(site, labels, order.give_currency);
      const ask = currencyText(site, labels, order.ask_currency);
      const state = orderState(order);
      return {
        title: say('Order: {give} for {ask}', { give, ask }),
        description: say('The order {address} gives {give} for {ask}. It is {state}.', {
          ...{ address, give, ask },
          state: textOf(ORDER_STATES[state]),
        }),
        section: 'orders',
        canonical: thingPath('order', address),
        isUnlisted: !fills.isFirst,
        api: [`/order/${address}`, `/order/${address}/fills`],
        body: html`<h1 class="title">Order ${orderBadges(labels, order)}</h1><p class="title-id">${idHtml(address, { canCopy: true })}</p>${stateOf(site, labels, order)}<p class="muted">Created ${timeHtml(order.creation_timestamp)} in block ${heightLink(site, order.creation_height)} · belongs to ${destinationLink(site, order.conclude_destination)}</p>${factsOf(site, labels, order)}${fillsOf(site, labels, order, fills)}`,
      };
    },
  });
}

const STATES: Readonly<Record<OrderState, Words>> = {
  open: 'Anyone can fill it, in whole or in part.',
  filled: 'Completely filled. The order keeps what was paid until it is closed.',
  frozen: 'It can no longer be filled. Its balances are paid out when it is closed.',
  concluded: 'Its balances were paid out.',
};

/** An order of a frozen token cannot be filled or closed. */
function stateOf(site: Site, labels: TokenLabels, order: OrderRow): HtmlValue {
  const frozen = [order.give_currency, order.ask_currency].flatMap((currency) => {
    const freezing = order.is_concluded ? null : freezingOf([labels.get(currency)]);
    return freezing === null ? [] : [{ freezing, unit: currencyUnit(site, labels, currency) }];
  });
  if (frozen.length === 0)
    return html`<p class="lead">${offerOf(site, labels, order)} ${textOf(STATES[orderState(order)])}</p>`;
  return frozen.map(({ freezing: { since, isForEver }, unit }) => {
    const block = heightLink(site, since);
    return banner(
      isForEver
        ? html`${unit} has been permanently frozen since block ${block}: the order can never be filled or closed.`
        : html`${unit} has been frozen since block ${block}: the order cannot be filled or closed until the authority unfreezes the token.`,
      'bad',
    );
  });
}

/** Says what is left of an open order, from the side of its owner; null for another order. */
function offerOf(site: Site, labels: TokenLabels, order: OrderRow): Html | null {
  const price = currentPrice(order);
  if (orderState(order) !== 'open' || price === null) return null;
  const given = leftOf(site, labels, order, 'give', 'inline');
  const asked = leftOf(site, labels, order, 'ask', 'inline');
  const at = describePrice(site, labels, order, price, { isRounded: 'inline' });
  return marketOf(order.give_currency, order.ask_currency).base === order.give_currency
    ? html`Sells ${given} for ${asked}, at ${at}.`
    : html`Buys ${asked} for ${given}, at ${at}.`;
}

/** What is left of a side. The digits of dust say nothing: they are in the detail. */
function leftOf(
  site: Site,
  labels: TokenLabels,
  order: OrderRow,
  side: OrderSide,
  isRounded: false | 'inline' = false,
): Html {
  const left = order[`${side}_balance`];
  const initially = side === 'give' ? order.initially_given : order.initially_asked;
  const [scaled, whole] = [left * 10n ** BigInt(DUST_DECIMALS), 10n ** BigInt(order[`${side}_decimals`])];
  const isDust = left > 0n && scaled < initially && scaled < whole;
  const options = isDust ? { isRounded: isRounded || true, decimals: DUST_DECIMALS } : { isRounded };
  return orderAmount(site, labels, order, side, left, options);
}

/** Less than the last of these decimals, of a whole unit and of what there was at first, is dust. */
const DUST_DECIMALS = 4;

function fillsOf(site: Site, labels: TokenLabels, order: OrderRow, fills: ShownPage<FillEntryRow>): Html {
  const { base, quote } = marketOf(order.give_currency, order.ask_currency);
  const rows = tradeTable(site, labels, requestedPair([base, quote]), fills.entries, {
    caption: newestFirst('Fills'),
    empty: 'Nobody has filled the order yet.',
  });
  const path = thingPath('order', orderAddress(site.network, order.order_id));
  return html`<section id="fills"><h2>Fills</h2>${rows}${pagingLinks(site, path, fills, { anchor: 'fills' })}</section>`;
}

function factsOf(site: Site, labels: TokenLabels, order: OrderRow): Html {
  const given = (atoms: bigint) => orderAmount(site, labels, order, 'give', atoms);
  const asked = (atoms: bigint) => orderAmount(site, labels, order, 'ask', atoms);
  const paid = paidByFills(order);
  const taken = takenByFills(order);
  const { base, quote } = marketOf(order.give_currency, order.ask_currency);
  const current = currentPrice(order);
  const price = (ratio: PriceRatio | null) => describePrice(site, labels, order, ratio);
  const facts = propertyList([
    [current === null ? 'Initial price' : 'Current price', price(current ?? initialPrice(order))],
    ['Left to sell', leftOf(site, labels, order, 'give')],
    ['Left to receive', leftOf(site, labels, order, 'ask')],
    ['Filled', paid === null ? notKept() : filledShare(paid, order.initially_asked)],
  ]);
  const details = propertyList([
    current !== null && ['Initial price', price(initialPrice(order))],
    current !== null && ['Inverse price', describePrice(site, labels, order, current, { isTurned: true })],
    ['Gives (initial)', given(order.initially_given)],
    ['Asks (initial)', asked(order.initially_asked)],
    paid !== null && ['Paid in', asked(paid)],
    taken !== null && ['Paid out', given(taken)],
    ['Fills', countHtml(fillCount(order))],
    ['Can be closed by', wholeIdLink(site, 'address', destinationAddress(site.network, order.conclude_destination))],
  ]);
  return html`${facts}<p class="paging">${marketLink(site, base, quote, html`Prices, trades and order book`)}</p>${fold('Details', details)}`;
}

const notKept = () => html`<span class="muted">not kept once the order is closed</span>`;

function filledShare(paid: bigint, whole: bigint): Html {
  const text = percentage(paid, whole);
  return html`${meter(textOf(say('{share} filled', { share: text })), paid, whole)}${text}`;
}
