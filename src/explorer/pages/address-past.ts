/** `/address/{address}/past`: the coins of an address by day, and what it had after any block. */

import type { TokenLabels } from '../../answers/token-label.ts';
import { destinationAddress } from '../../chain/address.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import { COIN } from '../../chain/currency.ts';
import { MAX_HEIGHT } from '../../chain/networks/network.ts';
import type { Destination } from '../../chain/types.ts';
import { lastQueryValue, parseBlockHeight } from '../../serving/parse/parameters.ts';
import { BALANCE_DAY_LIST } from '../../store/queries/addresses/balance-series.ts';
import { type BalanceAtRow, listBalancesAt } from '../../store/queries/addresses/balances-at-height.ts';
import { type ChainPoint, sqlParametersOfPoint, WHOLE_CHAIN } from '../../store/queries/blocks/chain-points.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { badInput } from '../page-error.ts';
import { amountColumn, coinAmount, exactAmount } from '../parts/amount.ts';
import { BALANCE_CHART_DAYS, balanceChart, balanceDayTable } from '../parts/balance-chart.ts';
import { currencyDecimals, currencyUnit, sortedByName } from '../parts/currency-names.ts';
import { shortId, thingPath, wholeIdLink } from '../parts/id-links.ts';
import { banner, propertyList } from '../parts/properties-and-badges.ts';
import { column, inCard, table } from '../parts/table.ts';
import { blockAndTime } from '../parts/time.ts';
import type { Site } from '../site.ts';
import { firstSecondOfDay, parseAddressInput } from '../visitor-input.ts';
import { say, textOf } from '../words/catalogue.ts';

interface PastParams {
  readonly owner: Destination;
  /** The block to show; null for none. */
  readonly point: ChainPoint | null;
  /** The texts of the forms. */
  readonly height: string;
  readonly day: string;
}

interface PastData {
  readonly site: Site;
  readonly path: string;
  readonly tip: SnapshotTip;
}

export function addressPastPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage({
    path: '/address/:address/past',
    parse: ({ params, query }): PastParams => {
      const owner = parseAddressInput(site.network, params.address!);
      const [height, day] = ['height', 'day'].map((name) => lastQueryValue(query, name) ?? '');
      return { owner, point: pointOf(height!, day!), height: height!, day: day! };
    },
    read: async (store, { owner, point }) => {
      const selection = { owner, currency: COIN, range: WHOLE_CHAIN };
      const [days, at] = await Promise.all([
        BALANCE_DAY_LIST.read(store, { ...selection, after: null, limit: BALANCE_CHART_DAYS }),
        point === null ? null : listBalancesAt(store, owner, ...sqlParametersOfPoint(point)),
      ]);
      return { tip: at === null ? days.tip : requireSameTip(days, at), days: days.rows, at: at?.rows ?? null };
    },
    render: ({ days, at, tip }, params) => {
      const address = destinationAddress(site.network, params.owner);
      const path = `${thingPath('address', address)}/past`;
      const isFuture = params.day !== '' && firstSecondOfDay(params.day) > answers.tipWatch.tip!.timestamp;
      const rows = isFuture ? [] : at;
      const isUnknown = rows?.length === 0;
      const data: PastData = { site, path, tip };
      return {
        title: say('{title} of {address}', { title: textOf('Balance by day'), address: shortId(address) }),
        canonical: path,
        isUnlisted: params.point !== null,
        ...(isUnknown && { status: 404 }),
        api: [
          `/address/${address}/balance-series`,
          ...(rows?.[0] === undefined ? [] : [`/address/${address}?height=${rows[0].height}`]),
        ],
        body: html`<h1>Balance by day</h1><p class="title-id">${wholeIdLink(site, 'address', address)}</p>${asOf(data, params, rows)}${days.length === 0 ? html`<p class="empty">This address has never had ${site.network.coinTicker}.</p>` : html`${balanceChart(site, address, days, balanceDayTable(site, days))}<p class="muted">The chart leaves out coins in delegations, pools, orders and HTLCs.</p>`}`,
      };
    },
  });
}

function pointOf(height: string, day: string): ChainPoint | null {
  if (height !== '' && day !== '') throw badInput('Choose a day or a block, not both.');
  if (height !== '') return { height: parseBlockHeight(height) ?? MAX_HEIGHT };
  return day === '' ? null : { time: BigInt(firstSecondOfDay(day) + DAY_SECONDS - 1) };
}

function asOf({ site, path, tip }: PastData, { height, day }: PastParams, rows: readonly BalanceAtRow[] | null): Html {
  const isNewest = day !== '' && rows?.[0]?.height === tip.height;
  const action = site.href(path);
  const forms = html`<form class="filter" method="get" action="${action}"><label>At the end of the day (UTC) <input type="date" name="day" value="${day}"></label><label>or after block <input name="height" inputmode="numeric" pattern="[0-9]*" maxlength="10" value="${height}"></label><button type="submit">Show</button></form>`;
  return html`<section><h2>Look up a past balance</h2>${forms}${isNewest && html`<p class="muted">No block is after this day yet: these are the newest balances.</p>`}${rows !== null && (rows.length === 0 ? banner(html`The chain has no block at this height or on this day.`, 'bad') : balancesAt(site, rows))}</section>`;
}

function balancesAt(site: Site, rows: readonly BalanceAtRow[]): Html {
  const { height, timestamp, staked_height, pools, delegations } = rows[0]!;
  const owned = rows.flatMap(({ currency, balance, ...row }) =>
    currency !== null && balance !== null && balance > 0n ? [{ ...row, currency, balance }] : [],
  );
  const labels: TokenLabels = new Map(owned.map((row) => [row.currency, row]));
  const held = sortedByName(site, labels, owned);
  const exact = (currency: string, atoms: bigint) => exactAmount(atoms, currencyDecimals(site, labels, currency));
  const balances = table(held, {
    caption: 'Balances at that time',
    id: 'balances-then',
    columns: [
      column('Currency', ({ currency }) => currencyUnit(site, labels, currency)),
      amountColumn('Spendable', ({ currency, balance, locked }) => exact(currency, balance - locked!)),
      amountColumn('Locked', ({ currency, locked }) => exact(currency, locked!)),
      inCard.top(amountColumn('On the address', ({ currency, balance }) => exact(currency, balance))),
    ],
    empty: 'Nothing was on the address at that time.',
  });
  const coins = held.find(({ currency }) => currency === COIN)?.balance ?? 0n;
  const staked =
    staked_height !== null &&
    propertyList([
      ['Including staked coins', coinAmount(site, coins + pools + delegations, { isRounded: true })],
      ['On the address', coinAmount(site, coins, { isRounded: true })],
      ['In pools', coinAmount(site, pools, { isRounded: true })],
      ['In delegations', coinAmount(site, delegations, { isRounded: true })],
    ]);
  return html`<p>Balance after ${blockAndTime(site, height, timestamp, 'absolute')}:</p>${staked}${balances}`;
}
