/** The chain over time: counts and sums of the chain at the end of hours, days, weeks and months. */
import type { Interval } from '../../chain/calendar.ts';
import { batchedQuery, type QueryRunner, type SnapshotRows } from '../read/batched-query.ts';

/**
 * How a value of an interval follows from the rows. `flow`: the difference to the row before; `stock`: that of the last row up
 * to its end; `mean`: the difference to the row before, divided by the number of blocks between.
 */
export type SeriesKind = 'flow' | 'stock' | 'mean';

export interface SeriesDefinition {
  readonly title: string;
  readonly unit: string;
  readonly kind: SeriesKind;
  /** The value of a row of hours, as SQL: a whole number. */
  readonly value: string;
}

const series = (title: string, unit: string, kind: SeriesKind, value: string): SeriesDefinition => ({
  title,
  unit,
  kind,
  value,
});

/** The series in the order in which they are listed. `coins`: the values are atoms. */
export const SERIES = {
  blocks: series('Blocks', 'blocks', 'flow', 'height'),
  block_time: series('Time between blocks', 'seconds', 'mean', 'timestamp'),
  transactions: series('Transactions', 'transactions', 'flow', 'transactions'),
  bytes: series('Size of blocks', 'bytes', 'flow', 'bytes'),
  fees: series('Fees', 'coins', 'flow', 'fees'),
  circulating_supply: series('Circulating supply', 'coins', 'stock', 'circulating_supply'),
  total_supply: series('Total supply, with burned coins', 'coins', 'stock', 'circulating_supply + burned'),
  staked: series('Staked', 'coins', 'stock', 'staked'),
  burned: series('Burned', 'coins', 'stock', 'burned'),
  pools: series('Active pools', 'pools', 'stock', 'pools'),
  delegations: series('Delegations with a balance', 'delegations', 'stock', 'delegations'),
  tokens: series('Tokens', 'tokens', 'stock', 'tokens'),
  nfts: series('NFTs', 'NFTs', 'stock', 'nfts'),
  open_orders: series('Open orders', 'orders', 'stock', 'open_orders'),
  trades: series('Trades', 'trades', 'flow', 'trades'),
  holders: series('Holders of coins', 'holders', 'stock', 'holders'),
} as const satisfies Readonly<Record<string, SeriesDefinition>>;

export type SeriesId = keyof typeof SERIES;
export const SERIES_IDS = Object.keys(SERIES) as SeriesId[];

/** The most points of an answer, and how many there are by default. */
export const MAX_POINTS = 5_000;
export const DEFAULT_POINTS = 500;

/** The last hour of an interval; its fields are null in the one row if there is none in the range. */
export interface SeriesRow {
  /** The first hour of the chain, the genesis' timestamp, and the newest hour. */
  readonly first_hour: number;
  readonly first_timestamp: number;
  readonly newest_hour: number;
  readonly hour: number | null;
  /** The height and the series' value at its end. */
  readonly height: number | null;
  readonly value: bigint | null;
}

const ROWS_SQL: Readonly<Record<Interval, string>> = {
  hour: 'true',
  day: 'ends_day',
  week: 'ends_week',
  month: 'ends_month',
};
/** At least as many hours as the points that are shown by default take. */
const DEFAULT_HOURS: Readonly<Record<Interval, number>> = {
  hour: DEFAULT_POINTS,
  day: DEFAULT_POINTS * 24,
  week: DEFAULT_POINTS * 24 * 7,
  month: DEFAULT_POINTS * 24 * 31,
};

type SeriesParameters = [id: SeriesId, since: number | null, below: number | null];

const VALUE_SQL = SERIES_IDS.map((id) => `when '${id}' then ${SERIES[id].value}`).join(' ');

/** The rows of an interval are next to each other in an index: those in the range, and the one before. */
const SERIES_QUERIES = Object.fromEntries(
  Object.entries(ROWS_SQL).map(([interval, where]) => {
    const columns = `hour, height, (case q.id ${VALUE_SQL} end)::numeric as value`;
    return [
      interval,
      batchedQuery<SeriesParameters, SeriesRow>({
        name: `series_by_${interval}`,
        parameters: { id: 'text', since: 'integer', below: 'integer' },
        presenceColumn: 'first_hour',
        select: `
    select w.*, h.*
    from (
      select (select hour from hours order by hour limit 1) as first_hour,
             (select timestamp from blocks where height = 0) as first_timestamp,
             (select hour from hours order by hour desc limit 1) as newest_hour
      offset 0
    ) w
    cross join lateral (
      select coalesce(q.since, least(q.below, w.newest_hour + 1) - ${DEFAULT_HOURS[interval as Interval]}) as since,
             coalesce(q.below, w.newest_hour + 1) as below
      offset 0
    ) r
    left join lateral (
      (select ${columns} from hours where ${where} and hour < r.since order by hour desc limit 1)
      union all
      (select ${columns} from hours where ${where} and hour >= r.since and hour < r.below order by hour limit ${MAX_POINTS + 1})
    ) h on true`,
      }),
    ];
  }),
) as Readonly<Record<Interval, ReturnType<typeof batchedQuery<SeriesParameters, SeriesRow>>>>;

/** Reads a series from the hour `since` on and below another one. Null: the newest ones. */
export function readSeries(
  store: QueryRunner,
  id: SeriesId,
  interval: Interval,
  { since, below }: { readonly since: number | null; readonly below: number | null },
): Promise<SnapshotRows<SeriesRow>> {
  return store.query(SERIES_QUERIES[interval], id, since, below);
}
