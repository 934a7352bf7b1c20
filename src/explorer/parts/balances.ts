/** The balances of an address: all that it owns of each currency, where it is, and what that is worth. */

import { type OwnedSummary, summarizeOwned } from '../../answers/address-holdings.ts';
import { freezingOf, type TokenLabels } from '../../answers/token-label.ts';
import { destinationAddress } from '../../chain/address.ts';
import type { Atoms, Destination, Id } from '../../chain/types.ts';
import type { ListPage } from '../../serving/pagination/paging.ts';
import { OWNED_LIST, type OwnedEntryRow, type OwnedKey } from '../../store/queries/addresses/address-holdings.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { say, textOf } from '../words/catalogue.ts';
import { amountColumn, coinAmount, countHtml, DASH_HTML, exactAmount } from './amount.ts';
import { currencyDecimals, currencyUnit } from './currency.ts';
import type { AddressList, AddressListPage } from './define-address-list.ts';
import { entityPath } from './id-links.ts';
import { percentage } from './number.ts';
import { parseListPage, readListPage } from './paging.ts';
import { column, inCard, table } from './table.ts';
import { timeHtml } from './time.ts';
import { frozenBadge } from './token.ts';

export const BALANCES_OF_ADDRESS: AddressList = {
  name: 'balances',
  title: 'Balances',
  plural: 'balances',
  api: '?expand=true',
  parse: (query, owner) => parseListPage(query, OWNED_LIST, { owners: [owner] }),
  read: readBalances,
};

/** `isPart`: the table is a part of a page, and leads to the whole. */
export async function readBalances(
  site: Site,
  store: QueryRunner,
  owner: Destination,
  page: ListPage<object>,
  { isPart = false } = {},
): Promise<AddressListPage & { readonly owned: OwnedSummary }> {
  const { entries, ...shown } = await readListPage(store, OWNED_LIST, page as ListPage<OwnedKey>, { owners: [owner] });
  const owned = summarizeOwned(shown);
  const path = `${entityPath('address', destinationAddress(site.network, owner))}/balances`;
  // In the language of the page, so not before it is rendered.
  const all = () =>
    isPart &&
    shown.nextCursor !== null &&
    html`<a href="${site.href(path)}">All ${countHtml(owned.tokenCount)} tokens</a> · `;
  const table = () => {
    const sum = owned.tokenCount > 0 && shown.isFirst && sumOfValues(site, owned);
    const large = !isPart && shown.isFirst && largeTokensNote(site, owned);
    return html`${large && html`<p>${large}</p>`}${balanceTable(site, entries, owned)}${sum && html`<p class="muted">${all()}${sum}</p>`}`;
  };
  return { ...shown, owned, length: entries.length, table };
}

function balanceTable(site: Site, rows: readonly OwnedEntryRow[], { tokenCount }: OwnedSummary): Html {
  const { coinDecimals, coinTicker } = site.network;
  const labels: TokenLabels = new Map<Id, OwnedEntryRow>(rows.map((row) => [row.currency, row]));
  const exact = ({ currency }: OwnedEntryRow, atoms: Atoms) =>
    exactAmount(atoms, currencyDecimals(site, labels, currency));
  const hasTokens = tokenCount > 0;
  return table(rows, {
    caption: 'What it owns of each currency: the coin, then tokens by value',
    id: 'balances',
    columns: [
      column('Currency', (row) => html`${currencyUnit(site, labels, row.currency)} ${frozenBadge(freezingOf([row]))}`),
      amountColumn('Spendable', (row) => exact(row, row.spendable)),
      amountColumn('Locked', (row) => exact(row, row.locked)),
      amountColumn('Staked, in orders and HTLCs', (row) => {
        const elsewhere = row.amount - row.spendable - row.locked;
        return elsewhere === 0n ? null : exact(row, elsewhere);
      }),
      inCard.top(amountColumn('Total', (row) => exact(row, row.amount), { isRounded: false })),
      hasTokens &&
        inCard.namedTop(
          amountColumn(say('{label}, {unit}', { label: textOf('Value at the last trade'), unit: coinTicker }), (row) =>
            row.coin_value === null ? null : exactAmount(row.coin_value, coinDecimals),
          ),
        ),
      hasTokens &&
        inCard.off(column('Last trade', ({ traded_at }) => (traded_at === null ? DASH_HTML : timeHtml(traded_at)))),
    ],
    empty: say('This address has no {plural}.', { plural: textOf('balances') }),
  });
}

/** Says which tokens are a quarter of the total value or more, and how old their price is; null if there are none. */
export function largeTokensNote(site: Site, { tokens, value }: OwnedSummary): Html | null {
  const notes = tokens.flatMap((row) => {
    const { currency, coin_value, traded_at } = row;
    if (coin_value === null || traded_at === null || coin_value === 0n || 4n * coin_value < value) return [];
    const unit = currencyUnit(site, new Map<Id, OwnedEntryRow>([[currency, row]]), currency);
    return html`${percentage(coin_value, value)} of the total is ${unit} at its last trade, ${timeHtml(traded_at)}.`;
  });
  return notes.length === 0 ? null : html`${notes.map((note) => [note, ' '])}`;
}

/** Says what the column of values adds up to, over all pages. */
function sumOfValues(site: Site, { value, tokensValue, frozenValue }: OwnedSummary): Html {
  const coins = (atoms: Atoms) => coinAmount(site, atoms, { isRounded: 'inline' });
  const frozen = frozenValue > 0n && html` Frozen tokens, which cannot be sold now, are ${coins(frozenValue)} of it.`;
  return html`${html`Sum of all values: ${coins(value)}, of which tokens ${coins(tokensValue)}.`}${frozen} ${textOf('The price of one trade of the last 30 days, which may not be had for all of it.')}`;
}
