/** The balances of an address: all that it owns of each currency, where it is, and what that is worth. */

import { leastDepth } from '../../answers/market-depth.ts';
import { type OwnedSummary, summarizeOwned } from '../../answers/owned-coins-and-tokens.ts';
import { freezingOf, type TokenLabels } from '../../answers/token-label.ts';
import { COIN } from '../../chain/currency.ts';
import type { Atoms, Destination, Id } from '../../chain/types.ts';
import type { ListPage } from '../../serving/pagination/paging.ts';
import { OWNED_LIST, type OwnedEntryRow, type OwnedKey } from '../../store/queries/addresses/owned-coins-and-tokens.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';
import { amountColumn, coinAmount, DASH_HTML, exactAmount } from './amount.ts';
import { currencyDecimals, currencyUnit } from './currency-names.ts';
import type { ListOfAddress, ListOfAddressPage } from './define-address-list.ts';
import { columnDecimals } from './number.ts';
import { parseListPage, readListPage } from './paging.ts';
import { column, inCard, table } from './table.ts';
import { timeHtml } from './time.ts';
import { frozenBadge } from './token.ts';

export const BALANCES_OF_ADDRESS: ListOfAddress = {
  name: 'balances',
  title: 'Balances',
  plural: 'balances',
  api: '?expand=true',
  parse: (query, owner, network) =>
    parseListPage(query, OWNED_LIST, { owners: [owner], leastDepth: leastDepth(network) }),
  read: readBalances,
};

export async function readBalances(
  site: Site,
  store: QueryRunner,
  owner: Destination,
  page: ListPage<object>,
): Promise<ListOfAddressPage & { readonly owned: OwnedSummary }> {
  const selection = { owners: [owner], leastDepth: leastDepth(site.network) };
  const { entries, ...shown } = await readListPage(store, OWNED_LIST, page as ListPage<OwnedKey>, selection);
  const owned = summarizeOwned(shown);
  // In the language of the page, so not before it is rendered.
  const note = () =>
    owned.tokenCount > 0 &&
    html`<p class="muted">Value: at the last price, but never more than the buy orders at half that price or more would pay. No value is shown if these orders total less than ${coinAmount(site, leastDepth(site.network))}.</p>`;
  return { ...shown, owned, length: entries.length, table: () => html`${balanceTable(site, entries, owned)}${note()}` };
}

function balanceTable(site: Site, rows: readonly OwnedEntryRow[], { tokenCount }: OwnedSummary): Html {
  const { coinDecimals, coinTicker } = site.network;
  const labels: TokenLabels = new Map<Id, OwnedEntryRow>(rows.map((row) => [row.currency, row]));
  const exact = ({ currency }: OwnedEntryRow, atoms: Atoms) =>
    exactAmount(atoms, currencyDecimals(site, labels, currency));
  const elsewhereOf = ({ amount, spendable, locked }: OwnedEntryRow) => amount - spendable - locked;
  const amounts = rows.flatMap((row) =>
    [row.spendable, row.locked, elsewhereOf(row), row.amount].map((atoms) => exact(row, atoms).decimal),
  );
  // The same in all columns: a row compares its amounts, too.
  const alike = { decimals: columnDecimals(amounts) };
  const hasTokens = tokenCount > 0;
  return table(rows, {
    caption: 'Balances',
    id: 'balances',
    columns: [
      column('Currency', (row) => html`${currencyUnit(site, labels, row.currency)} ${frozenBadge(freezingOf([row]))}`),
      amountColumn('Spendable', (row) => exact(row, row.spendable), alike),
      amountColumn('Locked', (row) => exact(row, row.locked), alike),
      amountColumn(
        'Staked, in orders or in HTLCs',
        (row) => (elsewhereOf(row) === 0n ? null : exact(row, elsewhereOf(row))),
        alike,
      ),
      inCard.top(amountColumn('Total', (row) => exact(row, row.amount), alike)),
      hasTokens &&
        amountColumn(say('{label}, {unit}', { label: textOf('Value'), unit: coinTicker }), (row) =>
          // Of the coin it is the total.
          row.coin_value === null || row.currency === COIN ? null : exactAmount(row.coin_value, coinDecimals),
        ),
      hasTokens &&
        inCard.off(column('Last trade', ({ traded_at }) => (traded_at === null ? DASH_HTML : timeHtml(traded_at)))),
    ],
    empty: say('This address has no {plural}.', { plural: textOf('balances') }),
  });
}
