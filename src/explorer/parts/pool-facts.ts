/** What is known of a living pool, in the numbers of the API. */
import { apyOfMonth, expectedBlocksOfMonth, stakeShare } from '../../api/present/pool.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import { MONTH_HOURS, YEAR_HOURS } from '../../chain/reward-rate.ts';
import type { Atoms } from '../../chain/types.ts';
import type { ExpandedPoolRow } from '../../store/queries/pool-lists.ts';
import { type Html, html } from '../html.ts';
import { percentage } from './amount.ts';

const MILLION = 1_000_000n;

/** The yearly rate of a delegator by the last 720 hours, with two decimals; a dash where nothing was delegated. */
export function apyText(pool: ExpandedPoolRow): Html {
  const apy = apyOfMonth(pool);
  if (apy === null) return html`<span class="muted">–</span>`;
  return html`<span title="${`${decimalText(apy, 4)}%`}">${percentage(apy, MILLION)}</span>`;
}

/** Its part of the effective stake of all pools, with two decimals. */
export function stakeShareText(pool: ExpandedPoolRow): Html {
  const exact = decimalText(BigInt(stakeShareUnits(pool)), 7);
  return html`<span title="${`${exact}%`}">${percentage(pool.effective_stake, pool.all_effective_stake)}</span>`;
}

/** The share in units of 10⁻⁹: a number that a picture can be drawn of. */
export function stakeShareUnits(pool: ExpandedPoolRow): number {
  const [whole, fraction = ''] = stakeShare(pool).split('.');
  return Number(whole + fraction.padEnd(9, '0'));
}

/** Blocks of 720 hours that its share promises: "12.345". */
export function expectedBlocksText(pool: ExpandedPoolRow): string {
  return expectedBlocksOfMonth(pool);
}

/** What an amount would get in a year and in 720 hours, at the rate that the API gives as `apy_month`; null without one. */
export function rewardsOf(
  pool: ExpandedPoolRow,
  atoms: Atoms,
): { readonly ofYear: Atoms; readonly ofMonth: Atoms } | null {
  const apy = apyOfMonth(pool);
  if (apy === null) return null;
  const ofMonth = (atoms * apy * BigInt(MONTH_HOURS)) / (MILLION * BigInt(YEAR_HOURS));
  return { ofYear: (atoms * apy) / MILLION, ofMonth };
}
