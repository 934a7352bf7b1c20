/** `/order/{id}`: what an order gives and asks, and how far it is filled. */

import { notFound } from '../../api/errors/api-error.ts';
import { readTokenLabels, type TokenLabels } from '../../api/present/token-label.ts';
import { orderAddress } from '../../chain/address.ts';
import { getOrder, type OrderRow } from '../../store/queries/orders.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage, type Explorer } from '../page.ts';
import { count, percentage } from '../parts/amount.ts';
import { meter } from '../parts/chart.ts';
import { currencyText } from '../parts/currency.ts';
import { badge, facts } from '../parts/facts.ts';
import { destinationLink, heightLink, idText, thingPath } from '../parts/ids.ts';
import { exactRatio, marketLink, naturalPair, pairName } from '../parts/market.ts';
import { askedAmount, givenAmount, priceWords } from '../parts/order-table.ts';
import {
  currentPrice,
  fillCount,
  initialPrice,
  type OrderState,
  orderState,
  paidIn,
  takenOut,
  tokensOfOrders,
} from '../read/order-facts.ts';
import { visitorOrderId } from '../read/visitor-input.ts';
import type { Site } from '../site.ts';

export function orderPage({ site }: Explorer): AnyPage {
  return definePage({
    path: '/order/:id',
    parse: ({ params }) => visitorOrderId(site.network, params.id!),
    read: async (store, id) => {
      const { tip, rows } = await getOrder(store, id);
      return { tip, order: rows[0], labels: await readTokenLabels(store, tip, tokensOfOrders(rows)) };
    },
    render: ({ order, labels }, id) => {
      const address = orderAddress(site.network, id);
      if (!order) throw notFound(`There is no order with the id ${address} in the chain`);
      const give = currencyText(site, labels, order.give_currency);
      const ask = currencyText(site, labels, order.ask_currency);
      const state = orderState(order);
      return {
        title: `Order: ${give} for ${ask}`,
        description: `The order ${address} gives ${give} for ${ask}. ${plainState(state)}`,
        section: 'orders',
        canonical: thingPath('order', address),
        api: [`/order/${address}`],
        body: html`<h1 class="title">Order ${badge(STATES[state][0], STATES[state][1])}</h1><p class="title-id">${idText(address, { canCopy: true })}</p><p class="lead">${STATES[state][2]}</p>${factsOf(site, labels, order)}`,
      };
    },
  });
}

const STATES: Readonly<Record<OrderState, readonly [string, 'good' | 'plain' | 'warning', string]>> = {
  open: ['open', 'good', 'Anybody may fill it, in whole or in part.'],
  filled: ['filled', 'plain', 'Nothing is asked any more. What was paid waits in it until it is concluded.'],
  frozen: [
    'frozen',
    'warning',
    'It takes no fills any more, for ever. What it holds can be taken out by concluding it.',
  ],
  concluded: ['concluded', 'plain', 'It is over: what it held, and what was paid into it, was taken out.'],
};

function plainState(state: OrderState): string {
  return state === 'open' ? 'It is open.' : `It is ${STATES[state][0]}.`;
}

function factsOf(site: Site, labels: TokenLabels, order: OrderRow): Html {
  const given = (atoms: bigint) => givenAmount(site, labels, order, atoms);
  const asked = (atoms: bigint) => askedAmount(site, labels, order, atoms);
  const paid = paidIn(order);
  const taken = takenOut(order);
  const fills = fillCount(order);
  const initial = initialPrice(order);
  const current = currentPrice(order);
  const [base, quote] = naturalPair(order.give_currency, order.ask_currency);
  return facts([
    ['Gave at first', given(order.initially_given)],
    ['Asked at first', asked(order.initially_asked)],
    ['Still gives', given(order.give_balance)],
    ['Still asks', asked(order.ask_balance)],
    ['Filled', paid === null ? notKept() : filledShare(paid, order.initially_asked)],
    ['Fills', html`${count(fills)}`],
    paid !== null && ['Paid into it', asked(paid)],
    taken !== null && ['Taken by fills', given(taken)],
    [
      'Price at first',
      html`${priceWords(site, labels, order, initial)}${initial !== null && html`<br><span class="muted">exactly</span> ${exactRatio(initial)} <span class="muted">atoms asked for one given</span>`}`,
    ],
    current !== null && [
      'Price of what is left',
      html`${priceWords(site, labels, order, current)}<br><span class="muted">exactly</span> ${exactRatio(current)} <span class="muted">atoms asked for one given</span>`,
    ],
    current !== null && ['The other way round', priceWords(site, labels, order, current, { isTurned: true })],
    ['May conclude it', destinationLink(site, order.conclude_destination, { isShort: false })],
    ['Made in block', heightLink(site, order.creation_height)],
    [
      'Market',
      html`${marketLink(site, base, quote, 'Order book')} · <a href="${site.href('/orders', { pair: pairName(site.network, base, quote) })}">Open orders of the pair</a>`,
    ],
  ]);
}

function notKept(): Html {
  return html`<span class="muted">not kept after the conclusion</span>`;
}

function filledShare(paid: bigint, whole: bigint): Html {
  const text = percentage(paid, whole);
  return html`${text}${meter(`${text} filled`, paid, whole)}`;
}
