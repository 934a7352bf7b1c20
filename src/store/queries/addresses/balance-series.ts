/** The balance of an address at the end of each UTC day, newest first. */
import type { Currency } from '../../../chain/currency.ts';
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Atoms, Destination } from '../../../chain/types.ts';
import { defineQuery } from '../../read/query.ts';
import { type ChainRange, RANGE_COLUMNS, RANGE_SQL, rangeName, rangeParameters } from '../blocks/chain-points.ts';
import { defineList } from '../lists/define-list.ts';

/** A day with at least one block. */
export interface BalanceDayRow {
  /** The height of its first block. */
  readonly height: number;
  /** Days since the epoch. */
  readonly day: number;
  /** The height of its last block, or of the tip. */
  readonly last_height: number;
  /** At its end; all that the address had, time-locked or not. */
  readonly balance: Atoms;
  readonly locked: Atoms;
  /** The sums of the changes of that day above and below zero. */
  readonly received: Atoms;
  readonly sent: Atoms;
}

/**
 * The days from the newest on to the first day with a change. The sums read the changes of each day, and may be of any number
 * of them: so each page has a statement of its own.
 */
const BALANCE_CHART_DAYS = defineQuery<
  [
    owner: Destination,
    currency: Currency,
    ...range: ReturnType<typeof rangeParameters>,
    below: number,
    rowLimit: number,
  ],
  BalanceDayRow
>({
  name: 'balance_days',
  parameters: { owner: 'bytea', currency: 'bytea', ...RANGE_COLUMNS, day_below: 'integer', row_limit: 'integer' },
  select: `
    select d.height, d.day, e.last_height, b.balance, b.locked, f.received, f.sent
    from (${RANGE_SQL}) r
    cross join lateral (
      select height, day from days
      where height < least(:day_below, r.below) and height >= r.first
      order by height desc limit :row_limit
    ) d
    cross join lateral (
      select coalesce((select height from days where height > d.height order by height limit 1), (select height from chain_tip) + 1) - 1 as last_height
      offset 0
    ) e
    cross join lateral (
      select balance, locked from balance_changes
      where owner = :owner and currency = :currency and height <= e.last_height
      order by height desc, position desc limit 1
    ) b
    cross join lateral (
      select coalesce(sum(change) filter (where change > 0), 0) as received,
             coalesce(-sum(change) filter (where change < 0), 0) as sent
      from balance_changes
      where owner = :owner and currency = :currency and height >= d.height and height <= e.last_height
    ) f`,
});

interface BalanceSeriesSelection {
  readonly owner: Destination;
  readonly currency: Currency;
  /** The days whose first block is in it. */
  readonly range: ChainRange;
}

/** The days of a balance. */
export const BALANCE_DAY_LIST = defineList<BalanceSeriesSelection, { readonly height: number }, BalanceDayRow>({
  name: ({ owner, currency, range }) => `balance-days ${owner} ${currency} ${rangeName(range)}`,
  fields: { height: 'int32' },
  sortKey: ({ height }) => ({ height }),
  read: (store, { owner, currency, range, after, limit }) =>
    store.queryLong(BALANCE_CHART_DAYS, owner, currency, ...rangeParameters(range), after?.height ?? MAX_HEIGHT, limit),
});
