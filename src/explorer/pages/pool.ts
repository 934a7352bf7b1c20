/** `/pool/{id}`, and the pages of its delegations and blocks. */

import { isYoungerThanMonth } from '../../answers/pool-figures.ts';
import { destinationAddress, parsePoolId, poolAddress, vrfKeyAddress } from '../../chain/address.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import type { Id } from '../../chain/types.ts';
import { lastQueryValue } from '../../serving/parse/parameters.ts';
import { type ListedBlockRow, POOL_BLOCK_LIST } from '../../store/queries/blocks/block-lists.ts';
import {
  type DelegationRow,
  listLargestDelegations,
  POOL_DELEGATION_LIST,
} from '../../store/queries/pools/delegations.ts';
import { getExpandedPool, type SinglePoolRow } from '../../store/queries/pools/pool-lists.ts';
import { getPool } from '../../store/queries/pools/pools.ts';
import {
  ALL_DAYS,
  POOL_DAY_LIST,
  type PoolDayEntryRow,
  REWARD_SHARE_LIST,
} from '../../store/queries/pools/staking-days.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext, type PageContent } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { pageNotFound } from '../page-error.ts';
import { coinAmount, coinColumn, countHtml } from '../parts/amount.ts';
import { downloadLinks } from '../parts/downloads.ts';
import { delegationLink, destinationLink, idHtml, shortId, thingPath, transactionLink } from '../parts/id-links.ts';
import { markNotice } from '../parts/operator-mark.ts';
import { fold, foldedList, knownCount, parseListPage, readListPage, type ShownPage } from '../parts/paging.ts';
import {
  aprHtml,
  decommissionBlock,
  delegationTable,
  expectedAprHtml,
  expectedAprOf,
  expectedBlocksHtml,
  hasNoForecast,
  isActivePool,
  keepsAll,
  marginHtml,
  marginText,
  newPoolBadge,
  noForecast,
  rewardForm,
  rewardsOfMore,
  stakeShareHtml,
  whyNoApr,
} from '../parts/pool.ts';
import { badge, banner, propertyList, tile, tiles } from '../parts/properties-and-badges.ts';
import { CHARTED_DAYS, dailyCoinsChart, poolDayTable } from '../parts/staking-days.ts';
import { column, inCard, table } from '../parts/table.ts';
import { listOfThing } from '../parts/thing-list-page.ts';
import { blockAndTime, dayOf } from '../parts/time.ts';
import { watchedHeading } from '../parts/watch-controls.ts';
import { pendingDecommission } from '../read/pending-transactions.ts';
import type { Site } from '../site.ts';
import { firstSecondOfDay, parseVisitorId, readTypedCoins, type TypedAmount } from '../visitor-input.ts';
import { newestFirst, say, verbatim, type Words } from '../words/catalogue.ts';
import { blockTable } from './blocks.ts';

/** The number of entries of each list on the page of a pool. */
const NEWEST = 10;
const NO_POOL = 'There is no pool with this id.';

const poolIn = (site: Site, text: string): Id => parseVisitorId(site.network, 'a pool', text, parsePoolId);

export function poolPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage({
    path: '/pool/:id',
    mayDependOnMempool: true,
    parse: ({ params, query }) => {
      const typed = readTypedCoins(site.network, lastQueryValue(query, 'coins'));
      return { id: poolIn(site, params.id!), typed };
    },
    read: async (store, { id }) => {
      const [pools, days, delegations, blocks] = await Promise.all([
        getExpandedPool(store, id),
        POOL_DAY_LIST.read(store, { id, days: ALL_DAYS, after: null, limit: CHARTED_DAYS }),
        listLargestDelegations(store, id, NEWEST + 1),
        POOL_BLOCK_LIST.read(store, { poolId: id, after: null, limit: NEWEST + 1 }),
      ]);
      const tip = requireSameTip(pools, days, delegations, blocks);
      const [stakePool] = pools.rows;
      const isActive = stakePool !== undefined && isActivePool(stakePool);
      const end = isActive ? await pendingDecommission(answers, tip, stakePool) : null;
      return {
        tip,
        stakePool,
        end: end?.txId,
        // Nothing is ever pending if there is no node.
        dependsOnMempool: isActive && answers.pending !== null,
        pool: end?.state,
        days: days.rows.filter((row) => POOL_DAY_LIST.isEntry(row)),
        delegations: delegations.rows,
        blocks: blocks.rows.filter((row) => POOL_BLOCK_LIST.isEntry(row)),
      };
    },
    render: ({ stakePool: pool, end, days, delegations, blocks }, { id, typed }) => {
      if (!pool) throw pageNotFound(NO_POOL);
      const isActive = isActivePool(pool);
      const address = poolAddress(site.network, id);
      const path = thingPath('pool', address);
      const said = { address, margin_ratio_per_thousand: marginText(pool.margin_ratio_per_thousand) };
      return {
        title: say('Pool {address}', { address: shortId(address) }),
        description: isActive
          ? say('The staking pool {address} is active on Mintlayer {network}: margin {margin_ratio_per_thousand}.', {
              ...said,
              network: site.network.name,
            })
          : say('The staking pool {address} is decommissioned: margin {margin_ratio_per_thousand}.', said),
        section: 'pools',
        canonical: path,
        isUnlisted: typed.text !== '',
        // What ends it concerns who may end it.
        ...(isActive && {
          live: `address=${destinationAddress(site.network, pool.decommission_destination)}` as const,
        }),
        ...(typed.problem !== null && { status: 400 }),
        api: [
          ...[`/pool/${address}?expand=true`, `/pool/${address}/history`],
          ...[`/pool/${address}/delegations`, `/pool/${address}/blocks`],
        ],
        body: html`${watchedHeading(site, 'pool', address, html`<h1 class="title">Pool ${isActive ? html`${badge('active', 'good')} ${newPoolBadge(pool)} ${end !== undefined && badge('decommissioning pending', 'warning')}` : badge('decommissioned', 'bad')}</h1>`)}<p class="title-id">${idHtml(address, { canCopy: true, hasIcon: true })}</p>${markNotice(site, address)}${
          end !== undefined &&
          banner(html`The pending transaction ${transactionLink(site, end)} decommissions this pool.`, 'warning')
        }${
          isActive ? poolTiles(site, pool) : endOfRewards(pool)
        }${isActive && yieldOf(site, pool, { path, typed })}${daysOf(site, id, path, days)}${foldedList(site, {
          title: 'Delegations',
          plural: 'delegations',
          path: `${path}/delegations`,
          length: delegations.length,
          count: html`${countHtml(pool.delegation_count)} with a balance`,
          table: delegationsOf(site, delegations.slice(0, NEWEST), 'Delegations of the pool, largest first'),
          isOpen: true,
        })}${foldedList(site, {
          title: 'Newest blocks',
          plural: 'blocks',
          count: countHtml(pool.blocks_total),
          path: `${path}/blocks`,
          length: blocks.length,
          table: blocksOf(site, blocks.slice(0, NEWEST)),
        })}${poolProperties(site, pool)}`,
      };
    },
  });
}

/** Says what the end of a pool means to delegators. */
const endOfRewards = ({ delegations_balance }: SinglePoolRow) =>
  banner(
    delegations_balance > 0n
      ? html`Delegators no longer earn anything: withdraw your coins.`
      : html`Delegators no longer earn anything.`,
    'warning',
  );

function poolTiles(site: Site, pool: SinglePoolRow): Html {
  const expected = expectedBlocksHtml(pool);
  const past = whyNoApr(pool) ?? (isYoungerThanMonth(pool) ? 'since it was created' : 'past result');
  return tiles([
    expectedAprOf(site, pool) !== null && tile('Expected APR', expectedAprHtml(site, pool), 'at today’s stakes'),
    !keepsAll(pool) && tile('APR (30 days)', aprHtml(pool), past),
    tile('Margin', marginText(pool.margin_ratio_per_thousand), 'kept by the owner'),
    tile(
      'Cost per block',
      coinAmount(site, pool.cost_per_block, { isRounded: true }),
      'taken by the owner before sharing',
    ),
    tile('Stake', coinAmount(site, pool.total_stake, { isRounded: true }), html`share: ${stakeShareHtml(pool)}`),
    tile(
      'Blocks (30 days)',
      countHtml(pool.blocks_month),
      isYoungerThanMonth(pool) ? html`of ${expected} expected since its creation` : html`of ${expected} expected`,
    ),
  ]);
}

function poolProperties(site: Site, pool: SinglePoolRow): Html {
  const { decommission_tx_id: end } = pool;
  const isActive = isActivePool(pool);
  const details = propertyList([
    !isActive && ['Margin', marginHtml(pool)],
    !isActive && ['Cost per block', coinAmount(site, pool.cost_per_block)],
    ['Owner’s stake', coinAmount(site, pool.staker_balance)],
    ['Delegated', coinAmount(site, pool.delegations_balance)],
    ['Delegations with a balance', countHtml(pool.delegation_count)],
    isActive && ['Effective stake', coinAmount(site, pool.effective_stake)],
    ['Total blocks', countHtml(pool.blocks_total)],
    isActive && ['Blocks (24 hours)', countHtml(pool.blocks_day)],
    ['Created', blockAndTime(site, pool.creation_height, pool.creation_timestamp)],
    end !== null && [
      'Decommissioned',
      html`${decommissionBlock(site, pool)}, by transaction ${transactionLink(site, end)}`,
    ],
    ['Decommission key', destinationLink(site, pool.decommission_destination)],
    ['VRF key', idHtml(vrfKeyAddress(site.network, pool.vrf_public_key), { isShort: true, canCopy: true })],
  ]);
  return fold('Details', details);
}

/** Renders what an amount of coins would have earned. */
function yieldOf(
  site: Site,
  pool: SinglePoolRow,
  { path, typed }: { readonly path: string; readonly typed: TypedAmount },
): Html {
  if (keepsAll(pool)) return banner(html`This pool keeps all rewards: delegators earn nothing.`, 'warning');
  const coins = typed.atoms;
  const rewards = coins === null ? null : rewardsOfMore(site, pool, coins);
  return html`<section id="yield"><div class="toolbar card">${hasNoForecast(site, pool) ? noForecast() : rewardForm(site, path, { typed })}<p><a href="${site.href('/pools', { pool: poolAddress(site.network, pool.pool_id), coins: typed.text || null }, '#ranking')}">Compare with another pool</a></p></div>${
    coins !== null &&
    rewards !== null &&
    html`${propertyList([
      ['Amount', coinAmount(site, coins)],
      ['Yearly reward', coinAmount(site, rewards.ofYear, { isRounded: true })],
      ['30-day reward', coinAmount(site, rewards.ofMonth, { isRounded: true })],
    ])}<p class="muted">Assumes that your coins are added to the pool’s stake, and that rewards are not compounded.</p>`
  }</section>`;
}

const noBlocks = () => html`<p class="empty">This pool has not made any blocks.</p>`;

function delegationsOf(site: Site, rows: readonly DelegationRow[], caption: Words): Html {
  return delegationTable(site, rows, {
    caption,
    hasPool: false,
    empty: 'This pool has no delegations.',
  });
}

function blocksOf(site: Site, rows: readonly ListedBlockRow[]): Html {
  return rows.length === 0 ? noBlocks() : blockTable(site, rows, newestFirst('Blocks'), { hasPool: false });
}

function daysOf(site: Site, id: Id, path: string, days: readonly PoolDayEntryRow[]): Html {
  const values = poolDayTable(site, id, days.slice(0, NEWEST));
  const chart = dailyCoinsChart(site, days, {
    title: say('Rewards of delegations by day in {unit}', { unit: site.network.coinTicker }),
    description: (from, to) =>
      say('What the pool paid to its delegations on each UTC day from {from} to {to}.', { from, to }),
    coinsOf: ({ delegation_rewards }) => delegation_rewards,
    values,
  });
  return foldedList(site, {
    title: 'Rewards by day',
    plural: 'days',
    path: `${path}/days`,
    length: days.length,
    count: knownCount(days, NEWEST),
    table: chart ?? values,
    isOpen: true,
  });
}

/** `/pool/{id}/days`: what a pool made and had by day. */
export function poolDaysPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/pool/:id/days',
    parse: ({ params, query }) => {
      const id = poolIn(site, params.id!);
      return { id, page: parseListPage(query, POOL_DAY_LIST, { id, days: ALL_DAYS }) };
    },
    read: (store, { id, page }) => readListPage(store, POOL_DAY_LIST, page, { id, days: ALL_DAYS }),
    render: (shown, { id }) => {
      if (shown.rows.length === 0) throw pageNotFound(NO_POOL);
      const address = poolAddress(site.network, id);
      return listOfPool(site, id, shown, {
        name: 'days',
        title: 'Rewards by day',
        list: poolDayTable(site, id, shown.entries),
        api: `/pool/${address}/history`,
        after: downloadLinks(site, `/pool/${address}/history`),
      });
    },
  });
}

/** `/pool/{id}/days/{day}`: how a day's rewards were split. */
export function poolDayPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/pool/:id/days/:day',
    parse: ({ params, query }) => {
      const poolId = poolIn(site, params.id!);
      const seconds = firstSecondOfDay(params.day!);
      const day = seconds / DAY_SECONDS;
      return { poolId, day, seconds, page: parseListPage(query, REWARD_SHARE_LIST, { poolId, day }) };
    },
    read: async (store, { poolId, day, page }) => {
      const [shares, days] = await Promise.all([
        readListPage(store, REWARD_SHARE_LIST, page, { poolId, day }),
        POOL_DAY_LIST.read(store, { id: poolId, days: { since: day, below: day + 1 }, after: null, limit: 1 }),
      ]);
      return { tip: requireSameTip(shares, days), shares, days: days.rows };
    },
    render: ({ shares, days }, { poolId, day, seconds }) => {
      if (days.length === 0) throw pageNotFound(NO_POOL);
      const address = poolAddress(site.network, poolId);
      const [row] = days.filter((each) => POOL_DAY_LIST.isEntry(each));
      const api = `/pool/${address}/history/${seconds}/delegations`;
      const split = table(shares.entries, {
        caption: 'Rewards of the day by delegation',
        id: 'shares',
        columns: [
          column('Delegation', ({ delegation_id }) => delegationLink(site, delegation_id)),
          column('Owner', ({ spend_destination }) => destinationLink(site, spend_destination)),
          coinColumn(site, 'Balance at the end', ({ balance }) => balance),
          inCard.namedTop(coinColumn(site, 'Rewards', ({ rewards }) => rewards)),
        ],
        empty: 'No delegation of the pool earned anything on this day.',
      });
      const facts =
        row !== undefined &&
        tiles([
          tile('Blocks', countHtml(row.blocks)),
          tile('Rewards of the staker', coinAmount(site, row.staker_rewards, { isRounded: true })),
          tile('Rewards of delegations', coinAmount(site, row.delegation_rewards, { isRounded: true })),
          tile('Delegated', coinAmount(site, row.delegations_balance, { isRounded: true }), 'at the end of the day'),
        ]);
      return listOfPool(site, poolId, shares, {
        name: `days/${dayOf(day)}`,
        title: verbatim(dayOf(day)),
        list: html`${facts}${split}`,
        api,
        after: downloadLinks(site, api),
      });
    },
  });
}

/** `/pool/{id}/delegations`: the delegations of a pool. */
export function poolDelegationsPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/pool/:id/delegations',
    parse: ({ params, query }) => {
      const id = poolIn(site, params.id!);
      return { id, page: parseListPage(query, POOL_DELEGATION_LIST, { poolId: id }) };
    },
    read: async (store, { id, page }) => {
      const [pool, list] = await Promise.all([
        getPool(store, id),
        readListPage(store, POOL_DELEGATION_LIST, page, { poolId: id }),
      ]);
      return { tip: requireSameTip(pool, list), exists: pool.rows.length > 0, shown: list };
    },
    render: ({ exists, shown }, { id }) => {
      if (!exists) throw pageNotFound(NO_POOL);
      return listOfPool(site, id, shown, {
        name: 'delegations',
        title: 'Delegations',
        list: delegationsOf(site, shown.entries, 'Delegations of the pool, by id'),
      });
    },
  });
}

/** `/pool/{id}/blocks`: the blocks of a pool. */
export function poolBlocksPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/pool/:id/blocks',
    parse: ({ params, query }) => {
      const id = poolIn(site, params.id!);
      return { id, page: parseListPage(query, POOL_BLOCK_LIST, { poolId: id }) };
    },
    read: (store, { id, page }) => readListPage(store, POOL_BLOCK_LIST, page, { poolId: id }),
    render: (shown, { id }) => {
      if (shown.rows.length === 0) throw pageNotFound(NO_POOL);
      return listOfPool(site, id, shown, { name: 'blocks', title: 'Blocks', list: blocksOf(site, shown.entries) });
    },
  });
}

/** `api`: the path of the API; that of the list with the name by default. */
function listOfPool(
  site: Site,
  id: Id,
  shown: ShownPage<unknown>,
  {
    api,
    ...list
  }: Pick<Parameters<typeof listOfThing>[1], 'name' | 'title' | 'list' | 'after'> & { readonly api?: string },
): PageContent {
  const address = poolAddress(site.network, id);
  const path = `/pool/${address}/${list.name}?cursor=`;
  return listOfThing(site, { ...list, kind: 'pool', id: address, section: 'pools', shown, api: api ?? path });
}
