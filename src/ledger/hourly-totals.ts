/**
 * The chain at the end of each hour (docs/indexing-rules.md#series). An hour, and with it a day, never goes back: a
 * proof-of-work block may have an earlier timestamp than its parent, and then belongs to the hour of its parent.
 */

import { dayOfHour, monthOfDay, weekOfDay } from '../chain/calendar.ts';
import { COIN } from '../chain/currency.ts';
import { EXPECTED_BLOCK } from '../chain/effective-stake.ts';
import type { Atoms } from '../chain/types.ts';
import type { BlockContext, HourCounts } from './block-context.ts';
import type { LedgerState } from './state.ts';
import { type Hour, hourKey } from './state-rows.ts';

export const noHourCounts = (): HourCounts => ({
  trades: 0,
  pools: 0,
  delegations: 0,
  tokens: 0,
  nfts: 0,
  openOrders: 0,
});

/** The hour of the tip; null before the genesis. */
function newestHour({ chain, hours }: LedgerState): Hour | null {
  return chain.hour < 0 ? null : hours.get(hourKey(chain.hour));
}

/** Returns {@link Hour.expectedPerStake} with the block that follows; `hasPool`: a pool makes it. */
export function expectedPerStakeWith(state: LedgerState, hasPool: boolean): bigint {
  const before = newestHour(state)?.expectedPerStake ?? 0n;
  const stake = hasPool ? (state.statistics.get(COIN)?.effectiveStake ?? 0n) : 0n;
  return stake > 0n ? before + EXPECTED_BLOCK / stake : before;
}

/** Adds a block, with all that it changed, to its hour. `transactions`: all of the chain. */
export function countBlockInHour(context: BlockContext, transactions: number, fees: Atoms): void {
  const { state, hour, day, height, timestamp, counts } = context;
  const previous = newestHour(state);
  if (previous !== null && previous.hour < hour) {
    const previousDay = dayOfHour(previous.hour);
    state.hours.set(hourKey(previous.hour), {
      ...previous,
      endsDay: previousDay < day,
      endsWeek: weekOfDay(previousDay) < weekOfDay(day),
      endsMonth: monthOfDay(previousDay) < monthOfDay(day),
    });
  }
  const coin = state.statistics.get(COIN);
  state.hours.set(hourKey(hour), {
    hour,
    firstHeight: previous?.hour === hour ? previous.firstHeight : height,
    height,
    timestamp,
    endsDay: true,
    endsWeek: true,
    endsMonth: true,
    transactions,
    bytes: (previous?.bytes ?? 0) + (context.identified?.size ?? 0),
    fees: (previous?.fees ?? 0n) + fees,
    circulatingSupply: coin?.circulatingSupply ?? 0n,
    burned: coin?.burned ?? 0n,
    staked: coin?.staked ?? 0n,
    holders: coin?.holders ?? 0,
    expectedPerStake: context.expectedPerStake,
    trades: (previous?.trades ?? 0) + counts.trades,
    pools: (previous?.pools ?? 0) + counts.pools,
    delegations: (previous?.delegations ?? 0) + counts.delegations,
    tokens: (previous?.tokens ?? 0) + counts.tokens,
    nfts: (previous?.nfts ?? 0) + counts.nfts,
    openOrders: (previous?.openOrders ?? 0) + counts.openOrders,
  });
}
