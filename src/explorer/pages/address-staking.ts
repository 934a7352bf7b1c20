/** `/address/{address}/staking`: what the pools and delegations of an address earned by day, and downloads of it. */
import { parseDayRange } from '../../api/parse/days.ts';
import { destinationAddress, parseDestination } from '../../chain/address.ts';
import { INCOME_LIST } from '../../store/queries/staking-income.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { html } from '../html.ts';
import { coinAmount, coinColumn } from '../parts/amount.ts';
import { downloadLinks, parsePeriod, periodForm, periodPath, periodQuery, periodText } from '../parts/downloads.ts';
import { delegationLink, entityPath, poolLink, shortId, wholeIdLink } from '../parts/id-links.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { tile, tiles } from '../parts/properties-and-badges.ts';
import { dayOf } from '../parts/staking-days.ts';
import { column, table } from '../parts/table.ts';
import { parseVisitorId } from '../read/visitor-input.ts';

export function addressStakingPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/address/:address/staking',
    parse: ({ params, query }) => {
      const owner = parseVisitorId(site.network, 'a wallet', params.address!, parseDestination);
      const period = parsePeriod(query);
      const selection = { owners: [owner], days: parseDayRange(periodQuery(period)) };
      return { owner, period, selection, page: parseListPage(query, INCOME_LIST, selection) };
    },
    read: (store, { selection, page }) => readListPage(store, INCOME_LIST, page, selection),
    render: (shown, { owner, period }) => {
      const address = destinationAddress(site.network, owner);
      const path = `${entityPath('address', address)}/staking`;
      const { all_of_pools: pools, all_of_delegations: delegations } = shown.rows[0]!;
      const list = table(shown.entries, {
        caption: 'Staking income by day, newest first',
        id: 'income',
        columns: [
          column('Day (UTC)', ({ day }) => dayOf(day)),
          column('Pool or delegation', ({ is_pool, stake_id }) =>
            is_pool ? html`pool ${poolLink(site, stake_id)}` : html`delegation ${delegationLink(site, stake_id)}`,
          ),
          coinColumn(site, 'Rewards', ({ rewards }) => rewards),
        ],
        empty: 'This address has no pool and no delegation that changed in this period.',
      });
      const api = `/address/${address}/staking`;
      const query = { from: period.from || undefined, to: period.to || undefined };
      return {
        title: `Staking income of ${shortId(address)}`,
        description: `What the pools and delegations of the address ${address} earned by day on Mintlayer ${site.network.name}.`,
        canonical: path,
        isUnlisted: !shown.isFirst || period.from !== '' || period.to !== '',
        api: [periodPath(api, period)],
        body: html`<h1>Staking income of an address</h1><p class="title-id">${wholeIdLink(site, 'address', address)}</p>${periodForm(site, path, period)}<p>${periodText(period)}</p>${tiles(
          [
            tile('Rewards', coinAmount(site, pools + delegations, { isCut: true }), 'of the period'),
            tile('Of pools', coinAmount(site, pools, { isCut: true }), 'that it may decommission'),
            tile('Of delegations', coinAmount(site, delegations, { isCut: true }), 'that it may withdraw from'),
          ],
        )}${list}${pagingLinks(site, path, shown, { query })}${downloadLinks(site, api, periodQuery(period))}`,
      };
    },
  });
}
