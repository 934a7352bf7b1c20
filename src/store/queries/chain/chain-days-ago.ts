/** Where the chain was a day ago, two days ago, and so on. */
import { DAY_SECONDS } from '../../../chain/calendar.ts';
import { queryFunction } from '../../read/query.ts';

/** What the chain had a number of days before its newest block. */
export interface ChainDaysAgoRow {
  /** How many times 24 hours before the newest block. */
  readonly days_ago: number;
  /** Height of the newest block up to that time. */
  readonly height: number;
  /** The number of transactions up to that block. */
  readonly transactions: number;
}

/**
 * Reads where the chain was at the newest block's time and each of `days` days before it, in any order; fewer rows if the
 * genesis is younger. One look-up by time for each row. Where timestamps go back (without proof of stake), the block is among
 * the blocks around it.
 */
export const listChainDaysAgo = queryFunction<[days: number], ChainDaysAgoRow>({
  name: 'chain_days_ago',
  parameters: { days: 'integer' },
  select: `
    select d.days_ago, b.height, b.first_tx_index + b.tx_count as transactions
    from generate_series(0, :days) d (days_ago)
    cross join lateral (
      select height, first_tx_index, tx_count from blocks
      where timestamp <= (select timestamp from chain_tip) - d.days_ago * ${DAY_SECONDS}
      order by timestamp desc limit 1
    ) b`,
});
