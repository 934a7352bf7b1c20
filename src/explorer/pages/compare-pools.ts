/** `/pools/compare`: figures of a few active pools beside each other, the best ones marked. */

import { parsePoolId, poolAddress } from '../../chain/address.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import { ApiError } from '../../serving/errors/api-error.ts';
import { lastQueryValue, type UrlQuery } from '../../serving/parse/parameters.ts';
import { type ExpandedPoolRow, getExpandedPool, type SinglePoolRow } from '../../store/queries/pools/pool-lists.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html, wordsHtml } from '../html.ts';
import { amountHtml, countHtml, exactAmount } from '../parts/amount.ts';
import { chainText } from '../parts/chain-text.ts';
import { idHtml, poolLink } from '../parts/id-links.ts';
import { markNotice } from '../parts/operator-mark.ts';
import {
  aboutPools,
  aprHtml,
  blocksColumn,
  decommissionBlock,
  expectedAprHtml,
  expectedAprOf,
  hasNoForecast,
  isActivePool,
  isYoungPool,
  marginText,
  noForecast,
  poolBadge,
  rewardsOfMore,
  stakeShareHtml,
  yearlyRewardColumn,
} from '../parts/pool.ts';
import { badge, banner } from '../parts/properties-and-badges.ts';
import { type Column, numberColumn } from '../parts/table.ts';
import { timeHtml } from '../parts/time.ts';
import type { Site } from '../site.ts';
import { parseVisitorId, readTypedCoins, type TypedAmount } from '../visitor-input.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

/** More columns fit on no screen. */
const MOST_POOLS = 4;

export function comparePoolsPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage({
    path: '/pools/compare',
    parse: ({ query }) => {
      const typed = readTypedCoins(site.network, lastQueryValue(query, 'coins'));
      return { ...poolsIn(site, query), typed };
    },
    read: async (store, { ids }) => {
      const [first, ...others] = await Promise.all(ids.map((id) => getExpandedPool(store, id)));
      if (first === undefined) return { tip: answers.tipWatch.tip, found: [] };
      return { tip: requireSameTip(first, ...others), found: [first, ...others].flatMap(({ rows }) => rows) };
    },
    render: ({ found }, { ids, texts, mistyped, typed }) => {
      const pools = found.filter(isActivePool);
      return {
        title: 'Compare pools',
        section: 'pools',
        canonical: '/pools/compare',
        isUnlisted: ids.length > 0,
        api: ['/pool?sort=by_apy&expand=true', ...ids.map((id) => `/pool/${poolAddress(site.network, id)}`)],
        ...((typed.problem !== null || (mistyped.length > 0 && pools.length === 0)) && { status: 400 }),
        body: html`<h1>Compare pools</h1>${
          texts.length > MOST_POOLS && banner(html`Only the first four pools are compared.`, 'warning')
        }${mistyped.map(({ text, problem }) => banner(html`${chainText(text, { most: 80 })}: ${problem.replace(/\.?$/, '.')}`, 'warning'))}${ids.map(
          (id) =>
            absence(
              site,
              id,
              found.find(({ pool_id }) => pool_id === id),
            ),
        )}${ids.map((id) => markOf(site, id))}${
          pools.length > 0 &&
          html`${comparison(site, pools, typed)}${pools.some((pool) => hasNoForecast(site, pool)) && noForecast()}`
        }${pools.length > 0 && aboutPools(pools, typed.atoms)}${pools.length < 2 && html`<p><a href="${site.href('/pools', { pool: pools[0] && poolAddress(site.network, pools[0].pool_id), coins: typed.text || null }, '#ranking')}">Choose from the list of pools</a></p>`}${compareForm(site, texts, typed)}`,
      };
    },
  });
}

/** A text that is no pool's id, and why. */
interface Mistyped {
  readonly text: string;
  readonly problem: string;
}

/** The pools of all parameters `pool`, each once; several may be in one, with spaces or commas between them. */
function poolsIn(site: Site, { pool = [] }: UrlQuery) {
  const all = [pool].flat().flatMap((text) => text.split(/[\s,]+/).filter((each) => each !== ''));
  const texts = [...new Set(all)];
  const ids = new Set<Id>();
  const mistyped: Mistyped[] = [];
  for (const text of texts.slice(0, MOST_POOLS)) {
    try {
      ids.add(parseVisitorId(site.network, 'a pool', text, parsePoolId));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      mistyped.push({ text, problem: error.message });
    }
  }
  return { texts, ids: [...ids], mistyped };
}

/** Says why a pool has no figures; null for an active one. */
function absence(site: Site, id: Id, pool: SinglePoolRow | undefined): Html | null {
  if (pool === undefined)
    return banner(html`There is no pool ${idHtml(poolAddress(site.network, id), { isShort: true })}.`, 'warning');
  if (isActivePool(pool)) return null;
  return banner(html`${poolLink(site, id)} was decommissioned: ${decommissionBlock(site, pool)}.`, 'warning');
}

/** What the operator says of a pool; null for nearly all. */
function markOf(site: Site, id: Id): Html | null {
  const notice = markNotice(site, poolAddress(site.network, id));
  return notice && html`<div>${poolLink(site, id)}</div>${notice}`;
}

/** The table of `/pools`, turned: what is a column there is a row here. */
function comparison(site: Site, pools: readonly ExpandedPoolRow[], { atoms }: TypedAmount): Html {
  const row = ({ label, cells }: Column<ExpandedPoolRow>, rateOf: PoolRate | null = null) => {
    const best = rateOf && bestOf(pools, rateOf);
    return html`<tr><th scope="row">${wordsHtml(label)}</th>${cells(pools).map(
      (cell, i) => html`<td>${best?.has(pools[i]!) && html`${badge('best', 'good')} `}${cell}</td>`,
    )}</tr>`;
  };
  // Each amount has its own decimals: numbers of a row do not stand below each other, and a phone has little room.
  const { coinDecimals, coinTicker: unit } = site.network;
  const coins = (label: Words, atomsOf: (pool: ExpandedPoolRow) => Atoms) =>
    numberColumn(say('{label}, {unit}', { label: textOf(label), unit }), (pool: ExpandedPoolRow) =>
      amountHtml(exactAmount(atomsOf(pool), coinDecimals), { isRounded: true }),
    );
  // The past says nothing of what a delegator will get: what is expected decides which pool is best.
  const expected = [
    row(
      numberColumn('Expected APR', (pool) => expectedAprHtml(site, pool)),
      (pool) => expectedAprOf(site, pool),
    ),
    atoms !== null && row(yearlyRewardColumn(site, atoms), (pool) => rewardsOfMore(site, pool, atoms)?.ofYear ?? null),
  ];
  const others: readonly Column<ExpandedPoolRow>[] = [
    numberColumn('APR (30 days)', aprHtml),
    numberColumn('Margin', ({ margin_ratio_per_thousand: margin }) => marginText(margin)),
    coins('Cost per block', ({ cost_per_block }) => cost_per_block),
    coins('Stake', ({ total_stake }) => total_stake),
    numberColumn('Share', stakeShareHtml),
    coins('Owner’s stake', ({ staker_balance }) => staker_balance),
    blocksColumn(),
    numberColumn('Delegations with a balance', ({ delegation_count }) => countHtml(delegation_count)),
    numberColumn(
      'Created',
      ({ creation_height, creation_timestamp }) =>
        html`<a href="${site.href(`/block/${creation_height}`)}">${timeHtml(creation_timestamp)}</a>`,
    ),
  ];
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="comparison-caption"><table id="comparison"><caption class="sr" id="comparison-caption">Figures of the pools</caption><thead><tr><td></td>${pools.map(
    (pool) => html`<th scope="col">${poolLink(site, pool.pool_id)} ${poolBadge(pool)}</th>`,
  )}</tr></thead><tbody>${expected}${others.map((each) => row(each))}</tbody></table></div>`;
}

/** What is expected of a pool; null for nothing. */
type PoolRate = (pool: ExpandedPoolRow) => bigint | null;

/** The pools of which most is expected, of those that are at least a day old. Nobody is best where all are equal. */
function bestOf(all: readonly ExpandedPoolRow[], expectedOf: PoolRate): ReadonlySet<ExpandedPoolRow> {
  const pools = all.filter((pool) => !isYoungPool(pool));
  const rateOf = (pool: ExpandedPoolRow) => expectedOf(pool) ?? -1n;
  const best = pools.filter((pool) => rateOf(pool) >= 0n && pools.every((other) => rateOf(other) <= rateOf(pool)));
  return new Set(best.length < pools.length ? best : []);
}

function compareForm(site: Site, texts: readonly string[], typed: TypedAmount): Html {
  return html`${typed.problem !== null && banner(html`${textOf(typed.problem)}`, 'bad')}<form class="filter" method="get" action="${site.href('/pools/compare')}"><label class="wide">Two to four pools (separated by spaces or commas) <textarea name="pool" rows="4" maxlength="1000" autocomplete="off" autocapitalize="off" spellcheck="false">${texts.join('\n')}</textarea></label><label>${textOf(say('Amount, {unit}', { unit: site.network.coinTicker }))} <input name="coins" value="${typed.text}" inputmode="decimal" maxlength="30" autocomplete="off" placeholder="1000"></label><button type="submit">Compare</button></form>`;
}
