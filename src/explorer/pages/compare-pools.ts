/** `/pools/compare`: figures of a few active pools beside each other, and which of them paid most. */
import { lastQueryValue, type UrlQuery } from '../../api/parse/parameters.ts';
import { aprOfMonth } from '../../api/present/pool.ts';
import { parsePoolId, poolAddress } from '../../chain/address.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import type { Id } from '../../chain/types.ts';
import { type ExpandedPoolRow, getExpandedPool } from '../../store/queries/pools/pool-lists.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, type HtmlValue, html, wordsHtml } from '../html.ts';
import { coinAmount, countHtml } from '../parts/amount.ts';
import { poolLink } from '../parts/id-links.ts';
import { markNotice } from '../parts/mark.ts';
import {
  aprHtml,
  expectedBlocksHtml,
  expectedRewards,
  marginHtml,
  newPoolBadge,
  stakeShareHtml,
} from '../parts/pool.ts';
import { badge, banner } from '../parts/properties-and-badges.ts';
import { blockAndTime } from '../parts/time.ts';
import { parseVisitorId, readTypedCoins, type TypedAmount } from '../read/visitor-input.ts';
import type { Site } from '../site-urls.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

/** More columns fit on no screen. */
const MOST_POOLS = 4;

export function comparePoolsPage({ site, api }: ExplorerContext): AnyPage {
  return definePage({
    path: '/pools/compare',
    parse: ({ query }) => {
      const all = poolIdsIn(site, query);
      const typed = readTypedCoins(site.network, lastQueryValue(query, 'coins'));
      return { ids: all.slice(0, MOST_POOLS), hasMore: all.length > MOST_POOLS, typed };
    },
    read: async (store, { ids }) => {
      const [first, ...others] = await Promise.all(ids.map((id) => getExpandedPool(store, id)));
      if (first === undefined) return { tip: api.tipWatch.tip, pools: [] };
      return { tip: requireSameTip(first, ...others), pools: [first, ...others].flatMap(({ rows }) => rows) };
    },
    render: ({ pools }, { ids, hasMore, typed }) => {
      const missing = ids.filter((id) => !pools.some(({ pool_id }) => pool_id === id));
      return {
        title: 'Compare pools',
        description: 'Staking pools beside each other: APR, rewards for an amount, margin, cost, stake and blocks.',
        section: 'pools',
        canonical: '/pools/compare',
        isUnlisted: ids.length > 0,
        api: ['/pool?sort=by_apy&expand=true', ...ids.map((id) => `/pool/${poolAddress(site.network, id)}`)],
        ...(typed.problem !== null && { status: 400 }),
        body: html`<h1>Compare pools</h1>${
          hasMore && banner(html`Only the first four pools are compared.`, 'warning')
        }${missing.map((id) =>
          banner(html`${poolLink(site, id)} is no active pool.`, 'warning'),
        )}${pools.map(({ pool_id }) => markNotice(site, poolAddress(site.network, pool_id)))}${
          pools.length > 0 && html`${pools.length > 1 && verdict(site, pools)}${comparison(site, pools, typed)}`
        }${compareForm(site, ids, typed)}${
          pools.length > 0 &&
          html`<p class="muted">APR (30 days): what a delegated coin earned in the last 720 hours, after margin and cost, as a yearly rate without compounding. Luck moves it; margin and cost never change.</p>`
        }`,
      };
    },
  });
}

/** The pools of all parameters `pool`, each once; several may be in one, with spaces or commas between them. */
function poolIdsIn(site: Site, { pool = [] }: UrlQuery): Id[] {
  const texts = [pool].flat().flatMap((text) => text.split(/[\s,]+/).filter((each) => each !== ''));
  return [...new Set(texts.map((text) => parseVisitorId(site.network, 'a pool', text, parsePoolId)))];
}

interface Figure {
  readonly name: Words;
  readonly of: (pool: ExpandedPoolRow) => HtmlValue;
  /** What the pools are judged by, the greatest is best; none for figures that are neither good nor bad. */
  readonly merit?: (pool: ExpandedPoolRow) => bigint | number | null;
}

function comparison(site: Site, pools: readonly ExpandedPoolRow[], { atoms }: TypedAmount): Html {
  const reward: Figure[] =
    atoms === null
      ? []
      : [
          {
            name: say('Yearly reward for {coinDecimals} {unit}', {
              coinDecimals: decimalText(atoms, site.network.coinDecimals),
              unit: site.network.coinTicker,
            }),
            of: (pool) => {
              const rewards = expectedRewards(pool, atoms);
              return rewards === null ? '–' : coinAmount(site, rewards.ofYear, { isCut: true });
            },
            merit: aprOfMonth,
          },
        ];
  const figures: readonly Figure[] = [
    { name: 'APR (30 days)', of: aprHtml, merit: aprOfMonth },
    ...reward,
    { name: 'Margin', of: marginHtml, merit: ({ margin_ratio_per_thousand: margin }) => -margin },
    {
      name: 'Cost per block',
      of: ({ cost_per_block }) => coinAmount(site, cost_per_block, { isCut: true }),
      merit: ({ cost_per_block }) => -cost_per_block,
    },
    { name: 'Stake', of: ({ total_stake }) => coinAmount(site, total_stake, { isCut: true }) },
    { name: 'Stake share', of: stakeShareHtml },
    { name: 'Pledge and rewards', of: ({ staker_balance }) => coinAmount(site, staker_balance, { isCut: true }) },
    {
      name: 'Blocks (30 days)',
      of: (pool) => html`${countHtml(pool.blocks_month)} of ${expectedBlocksHtml(pool)} expected`,
    },
    { name: 'Delegations', of: ({ delegation_count }) => countHtml(delegation_count) },
    {
      name: 'Created',
      of: (pool) => html`${blockAndTime(site, pool.creation_height, pool.creation_timestamp)} ${newPoolBadge(pool)}`,
    },
  ];
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="comparison-caption"><table id="comparison"><caption class="sr" id="comparison-caption">Figures of the pools</caption><thead><tr><td></td>${pools.map(
    ({ pool_id }) => html`<th scope="col">${poolLink(site, pool_id)}</th>`,
  )}</tr></thead><tbody>${figures.map((figure) => {
    const best = bestOf(pools, figure);
    return html`<tr><th scope="row">${wordsHtml(figure.name)}</th>${pools.map(
      (pool) => html`<td>${figure.of(pool)}${best.has(pool) && html` ${badge('best', 'good')}`}</td>`,
    )}</tr>`;
  })}</tbody></table></div>`;
}

/** The pools with the greatest merit; nobody is best where all are equal. */
function bestOf(pools: readonly ExpandedPoolRow[], { merit }: Figure): ReadonlySet<ExpandedPoolRow> {
  const merits = pools.map((pool) => merit?.(pool) ?? null);
  const isGreatest = (value: bigint | number | null) =>
    value !== null && merits.every((other) => other === null || other <= value);
  const best = pools.filter((_, i) => isGreatest(merits[i]!));
  return new Set(best.length < pools.length ? best : []);
}

/** Says which pool paid most and what of that is certain, compared with the second one. */
function verdict(site: Site, pools: readonly ExpandedPoolRow[]): Html {
  const paid = pools.filter((pool) => aprOfMonth(pool) !== null);
  const [best, second] = paid.toSorted((a, b) => Number(aprOfMonth(b)! - aprOfMonth(a)!));
  if (best === undefined || second === undefined)
    return html`<p>Fewer than two of these pools have delegations: their APR cannot be compared.</p>`;
  if (aprOfMonth(best) === aprOfMonth(second)) return html`<p>Two of these pools paid the same APR.</p>`;
  return html`<p>${poolLink(site, best.pool_id)} paid its delegators most in the last 30 days: an APR of ${aprHtml(best)}, not ${aprHtml(second)} as the next one.${
    best.margin_ratio_per_thousand < second.margin_ratio_per_thousand &&
    html` Its margin is lower: ${marginHtml(best)}, not ${marginHtml(second)}.`
  }${
    best.cost_per_block < second.cost_per_block &&
    html` Its cost per block is lower: ${coinAmount(site, best.cost_per_block, { isCut: true })}, not ${coinAmount(site, second.cost_per_block, { isCut: true })}.`
  }${
    best.margin_ratio_per_thousand >= second.margin_ratio_per_thousand &&
    best.cost_per_block >= second.cost_per_block &&
    html` Neither its margin nor its cost is lower: the difference is luck with blocks, or the size of the pools.`
  }</p>`;
}

function compareForm(site: Site, ids: readonly Id[], typed: TypedAmount): Html {
  const texts = ids.map((id) => poolAddress(site.network, id)).join('\n');
  return html`${typed.problem !== null && banner(html`${textOf(typed.problem)}`, 'bad')}<form class="filter" method="get" action="${site.href('/pools/compare')}"><label class="wide">Two to four pools, with spaces or commas between them <textarea name="pool" rows="4" maxlength="1000" autocomplete="off" autocapitalize="off" spellcheck="false">${texts}</textarea></label><label>${textOf(say('Rewards for an amount of {unit}', { unit: site.network.coinTicker }))} <input name="coins" value="${typed.text}" inputmode="decimal" maxlength="30" autocomplete="off" placeholder="1000"></label><button type="submit">Compare</button></form>`;
}
