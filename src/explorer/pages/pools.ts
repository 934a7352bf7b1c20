/** `/pools`: the active pools in any order, with what an amount of coins would have earned in each. */

import { parsePoolId, poolAddress } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import { lastQueryValue } from '../../serving/parse/parameters.ts';
import {
  EXPANDED_POOL_LISTS,
  type ExpandedPoolRow,
  POOL_SORTS,
  type PoolSort,
} from '../../store/queries/pools/pool-lists.ts';
import { getStatistics } from '../../store/queries/tokens/currency-statistics.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { coinAmount } from '../parts/amount.ts';
import { partsOfWholeBar } from '../parts/chart.ts';
import { poolLink } from '../parts/id-links.ts';
import { percentage } from '../parts/number.ts';
import { fold, pagingLinks, parseListPage, parseSort, readListPage } from '../parts/paging.ts';
import {
  aboutPools,
  hasNoForecast,
  isYoungPool,
  noForecast,
  pickBox,
  poolTable,
  rewardForm,
  stakeShareHtml,
} from '../parts/pool.ts';
import type { TableOrder } from '../parts/table.ts';
import type { Site } from '../site.ts';
import { parseVisitorId, readTypedCoins } from '../visitor-input.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

const DEFAULT_SORT: PoolSort = 'by_apr_expected';
/** The number of pools in the chart. */
const LARGEST = 10;

export function poolsPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/pools',
    parse: ({ query }) => {
      const sort = parseSort(
        query,
        POOL_SORTS,
        DEFAULT_SORT,
        say('Pools are sorted {sorts}.', { sorts: POOL_SORTS.join(', ') }),
      );
      const typed = readTypedCoins(site.network, lastQueryValue(query, 'coins'));
      const page = parseListPage(query, EXPANDED_POOL_LISTS[sort], {});
      const pool = lastQueryValue(query, 'pool');
      const picked = pool === undefined ? null : parseVisitorId(site.network, 'a pool', pool, parsePoolId);
      return { sort, typed, page, picked };
    },
    read: async (store, { sort, page }) => {
      const isFirst = page.after === null;
      // The ranking usually begins with the largest pools: then they need no second query.
      const hasLargest = sort === 'by_stake' && page.limit >= LARGEST;
      const [list, largest, statistics] = await Promise.all([
        readListPage(store, EXPANDED_POOL_LISTS[sort], page, {}),
        isFirst && !hasLargest ? EXPANDED_POOL_LISTS.by_stake.read(store, { after: null, limit: LARGEST + 1 }) : null,
        getStatistics(store, COIN),
      ]);
      const tip = requireSameTip(list, statistics, largest ?? list);
      const first = isFirst ? (largest ?? list).rows.slice(0, LARGEST + 1) : null;
      return { tip, shown: list, largest: first, statistics: statistics.rows[0]! };
    },
    render: ({ shown, largest, statistics }, { sort, typed, picked }) => {
      const { isFirst } = shown;
      const coins = typed.atoms;
      const query = {
        sort: sort === DEFAULT_SORT ? undefined : sort,
        coins: coins === null ? undefined : typed.text,
        pool: picked === null ? undefined : poolAddress(site.network, picked),
      };
      const order: TableOrder<PoolSort> = {
        sort,
        direction: sort === 'by_margin' ? 'ascending' : 'descending',
        link: (to) => site.href('/pools', { ...query, sort: to === DEFAULT_SORT ? undefined : to }),
      };
      const { staked, circulating_supply } = statistics;
      // Of the pools of a page those come first that have shown what they do.
      const ranked = shown.entries.toSorted((a, b) => Number(isYoungPool(a)) - Number(isYoungPool(b)));
      const ranking = poolTable(site, sort === DEFAULT_SORT ? ranked : shown.entries, {
        caption: say('Active pools, {sort}', { sort: textOf(SORT_WORDS[sort]) }),
        order,
        coins,
        picked,
      });
      return {
        title: 'Pools',
        description: say(
          'The staking pools of Mintlayer {network}: stake, margin, blocks, APR; {circulating_supply} of the supply is staked.',
          { network: site.network.name, circulating_supply: percentage(staked, circulating_supply) },
        ),
        section: 'pools',
        canonical: '/pools',
        isUnlisted: !isFirst || typed.text !== '' || picked !== null || sort !== DEFAULT_SORT,
        api: [`/pool?sort=${sort}&expand=true`, '/statistics/coin'],
        body: html`<h1>Pools</h1><div class="toolbar">${
          isFirst &&
          html`<p class="lead">Staked: ${coinAmount(site, staked, { isRounded: 'inline' })}, ${percentage(staked, circulating_supply)} of the circulating supply</p>`
        }${
          shown.entries.some((pool) => hasNoForecast(site, pool))
            ? noForecast()
            : rewardForm(site, '/pools', { typed, kept: { sort: query.sort, pool: query.pool } })
        }</div><div class="ranking" id="ranking">${ranking}<div class="toolbar"><form id="compare" method="get" action="${site.href('/pools/compare')}">${
          coins !== null && html`<input type="hidden" name="coins" value="${typed.text}">`
        }${
          picked !== null &&
          shown.entries.every(({ pool_id }) => pool_id !== picked) &&
          html`${pickBox(site, picked, true)}${poolLink(site, picked)} `
        }<button type="submit">Compare selected pools</button></form></div>${aboutPools(shown.entries, coins)}</div>${pagingLinks(
          site,
          '/pools',
          shown,
          { query, anchor: 'ranking' },
        )}${largest !== null && largestPools(site, largest)}`,
        ...(typed.problem !== null && { status: 400 }),
      };
    },
  });
}

const SORT_WORDS: Readonly<Record<PoolSort, Words>> = {
  by_height: 'newest first',
  by_pledge: 'largest owner’s stake first',
  by_stake: 'largest stake first',
  by_blocks: 'most blocks (30 days) first',
  by_margin: 'lowest margin first',
  by_apy: 'highest APR (30 days) first',
  by_apr_expected: 'highest expected APR first, pools under a day old last',
};

/** Renders a fold with the shares of the largest pools: a bar, and their list. */
function largestPools(site: Site, rows: readonly ExpandedPoolRow[]): Html | null {
  if (rows.length === 0) return null;
  const pools = rows.slice(0, LARGEST);
  const all = pools[0]!.all_effective_stake;
  const together = pools.reduce((sum, { effective_stake }) => sum + effective_stake, 0n);
  const hasOthers = rows.length > LARGEST;
  const title = 'Stake share of the ten largest pools';
  const stakes = pools.map(({ effective_stake: stake }) => stake);
  const shares = pools.map((pool) => html`<li>${poolLink(site, pool.pool_id)} ${stakeShareHtml(pool)}</li>`);
  const others = hasOthers && html`<li class="muted">all others ${percentage(all - together, all)}</li>`;
  const bar = partsOfWholeBar(textOf(title), stakes, all);
  return fold(title, html`<div>${bar}</div><ol class="shares">${shares}${others}</ol>`, {
    count: hasOthers ? html`${percentage(together, all)}` : undefined,
  });
}
