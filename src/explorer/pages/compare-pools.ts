/** `/pools/compare`: figures of a few active pools beside each other, and which of them paid most. */
import { ApiError } from '../../api/errors/api-error.ts';
import { lastQueryValue, type UrlQuery } from '../../api/parse/parameters.ts';
import { aprAtExpectedBlocks, aprOfMonth, isNewPool } from '../../api/present/pool.ts';
import { parsePoolId, poolAddress } from '../../chain/address.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import type { Id } from '../../chain/types.ts';
import { type ExpandedPoolRow, getExpandedPool, type SinglePoolRow } from '../../store/queries/pools/pool-lists.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, type HtmlValue, html, wordsHtml } from '../html.ts';
import { coinAmount, countHtml } from '../parts/amount.ts';
import { chainText } from '../parts/chain-text.ts';
import { idHtml, poolLink } from '../parts/id-links.ts';
import { markNotice } from '../parts/mark.ts';
import { percentage } from '../parts/number.ts';
import {
  aprHtml,
  decommissionBlock,
  expectedBlocksHtml,
  expectedRewards,
  fairAprHtml,
  isActivePool,
  isYoungPool,
  marginHtml,
  newPoolBadge,
  stakeShareHtml,
} from '../parts/pool.ts';
import { badge, banner } from '../parts/properties-and-badges.ts';
import { blockAndTime } from '../parts/time.ts';
import type { Site } from '../site-urls.ts';
import { parseVisitorId, readTypedCoins, type TypedAmount } from '../visitor-input.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { decimalIn } from '../words/formats.ts';

/** More columns fit on no screen. */
const MOST_POOLS = 4;

export function comparePoolsPage({ site, api }: ExplorerContext): AnyPage {
  return definePage({
    path: '/pools/compare',
    parse: ({ query }) => {
      const typed = readTypedCoins(site.network, lastQueryValue(query, 'coins'));
      return { ...poolsIn(site, query), typed };
    },
    read: async (store, { ids }) => {
      const [first, ...others] = await Promise.all(
        ids.map((id) => getExpandedPool(store, id, poolAddress(site.network, id))),
      );
      if (first === undefined) return { tip: api.tipWatch.tip, found: [] };
      return { tip: requireSameTip(first, ...others), found: [first, ...others].flatMap(({ rows }) => rows) };
    },
    render: ({ found }, { ids, texts, mistyped, typed }) => {
      const pools = found.filter(isActivePool);
      const young = new Set(pools.filter(isYoungPool));
      return {
        title: 'Compare pools',
        description: 'Staking pools beside each other: APR, rewards for an amount, margin, cost, stake and blocks.',
        section: 'pools',
        canonical: '/pools/compare',
        isUnlisted: ids.length > 0,
        api: ['/pool?sort=by_apy&expand=true', ...ids.map((id) => `/pool/${poolAddress(site.network, id)}`)],
        ...((typed.problem !== null || (mistyped.length > 0 && pools.length === 0)) && { status: 400 }),
        body: html`<h1>Compare pools</h1>${
          texts.length > MOST_POOLS && banner(html`Only the first four pools are compared.`, 'warning')
        }${mistyped.map(({ text, problem }) => banner(html`${chainText(text, { most: 80 })}: ${problem}.`, 'warning'))}${ids.map(
          (id) =>
            absence(
              site,
              id,
              found.find(({ pool_id }) => pool_id === id),
            ),
        )}${ids.map((id) => markOf(site, id))}${
          pools.length > 0 &&
          html`${pools.length > 1 && verdict(site, pools, young)}${comparison(site, pools, young, typed)}`
        }${compareForm(site, texts, typed)}${
          pools.length > 0 &&
          html`<p class="muted">APR (30 days): what a delegated coin earned in the last 720 hours, or since the creation of a new pool, after margin and cost, as a yearly rate without compounding; a pool of less than a day counts as one day old. Luck moves it; margin and cost never change. At the expected number of blocks: this APR times expected blocks, divided by the blocks made; by this the best pool is judged.</p>`
        }`,
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

interface Figure {
  readonly name: Words;
  readonly of: (pool: ExpandedPoolRow) => HtmlValue;
  /** What the pools are judged by, the greatest is best; none for figures that are neither good nor bad. */
  readonly merit?: (pool: ExpandedPoolRow) => bigint | number | null;
}

function comparison(
  site: Site,
  pools: readonly ExpandedPoolRow[],
  young: ReadonlySet<ExpandedPoolRow>,
  { atoms }: TypedAmount,
): Html {
  const rewardFigure = (name: Words, aprOf: (pool: ExpandedPoolRow) => bigint | null): Figure[] =>
    atoms === null
      ? []
      : [
          {
            name,
            of: (pool) => {
              const rewards = expectedRewards(aprOf(pool), atoms);
              return rewards === null ? '–' : coinAmount(site, rewards.ofYear, { isRounded: true });
            },
          },
        ];
  const rewardName = say('Yearly reward for {coinDecimals} {unit}', {
    coinDecimals: decimalIn(decimalText(atoms ?? 0n, site.network.coinDecimals)),
    unit: site.network.coinTicker,
  });
  const figures: readonly Figure[] = [
    { name: 'APR (30 days)', of: aprHtml },
    ...rewardFigure(rewardName, aprOfMonth),
    { name: 'APR at the expected number of blocks', of: fairAprHtml, merit: aprAtExpectedBlocks },
    ...rewardFigure('Yearly reward at the expected number of blocks', aprAtExpectedBlocks),
    { name: 'Margin', of: marginHtml, merit: ({ margin_ratio_per_thousand: margin }) => -margin },
    {
      name: 'Cost per block',
      of: ({ cost_per_block }) => coinAmount(site, cost_per_block, { isRounded: true }),
      merit: ({ cost_per_block }) => -cost_per_block,
    },
    { name: 'Stake', of: ({ total_stake }) => coinAmount(site, total_stake, { isRounded: true }) },
    { name: 'Stake share', of: stakeShareHtml },
    { name: 'Pledge and rewards', of: ({ staker_balance }) => coinAmount(site, staker_balance, { isRounded: true }) },
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
    const best = bestOf(pools, young, figure);
    return html`<tr><th scope="row">${wordsHtml(figure.name)}</th>${pools.map(
      (pool) => html`<td>${figure.of(pool)}${best.has(pool) && html` ${badge('best', 'good')}`}</td>`,
    )}</tr>`;
  })}</tbody></table></div>`;
}

/** The pools with the greatest merit; nobody is best where all are equal, and `young` ones are not by what they earned. */
function bestOf(
  pools: readonly ExpandedPoolRow[],
  young: ReadonlySet<ExpandedPoolRow>,
  { merit }: Figure,
): ReadonlySet<ExpandedPoolRow> {
  const isJudged = (pool: ExpandedPoolRow) => merit !== aprAtExpectedBlocks || !young.has(pool);
  const merits = pools.map((pool) => (isJudged(pool) ? (merit?.(pool) ?? null) : null));
  const isGreatest = (value: bigint | number | null) =>
    value !== null && merits.every((other) => other === null || other <= value);
  const best = pools.filter((_, i) => isGreatest(merits[i]!));
  return new Set(best.length < pools.length ? best : []);
}

/** Says which pool paid most, how much of the difference was luck, which would have paid most without it, and why; not of `young` ones. */
function verdict(site: Site, pools: readonly ExpandedPoolRow[], young: ReadonlySet<ExpandedPoolRow>): Html {
  const tooYoung = [...young].map(
    ({ pool_id }) => html`<p>${poolLink(site, pool_id)} is less than a day old: too young to be compared.</p>`,
  );
  const compared = pools.filter((pool) => !young.has(pool));
  const [most, next] = ranked(compared, aprOfMonth);
  if (most === undefined || next === undefined)
    return html`${tooYoung}<p>Fewer than two of these pools have an APR that can be compared.</p>`;
  const [best, second] = ranked(compared, aprAtExpectedBlocks);
  return html`<p>${
    aprOfMonth(most) === aprOfMonth(next)
      ? html`Two of these pools paid the same APR in the last 30 days: ${aprHtml(most)}.`
      : html`${poolLink(site, most.pool_id)} paid its delegators most in the last 30 days: an APR of ${aprHtml(most)}, not ${aprHtml(next)} as the next one. ${luckHtml(most, next)}`
  }${
    (isNewPool(most) || isNewPool(next)) && html` That of a new pool is of the time since its creation.`
  }</p>${best !== undefined && second !== undefined && withoutLuck(site, best, second)}${tooYoung}`;
}

/** The pools that have a merit, the greatest first. */
const ranked = (pools: readonly ExpandedPoolRow[], merit: (pool: ExpandedPoolRow) => bigint | null) =>
  pools.filter((pool) => merit(pool) !== null).toSorted((a, b) => Number(merit(b)! - merit(a)!));

/** Says which part of the difference of what two pools paid is luck: what is gone at the expected numbers of blocks. */
function luckHtml(most: ExpandedPoolRow, next: ExpandedPoolRow): Html {
  const made = html`They made ${countHtml(most.blocks_month)} and ${countHtml(next.blocks_month)} blocks, and ${expectedBlocksHtml(most)} and ${expectedBlocksHtml(next)} were expected.`;
  const [fairOfMost, fairOfNext] = [aprAtExpectedBlocks(most), aprAtExpectedBlocks(next)];
  if (fairOfMost === null || fairOfNext === null) return made;
  const difference = aprOfMonth(most)! - aprOfMonth(next)!;
  const luck = difference - (fairOfMost - fairOfNext);
  if (luck <= 0n) return html`None of the difference was luck. ${made}`;
  return luck >= difference
    ? html`All of the difference was luck. ${made}`
    : html`${percentage(luck, difference)} of the difference was luck. ${made}`;
}

function withoutLuck(site: Site, best: ExpandedPoolRow, second: ExpandedPoolRow): Html {
  if (aprAtExpectedBlocks(best) === aprAtExpectedBlocks(second))
    return html`<p>With the expected number of blocks, two of these pools would have paid the same.</p>`;
  const hasLowerMargin = best.margin_ratio_per_thousand < second.margin_ratio_per_thousand;
  const hasLowerCost = best.cost_per_block < second.cost_per_block;
  return html`<p>With the expected number of blocks, ${poolLink(site, best.pool_id)} would have paid most: an APR of ${fairAprHtml(best)}, not ${fairAprHtml(second)} as the next one.${
    hasLowerMargin && html` Its margin is lower: ${marginHtml(best)}, not ${marginHtml(second)}.`
  }${
    hasLowerCost &&
    html` Its cost per block is lower: ${coinAmount(site, best.cost_per_block)}, not ${coinAmount(site, second.cost_per_block)}.`
  }${
    !hasLowerMargin &&
    !hasLowerCost &&
    html` Neither its margin nor its cost is lower: the pools differ in stake and pledge.`
  }</p>`;
}

function compareForm(site: Site, texts: readonly string[], typed: TypedAmount): Html {
  return html`${typed.problem !== null && banner(html`${textOf(typed.problem)}`, 'bad')}<form class="filter" method="get" action="${site.href('/pools/compare')}"><label class="wide">Two to four pools, with spaces or commas between them <textarea name="pool" rows="4" maxlength="1000" autocomplete="off" autocapitalize="off" spellcheck="false">${texts.join('\n')}</textarea></label><label>${textOf(say('Rewards for an amount of {unit}', { unit: site.network.coinTicker }))} <input name="coins" value="${typed.text}" inputmode="decimal" maxlength="30" autocomplete="off" placeholder="1000"></label><button type="submit">Compare</button></form>`;
}
