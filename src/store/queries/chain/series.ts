/** The chain over time: counts and sums of the chain at the end of hours, days, weeks and months. */

import { DAY_HOURS, INTERVALS, type Interval } from '../../../chain/calendar.ts';
import { DIFFICULTY_DECIMALS } from '../../../chain/compact-target.ts';
import { defineQuery, type QueryRunner, type SnapshotRows } from '../../read/query.ts';
import { targetFieldSql, targetOfHeader } from '../blocks/block-targets.ts';

/**
 * How a value of an interval follows from rows. `flow`: the difference to the row before; `stock`: that of the last row up to its
 * end; `mean`: the difference to the row before, divided by the number of blocks between; `count`: the sum of its rows.
 */
type SeriesKind = 'flow' | 'stock' | 'mean' | 'count';

interface SeriesDefinition {
  readonly title: string;
  readonly unit: string;
  readonly kind: SeriesKind;
  /** The digits of a value after the decimal point; null: as the coin has. */
  readonly decimals: number | null;
  readonly intervals: readonly Interval[];
  /** The value of a row of hours or, with `isOfDays`, of day_counts, as SQL: a whole number, or what `parse` takes. */
  readonly value: string;
  /** Returns the number that its stored text stands for, which otherwise is its digits. */
  readonly parse?: (text: string) => bigint;
  /** Is it counted by day, when the day is over? Then there is no value of an interval that is not over. */
  readonly isOfDays?: boolean;
}

const ofHours = (title: string, unit: string, kind: SeriesKind, value: string, decimals: number | null = 0) =>
  ({ title, unit, kind, value, decimals, intervals: INTERVALS }) satisfies SeriesDefinition;
const ofCoins = (title: string, kind: SeriesKind, value: string) => ofHours(title, 'coins', kind, value, null);

/** Of the last block of the hour. */
const LAST_TARGET_FIELD = `(select coalesce(${targetFieldSql('b.header')}, 'none') from blocks b where b.height = hours.height)`;

/** Addresses of several days together are not the sum of those of each. */
const ADDRESSES = {
  unit: 'addresses',
  kind: 'count',
  decimals: 0,
  intervals: ['day', 'month'],
  isOfDays: true,
} as const;

/** The series in the order in which they are listed. */
const SERIES = {
  blocks: ofHours('Blocks', 'blocks', 'flow', 'height'),
  block_time: ofHours('Time between blocks', 'seconds', 'mean', 'timestamp', 3),
  transactions: ofHours('Transactions', 'transactions', 'flow', 'transactions'),
  difficulty: {
    ...ofHours('Difficulty', 'difficulty', 'stock', LAST_TARGET_FIELD, DIFFICULTY_DECIMALS),
    parse: (text) => targetOfHeader(text)?.difficulty ?? 0n,
  },
  bytes: ofHours('Size of blocks', 'bytes', 'flow', 'bytes'),
  fees: ofCoins('Fees', 'flow', 'fees'),
  circulating_supply: ofCoins('Circulating supply', 'stock', 'circulating_supply'),
  total_supply: ofCoins('Total minted, including burned coins', 'stock', 'circulating_supply + burned'),
  staked: ofCoins('Staked', 'stock', 'staked'),
  burned: ofCoins('Burned', 'stock', 'burned'),
  pools: ofHours('Active pools', 'pools', 'stock', 'pools'),
  delegations: ofHours('Delegations with a balance', 'delegations', 'stock', 'delegations'),
  largest_pools_share: {
    title: 'Stake share of the ten largest pools',
    unit: 'share',
    kind: 'stock',
    decimals: 6,
    intervals: ['day', 'week', 'month'],
    value: 'case when staked = 0 then 0 else div(largest_pools_stake * 1000000, staked) end',
    isOfDays: true,
  },
  tokens: ofHours('Tokens', 'tokens', 'stock', 'tokens'),
  nfts: ofHours('NFTs', 'NFTs', 'stock', 'nfts'),
  open_orders: ofHours('Open orders', 'orders', 'stock', 'open_orders'),
  trades: ofHours('Trades', 'trades', 'flow', 'trades'),
  holders: ofHours('Holders of coins', 'holders', 'stock', 'holders'),
  active_addresses: {
    ...ADDRESSES,
    title: 'Active addresses',
    value: `case when :is_month then new_in_month else active_addresses end`,
  },
  new_addresses: { ...ADDRESSES, title: 'New addresses', value: 'new_addresses' },
} as const satisfies Readonly<Record<string, SeriesDefinition>>;

export type SeriesId = keyof typeof SERIES;
export const SERIES_IDS = Object.keys(SERIES) as SeriesId[];

/** The definition of a series. */
export const seriesDefinition = (id: SeriesId): SeriesDefinition => SERIES[id];

/** The most points of an answer, and how many there are by default. */
export const MAX_SERIES_POINTS = 5_000;
export const DEFAULT_SERIES_POINTS = 500;

/** A series, in one row: hundreds of rows would take longer to hand over than to read. */
export interface SeriesRow {
  /** The first hour of the chain, and the genesis' timestamp. */
  readonly first_hour: number;
  readonly first_timestamp: number;
  /** The hour of the tip; of a series of days, the first hour of the first day that is not counted. */
  readonly newest_hour: number;
  /** Are all days that are over counted? After a bulk sync they may not be yet; a series of hours needs no counts. */
  readonly are_days_counted: boolean;
  /** See {@link parseSeriesValues}; null if there are none. */
  readonly stored: string | null;
}

/** What a row of hours or day_counts says of a series. */
export interface SeriesValue {
  readonly hour: number;
  /** At the end of the hour. */
  readonly height: number;
  readonly value: bigint;
}

/** Returns the stored values in the range and the one before, oldest first. */
export function parseSeriesValues(id: SeriesId, { stored }: SeriesRow): SeriesValue[] {
  if (stored === null) return [];
  const { parse = BigInt } = seriesDefinition(id);
  return stored.split(',').map((text) => {
    const [hour, height, value] = text.split(' ') as [string, string, string];
    return { hour: Number(hour), height: Number(height), value: parse(value) };
  });
}

const IS_LAST_SQL: Readonly<Record<Interval, string>> = {
  hour: 'true',
  day: 'ends_day',
  week: 'ends_week',
  month: 'ends_month',
};
/** The most hours of an interval. */
const LONGEST_HOURS: Readonly<Record<Interval, number>> = {
  hour: 1,
  day: DAY_HOURS,
  week: 7 * DAY_HOURS,
  month: 31 * DAY_HOURS,
};

const valueSql = (isOfDays: boolean): string =>
  `(case :id ${SERIES_IDS.filter((id) => (seriesDefinition(id).isOfDays ?? false) === isOfDays)
    .map((id) => `when '${id}' then (${SERIES[id].value})::text`)
    .join(' ')} end) as value`;

type SeriesParameters = [
  id: SeriesId,
  defaultHours: number,
  isMonth: boolean,
  since: number | null,
  below: number | null,
];

/**
 * The rows in the range, and the one before. `newest`: the newest hour, and `areDaysCounted`, as SQL. `rows`: selects the rows
 * where a condition on the column `key` holds.
 */
const seriesQuery = (
  name: string,
  { newest, areDaysCounted }: { readonly newest: string; readonly areDaysCounted: string },
  key: string,
  rows: (where: (value: string) => string) => string,
) =>
  defineQuery<SeriesParameters, SeriesRow>({
    name,
    parameters: { id: 'text', default_hours: 'integer', is_month: 'boolean', since: 'integer', below: 'integer' },
    select: `
    select w.*, h.stored
    from (
      select (select hour from hours order by hour limit 1) as first_hour,
             (select timestamp from blocks where height = 0) as first_timestamp, ${newest} as newest_hour,
             ${areDaysCounted} as are_days_counted
      offset 0
    ) w
    cross join lateral (
      select coalesce(:since, least(:below, w.newest_hour + 1) - :default_hours) as since,
             coalesce(:below, w.newest_hour + 1) as below
      offset 0
    ) r
    cross join lateral (
      select string_agg(concat_ws(' ', v.hour, v.height, v.value), ',') as stored
      from (
        (${rows((hour) => `${hour} < r.since`)} order by ${key} desc limit 1)
        union all
        (${rows((hour) => `${hour} >= r.since and ${hour} < r.below`)} order by ${key} limit ${MAX_SERIES_POINTS * 31})
      ) v
    ) h`,
  });

/** The last hours of an interval are next to each other in an index. */
const QUERIES_OF_HOURS = Object.fromEntries(
  INTERVALS.map((interval) => [
    interval,
    seriesQuery(
      `series_by_${interval}`,
      { newest: '(select hour from hours order by hour desc limit 1)', areDaysCounted: 'true' },
      'hour',
      (where) =>
        `select hour, height, ${valueSql(false)} from hours where ${IS_LAST_SQL[interval]} and ${where('hour')}`,
    ),
  ]),
) as Readonly<Record<Interval, ReturnType<typeof seriesQuery>>>;

const QUERY_OF_DAYS = seriesQuery(
  'series_of_days',
  {
    newest: `coalesce((select d.day * ${DAY_HOURS} from day_counts c join days d on d.height = c.height
                        order by c.day desc limit 1),
                      (select hour from hours order by hour limit 1))`,
    // The newest day is not over.
    areDaysCounted: `(select day from days order by height desc offset 1 limit 1) is not distinct from
                     (select day from day_counts order by day desc limit 1)`,
  },
  'day',
  (where) =>
    `select day * ${DAY_HOURS} as hour, height, ${valueSql(true)} from day_counts where ${where(`day * ${DAY_HOURS}`)}`,
);

/** The hours to read, from `since` on and below another one; null: the newest ones, at least as many as `points` take. */
export interface SeriesHourRange {
  readonly since: number | null;
  readonly below: number | null;
  readonly points: number;
}

/** Reads the rows of a series. They depend on more than the tip while days are still being counted. */
export async function readSeries(
  store: QueryRunner,
  id: SeriesId,
  interval: Interval,
  { since, below, points }: SeriesHourRange,
): Promise<SnapshotRows<SeriesRow>> {
  const query = seriesDefinition(id).isOfDays ? QUERY_OF_DAYS : QUERIES_OF_HOURS[interval];
  const hours = (points + 1) * LONGEST_HOURS[interval];
  const read = await store.query(query, id, hours, interval === 'month', since, below);
  return { ...read, dependsOnHistory: !read.rows[0]!.are_days_counted };
}
