/** `/delegation/{id}`: a delegation, its deposits and withdrawals, its rewards by day, and its pool; and a page of each list. */

import { delegationAddress, parseDelegationId } from '../../chain/address.ts';
import {
  DELEGATION_MOVE_LIST,
  type DelegationMoveEntryRow,
  getDelegation,
} from '../../store/queries/pools/delegations.ts';
import { getExpandedPool } from '../../store/queries/pools/pool-lists.ts';
import {
  ALL_DAYS,
  DELEGATION_DAY_LIST,
  type DelegationDayEntryRow,
  type DelegationDayRow,
} from '../../store/queries/pools/staking-days.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { pageNotFound } from '../page-error.ts';
import { coinAmount, coinColumn } from '../parts/amount.ts';
import { downloadLinks } from '../parts/downloads.ts';
import {
  destinationLink,
  heightLink,
  idHtml,
  poolLink,
  shortId,
  thingPath,
  transactionLink,
} from '../parts/id-links.ts';
import { foldedList, knownCount, parseListPage, readListPage } from '../parts/paging.ts';
import {
  aprHtml,
  decommissionBlock,
  expectedAprHtml,
  expectedAprOf,
  expectedRewards,
  isActivePool,
  marginHtml,
} from '../parts/pool.ts';
import { badge, propertyList, tile, tiles } from '../parts/properties-and-badges.ts';
import { CHARTED_DAYS, dailyCoinsChart, delegationDayTable } from '../parts/staking-days.ts';
import { column, inCard, numberColumn, table } from '../parts/table.ts';
import { listOfThing } from '../parts/thing-list-page.ts';
import { timeHtml } from '../parts/time.ts';
import { watchedHeading } from '../parts/watch-controls.ts';
import type { Site } from '../site.ts';
import { parseVisitorId } from '../visitor-input.ts';
import { newestFirst, say } from '../words/catalogue.ts';

/** The number of deposits and withdrawals on the page of a delegation. */
const NEWEST_MOVES = 10;

export function delegationPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/delegation/:id',
    parse: ({ params }) => parseVisitorId(site.network, 'a delegation', params.id!, parseDelegationId),
    read: async (store, id) => {
      const found = await getDelegation(store, id);
      const [delegation] = found.rows;
      if (delegation === undefined) return { tip: found.tip, delegation };
      const [pools, days, moves] = await Promise.all([
        getExpandedPool(store, delegation.pool_id),
        DELEGATION_DAY_LIST.read(store, { id, days: ALL_DAYS, after: null, limit: CHARTED_DAYS + 1 }),
        DELEGATION_MOVE_LIST.read(store, { id, after: null, limit: NEWEST_MOVES + 1 }),
      ]);
      return {
        tip: requireSameTip(found, pools, days, moves),
        delegation,
        days: days.rows,
        moves: moves.rows.filter((row) => DELEGATION_MOVE_LIST.isEntry(row)),
        stakePool: pools.rows[0]!,
      };
    },
    render: (data, id) => {
      const { delegation } = data;
      if (delegation === undefined) throw pageNotFound('There is no delegation with this id.');
      const { stakePool: pool, days, moves } = data;
      const isActive = isActivePool(pool);
      const sums = days[0]!;
      const address = delegationAddress(site.network, id);
      const rewards = isActive ? expectedRewards(expectedAprOf(site, pool), delegation.balance) : null;
      return {
        title: say('Delegation {address}', { address: shortId(address) }),
        description: say('The delegation {address} on Mintlayer {network}: balance, owner, and the APR of its pool.', {
          address,
          network: site.network.name,
        }),
        section: 'pools',
        canonical: thingPath('delegation', address),
        api: [`/delegation/${address}`, `/delegation/${address}/transactions`, `/delegation/${address}/history`],
        body: html`${watchedHeading(site, 'delegation', address, html`<h1>Delegation</h1>`)}<p class="title-id">${idHtml(address, { canCopy: true })}</p>${tiles(
          [
            tile('Balance', coinAmount(site, delegation.balance, { isRounded: true }), 'including rewards'),
            tile('Rewards', coinAmount(site, sums.all_rewards, { isRounded: true }), 'since it was created'),
            rewards !== null && delegation.balance > 0n
              ? tile(
                  'Estimated yearly reward',
                  coinAmount(site, rewards.ofYear, { isRounded: true }),
                  html`at the expected APR of ${expectedAprHtml(site, pool)}`,
                )
              : null,
          ],
        )}${propertyList([
          ['Owner', destinationLink(site, delegation.spend_destination)],
          ['Created', html`block ${heightLink(site, delegation.creation_height)}`],
          ['Deposited', coinAmount(site, sums.all_deposited, { isRounded: true })],
          ['Withdrawn', coinAmount(site, sums.all_withdrawn, { isRounded: true })],
          ['Pool', html`${poolLink(site, delegation.pool_id)} ${!isActive && badge('decommissioned', 'bad')}`],
          isActive ? ['APR (30 days)', aprHtml(pool)] : ['Decommissioned', decommissionBlock(site, pool)],
          ['Margin', marginHtml(pool)],
          ['Cost per block', coinAmount(site, pool.cost_per_block, { isRounded: true })],
        ])}${foldedList(site, {
          title: 'Deposits and withdrawals',
          plural: 'deposits and withdrawals',
          path: `${thingPath('delegation', address)}/transactions`,
          length: moves.length,
          count: knownCount(moves, NEWEST_MOVES),
          isOpen: true,
          table: moveTable(site, moves.slice(0, NEWEST_MOVES)),
        })}${rewardsByDay(site, address, days)}`,
      };
    },
  });
}

const isDay = (row: DelegationDayRow): row is DelegationDayEntryRow => DELEGATION_DAY_LIST.isEntry(row);

function rewardsByDay(site: Site, address: string, rows: readonly DelegationDayRow[]): Html {
  const days = rows.filter(isDay);
  const shown = days.slice(0, CHARTED_DAYS);
  const values = delegationDayTable(site, shown);
  const chart = dailyCoinsChart(site, shown, {
    title: say('Rewards by day in {unit}', { unit: site.network.coinTicker }),
    description: (from, to) => say('What the delegation earned on each UTC day from {from} to {to}.', { from, to }),
    coinsOf: ({ rewards }) => rewards,
    values,
  });
  const path = `${thingPath('delegation', address)}/days`;
  return html`<section aria-labelledby="rewards"><div class="heading"><h2 id="rewards">Rewards by day</h2><a href="${site.href(path)}">All days</a></div>${chart ?? values}${downloadLinks(site, `/delegation/${address}/history`)}</section>`;
}

/** `/delegation/{id}/days`: all days of a delegation. */
export function delegationDaysPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/delegation/:id/days',
    parse: ({ params, query }) => {
      const id = parseVisitorId(site.network, 'a delegation', params.id!, parseDelegationId);
      return { id, page: parseListPage(query, DELEGATION_DAY_LIST, { id, days: ALL_DAYS }) };
    },
    read: (store, { id, page }) => readListPage(store, DELEGATION_DAY_LIST, page, { id, days: ALL_DAYS }),
    render: (shown, { id }) => {
      if (shown.rows.length === 0) throw pageNotFound('There is no delegation with this id.');
      const address = delegationAddress(site.network, id);
      const api = `/delegation/${address}/history`;
      return listOfThing(site, {
        kind: 'delegation',
        id: address,
        section: 'pools',
        ...{ name: 'days', title: 'Rewards by day', shown, api },
        list: delegationDayTable(site, shown.entries),
        after: downloadLinks(site, api),
      });
    },
  });
}

function moveTable(site: Site, moves: readonly DelegationMoveEntryRow[]): Html {
  return table(moves, {
    caption: newestFirst('Deposits and withdrawals'),
    id: 'moves',
    columns: [
      column('Transaction', ({ tx_id }) => transactionLink(site, tx_id)),
      coinColumn(site, 'Deposited', ({ deposited }) => deposited || null),
      coinColumn(site, 'Withdrawn', ({ withdrawn }) => withdrawn || null),
      numberColumn('Block', ({ height }) => heightLink(site, height)),
      inCard.top(column('Time', ({ timestamp }) => timeHtml(timestamp))),
    ],
    empty: 'Nothing was ever deposited.',
  });
}

/** `/delegation/{id}/transactions`: all deposits and withdrawals of a delegation. */
export function delegationTransactionsPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/delegation/:id/transactions',
    parse: ({ params, query }) => {
      const id = parseVisitorId(site.network, 'a delegation', params.id!, parseDelegationId);
      return { id, page: parseListPage(query, DELEGATION_MOVE_LIST, { id }) };
    },
    read: (store, { id, page }) => readListPage(store, DELEGATION_MOVE_LIST, page, { id }),
    render: (shown, { id }) => {
      if (shown.rows.length === 0) throw pageNotFound('There is no delegation with this id.');
      const address = delegationAddress(site.network, id);
      const api = `/delegation/${address}/transactions`;
      const list = moveTable(site, shown.entries);
      return listOfThing(site, {
        kind: 'delegation',
        id: address,
        section: 'pools',
        name: 'transactions',
        title: 'Deposits and withdrawals',
        shown,
        api,
        list,
      });
    },
  });
}
