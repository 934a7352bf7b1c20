/** Points and ranges of the main chain, which requests name by a height or by a time, as SQL. */
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import { queryFunction } from '../../read/query.ts';
import { type BlockAtTimeRow, blockAtTimeSql } from './block-lists.ts';

/** A height; or a time in seconds since the epoch, which stands for the last block with at most this timestamp. */
export type ChainPoint = { readonly height: number } | { readonly time: bigint };

/** The blocks from a point on, and below another one: heights, or times. Null: no bound. */
export interface ChainRange {
  readonly from: ChainPoint | null;
  readonly to: ChainPoint | null;
}

/** The whole chain. */
export const WHOLE_CHAIN: ChainRange = { from: null, to: null };

type PointParameters = [height: number | null, time: bigint | null];
type RangeParameters = [fromHeight: number | null, fromTime: bigint | null, ...to: PointParameters];

/** The parameters of a query with {@link POINT_SQL}. */
export const POINT_COLUMNS = { at_height: 'integer', at_time: 'bigint' } as const;
/** The parameters of a query with {@link RANGE_SQL}. */
export const RANGE_COLUMNS = {
  from_height: 'integer',
  from_time: 'bigint',
  to_height: 'integer',
  to_time: 'bigint',
} as const;

export function sqlParametersOfPoint(point: ChainPoint | null): PointParameters {
  if (point === null) return [null, null];
  return 'height' in point ? [point.height, null] : [null, point.time];
}

export function rangeParameters({ from, to }: ChainRange): RangeParameters {
  return [...sqlParametersOfPoint(from), ...sqlParametersOfPoint(to)];
}

/** The name of a range, for the names of lists. */
export function rangeName(range: ChainRange): string {
  return rangeParameters(range).join(' ');
}

/** The block of a point; no row if the chain has none. */
export type PointBlockRow = BlockAtTimeRow;

/** The block of the parameters {@link POINT_COLUMNS}, as a subquery: height, block_id, timestamp. */
export const POINT_SQL = `
    select b.height, b.block_id, b.timestamp from blocks b
    where b.height = case when :at_time is null then :at_height
                          else (select a.height from (${blockAtTimeSql(':at_time')}) a) end
    offset 0`;

/** Reads the block of a point; no row above the tip, or before the genesis. */
export const getPointBlock = queryFunction<PointParameters, PointBlockRow>({
  name: 'point_block',
  parameters: POINT_COLUMNS,
  select: POINT_SQL,
});

/** The first height with a timestamp of at least `time`, as an expression. */
const firstHeightSql = (time: string) =>
  `coalesce((select a.height from (${blockAtTimeSql(`${time} - 1`)}) a), -1) + 1`;

/** The heights from `first` on and below `below` of the parameters {@link RANGE_COLUMNS}, as a subquery of one row. */
export const RANGE_SQL = `
    select case when :from_time is null then coalesce(:from_height, 0) else ${firstHeightSql(':from_time')} end as first,
           case when :to_time is null then coalesce(:to_height, ${MAX_HEIGHT}) else ${firstHeightSql(':to_time')} end as below
    offset 0`;

/** The bounds of a range, as heights and as global indexes of transactions: the first, and the first after the range. */
export interface RangeBoundsRow {
  readonly first: number;
  readonly below: number;
  readonly first_tx: number;
  readonly below_tx: number;
}

const firstTransactionSql = (height: string) =>
  `coalesce((select first_tx_index from blocks where height >= ${height} order by height limit 1), (select transaction_count from chain_tip))`;

/** Reads the bounds of a range: always one row. */
export const getRangeBounds = queryFunction<RangeParameters, RangeBoundsRow>({
  name: 'range_bounds',
  parameters: RANGE_COLUMNS,
  select: `
    select r.first, r.below, ${firstTransactionSql('r.first')} as first_tx, ${firstTransactionSql('r.below')} as below_tx
    from (${RANGE_SQL}) r`,
});
