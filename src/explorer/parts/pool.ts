/** Renders figures of active pools, computed as in the API, and tables of pools and delegations. */

import {
  aprOfMonth,
  expectedApr,
  expectedBlocksOfMonth,
  isYoungerThanMonth,
  stakeShare,
  withMoreDelegated,
} from '../../answers/pool-figures.ts';
import { poolAddress } from '../../chain/address.ts';
import { MIN_APR_SECONDS, MONTH_HOURS, YEAR_HOURS } from '../../chain/apr-units.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import type { DelegationRow, OwnedDelegationRow } from '../../store/queries/pools/delegations.ts';
import type { ExpandedPoolRow, PoolSort, SinglePoolRow } from '../../store/queries/pools/pool-lists.ts';
import type { PoolRow } from '../../store/queries/pools/pools.ts';
import { Attributes, type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import type { TypedAmount } from '../visitor-input.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { localDecimal, localPercent } from '../words/formats.ts';
import { amountColumn, coinColumn, countHtml, DASH_HTML, exactAmount } from './amount.ts';
import { delegationLink, destinationLink, heightLink, poolLink, shortId } from './id-links.ts';
import { percentage } from './number.ts';
import { badge, banner } from './properties-and-badges.ts';
import { type Column, column, inCard, numberColumn, type TableOrder, type TableTexts, table } from './table.ts';
import { blockAndTime } from './time.ts';

const MILLION = 1_000_000n;

/** Does the owner keep all rewards? Then delegators have no APR. */
export const keepsAll = ({ margin_ratio_per_thousand }: PoolRow): boolean => margin_ratio_per_thousand === 1_000;

/**
 * The APR that delegators had in the last 720 hours or since the creation, in millionths. Null if nothing was delegated, if all
 * was delegated after the pool's newest block, or if the pool is less than a day old.
 */
function paidAprOf(pool: ExpandedPoolRow): bigint | null {
  const apr = keepsAll(pool) ? null : aprOfMonth(pool);
  return isYoungPool(pool) || (apr === 0n && pool.blocks_month > 0) ? null : apr;
}

/** The APR that delegators may expect, in millionths; null without one. */
export const expectedAprOf = (site: Site, pool: ExpandedPoolRow): bigint | null =>
  keepsAll(pool) ? null : expectedApr(site.network, pool);

/** Is nothing expected only because of the old distribution of rewards? */
export const hasNoForecast = (site: Site, pool: ExpandedPoolRow): boolean =>
  !keepsAll(pool) && expectedAprOf(site, pool) === null;

/** Stands in the place of {@link rewardForm} there. */
export const noForecast = (): Html =>
  html`<p class="muted">Rewards cannot be estimated here: on this network, a pool’s delegators still share a fixed part of each block reward, however little they have delegated.</p>`;

/** Why delegators have had no APR; null if they had one. */
export function whyNoApr(pool: ExpandedPoolRow): Words | null {
  if (aprOfMonth(pool) === null) return 'nothing delegated';
  if (isYoungPool(pool)) return 'under a day old';
  return paidAprOf(pool) === null ? 'delegated since its newest block' : null;
}

/** Renders {@link paidAprOf} with two decimals. */
export const aprHtml = (pool: ExpandedPoolRow): Html => rateHtml(paidAprOf(pool));

/** Renders {@link expectedAprOf} with two decimals. */
export const expectedAprHtml = (site: Site, pool: ExpandedPoolRow): Html => rateHtml(expectedAprOf(site, pool));

/** Renders millionths. */
const rateHtml = (rate: bigint | null): Html =>
  rate === null
    ? DASH_HTML
    : html`<span title="${localPercent(decimalText(rate, 4))}">${percentage(rate, MILLION)}</span>`;

/** Renders the expected blocks with one decimal, as a hint with all. */
export function expectedBlocksHtml(pool: ExpandedPoolRow): Html {
  const exact = expectedBlocksOfMonth(pool);
  return html`<span class="number" title="${localDecimal(exact)}">${localDecimal(Number(exact).toFixed(1))}</span>`;
}

/** Is the pool less than a day old? Then its rewards say little: they count as those of a daily total. */
export const isYoungPool = ({ tip_timestamp, creation_timestamp }: ExpandedPoolRow): boolean =>
  tip_timestamp - creation_timestamp < MIN_APR_SECONDS;

/** Marks a pool that had less than the 720 hours to make blocks, or less than a day. */
export function newPoolBadge(pool: ExpandedPoolRow): Html | null {
  if (!isYoungerThanMonth(pool)) return null;
  return isYoungPool(pool) ? badge('under a day old', 'warning') : badge('new', 'plain');
}

/** Says beside a pool why it may be no choice: see {@link keepsAll} and {@link newPoolBadge}. */
export const poolBadge = (pool: ExpandedPoolRow): Html | null =>
  keepsAll(pool) ? keepsAllBadge() : newPoolBadge(pool);

/** Explains the figures of some pools, and their {@link newPoolBadge}, in a fold that readers open. `coins`: see {@link poolTable}. */
export function aboutPools(pools: readonly ExpandedPoolRow[], coins: Atoms | null): Html {
  const fresh = pools.filter(isYoungerThanMonth);
  const expected = html`<p>Expected APR: what a delegated coin would earn in a year at today’s stakes, margins and costs, assuming average luck and no compounding. Use it to compare.</p>`;
  const paid = html`<p>APR (30 days): what a delegated coin has earned in the last 30 days, as a yearly rate. It depends on luck, and on how much was staked at the time.</p>`;
  const reward =
    coins !== null &&
    html`<p>${textOf('Yearly reward')}: ${html`Assumes that your coins are added to the pool’s stake, and that rewards are not compounded.`}</p>`;
  const cost = html`<p>Cost: what the owner keeps of each block’s reward before it is shared.</p>`;
  const marks = [
    fresh.some(isYoungPool) &&
      html`<p class="muted legend">${badge('under a day old', 'warning')} Less than a day old, so the expected APR is untested.</p>`,
    fresh.some((pool) => !isYoungPool(pool)) &&
      html`<p class="muted legend">${badge('new')} Created within the last 30 days: figures cover the time since creation.</p>`,
  ];
  return html`<details><summary>What do these figures mean?</summary>${expected}${reward}${paid}${cost}${marks}</details>`;
}

/** Is the pool active? Otherwise it was decommissioned. */
export const isActivePool = ({ staker_balance }: PoolRow): boolean => staker_balance > 0n;

/** Says in which block a pool was decommissioned; null for an active one. */
export const decommissionBlock = (
  site: Site,
  { decommission_height: height, decommission_timestamp: time }: SinglePoolRow,
) => (height === null ? null : blockAndTime(site, height, time!));

/** Writes a margin in per cent. */
export const marginText = (perThousand: number): string => localPercent(decimalText(BigInt(perThousand), 1));

const keepsAllBadge = (): Html => badge('keeps all rewards', 'warning');

/** Renders the staker's part of the rewards, and marks one that leaves nothing. */
export function marginHtml({ margin_ratio_per_thousand: margin }: PoolRow): Html {
  return html`${marginText(margin)}${margin === 1_000 && html` ${keepsAllBadge()}`}`;
}

/** Renders the pool's share of the effective stake of all pools, with two decimals. */
export function stakeShareHtml(pool: ExpandedPoolRow): Html {
  const exact = localPercent(decimalText(BigInt(stakeShareUnits(pool)), 7));
  return html`<span title="${exact}">${percentage(pool.effective_stake, pool.all_effective_stake)}</span>`;
}

/** Returns the share in units of 10⁻⁹, as a number for charts. */
function stakeShareUnits(pool: ExpandedPoolRow): number {
  const [whole, fraction = ''] = stakeShare(pool).split('.');
  return Number(whole + fraction.padEnd(9, '0'));
}

/** Returns the rewards of an amount in a year and in 720 hours at an APR, in millionths; null without one. */
export function expectedRewards(
  apr: bigint | null,
  atoms: Atoms,
): { readonly ofYear: Atoms; readonly ofMonth: Atoms } | null {
  if (apr === null) return null;
  const ofMonth = (atoms * apr * BigInt(MONTH_HOURS)) / (MILLION * BigInt(YEAR_HOURS));
  return { ofYear: (atoms * apr) / MILLION, ofMonth };
}

/** Returns what coins that are not delegated to a pool yet would earn there; they count in its stake. */
export const rewardsOfMore = (site: Site, pool: ExpandedPoolRow, atoms: Atoms) =>
  expectedRewards(expectedAprOf(site, withMoreDelegated(site.network, pool, atoms)), atoms);

interface PoolTableOptions {
  readonly caption: Words;
  readonly order: TableOrder<PoolSort>;
  /** Adds a column with the yearly reward of this many atoms. */
  readonly coins: Atoms | null;
  /** The pool that is chosen from the start. */
  readonly picked: Id | null;
}

/** The box that chooses a pool for the form `compare`. */
export function pickBox(site: Site, poolId: Id, checked: boolean): Html {
  const address = poolAddress(site.network, poolId);
  const label = textOf(say('Compare {address}', { address: shortId(address) }));
  return html`<input class="pick" type="checkbox" name="pool" value="${address}" form="compare" aria-label="${label}"${Attributes.of({ checked })}>`;
}

/** Renders a table of active pools with all their figures, each with a box for the form `compare`. */
export function poolTable(
  site: Site,
  pools: readonly ExpandedPoolRow[],
  { caption, order, coins, picked }: PoolTableOptions,
): Html {
  return table(pools, {
    caption,
    isCaptionShown: true,
    id: 'pools',
    order,
    columns: [
      column(
        'Pool',
        (pool) =>
          html`${pickBox(site, pool.pool_id, pool.pool_id === picked)}${poolLink(site, pool.pool_id)} ${poolBadge(pool)}`,
      ),
      inCard.top(
        numberColumn(
          'Expected APR',
          (pool) => html`<strong>${expectedAprHtml(site, pool)}</strong>`,
          'by_apr_expected',
        ),
      ),
      coins !== null && yearlyRewardColumn(site, coins),
      numberColumn('Margin', ({ margin_ratio_per_thousand: margin }) => marginText(margin), 'by_margin'),
      coinColumn(site, 'Stake', ({ total_stake }) => total_stake, 'by_stake'),
      numberColumn('Share', stakeShareHtml),
      numberColumn('APR (30 days)', aprHtml, 'by_apy'),
      coinColumn(site, 'Cost', ({ cost_per_block }) => cost_per_block),
      blocksColumn('by_blocks'),
    ],
    empty: 'There are no active pools.',
  });
}

/** The yearly reward that is expected for an amount of coins. */
export function yearlyRewardColumn(site: Site, coins: Atoms): Column<ExpandedPoolRow> {
  const { coinDecimals: decimals, coinTicker: unit } = site.network;
  return amountColumn(say('{label}, {unit}', { label: textOf('Yearly reward'), unit }), (pool) => {
    const rewards = rewardsOfMore(site, pool, coins);
    return rewards && exactAmount(rewards.ofYear, decimals);
  });
}

/** The blocks of the last 30 days, and those that were expected. */
export const blocksColumn = <Sort extends string = never>(sort?: Sort): Column<ExpandedPoolRow, Sort> =>
  numberColumn(
    'Blocks made / expected (30 days)',
    (pool) => html`${countHtml(pool.blocks_month)} / ${expectedBlocksHtml(pool)}`,
    sort,
  );

/** Renders the form that asks for an amount of coins, to show its reward. */
export function rewardForm(
  site: Site,
  path: string,
  { typed, kept = {} }: { readonly typed: TypedAmount; readonly kept?: Readonly<Record<string, string | undefined>> },
): Html {
  return html`<form class="coins" action="${site.href(path)}" method="get">${Object.entries(kept).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  )}<label for="coins">Rewards for</label> <input id="coins" name="coins" value="${typed.text}" inputmode="decimal" size="9" maxlength="30" autocomplete="off" placeholder="1000"> <span>${site.network.coinTicker}</span> <button type="submit">Calculate</button></form>${typed.problem !== null && banner(html`${textOf(typed.problem)}`, 'bad')}`;
}

interface DelegationTableOptions extends TableTexts {
  /** Shows the pool of each delegation instead of its owner, for the list of an address. */
  readonly hasPool: boolean;
}

export function delegationTable(
  site: Site,
  delegations: readonly (DelegationRow & Partial<OwnedDelegationRow>)[],
  { hasPool, ...words }: DelegationTableOptions,
): Html {
  return table(delegations, {
    ...words,
    columns: [
      column('Delegation', ({ delegation_id }) => delegationLink(site, delegation_id)),
      hasPool
        ? column(
            'Pool',
            ({ pool_id, pool_is_active }) =>
              html`${poolLink(site, pool_id)} ${pool_is_active === false && badge('decommissioned', 'bad')}`,
          )
        : column('Owner', ({ spend_destination }) => destinationLink(site, spend_destination)),
      inCard.namedTop(coinColumn(site, 'Balance', ({ balance }) => balance)),
      numberColumn('Withdrawals', ({ next_nonce }) => next_nonce),
      inCard.off(numberColumn('Created in block', ({ creation_height }) => heightLink(site, creation_height))),
    ],
  });
}
