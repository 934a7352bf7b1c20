/** Hours, days, weeks and months in UTC. Hours, days and weeks are counted from the epoch, months from the year 0. */

export const HOUR_SECONDS = 3_600;
export const DAY_HOURS = 24;
export const DAY_SECONDS = DAY_HOURS * HOUR_SECONDS;
const WEEK_DAYS = 7;
/** The epoch began on a Thursday: three days after the Monday of its week. */
const EPOCH_WEEKDAY = 3;

export function hourOf(timestamp: number): number {
  return Math.floor(timestamp / HOUR_SECONDS);
}

export function dayOfHour(hour: number): number {
  return Math.floor(hour / DAY_HOURS);
}

/** Weeks begin on Monday. */
export function weekOfDay(day: number): number {
  return Math.floor((day + EPOCH_WEEKDAY) / WEEK_DAYS);
}

export function monthOfDay(day: number): number {
  const date = new Date(day * DAY_SECONDS * 1_000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The intervals in which the chain is counted. */
export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Returns the number of the interval that an hour is in. */
export function intervalOfHour(interval: Interval, hour: number): number {
  if (interval === 'hour') return hour;
  const day = dayOfHour(hour);
  if (interval === 'day') return day;
  return interval === 'week' ? weekOfDay(day) : monthOfDay(day);
}

/** Returns the first hour of an interval, by its number. */
export function firstHourOf(interval: Interval, number: number): number {
  switch (interval) {
    case 'hour':
      return number;
    case 'day':
      return number * DAY_HOURS;
    case 'week':
      return (number * WEEK_DAYS - EPOCH_WEEKDAY) * DAY_HOURS;
    case 'month':
      return Date.UTC(Math.floor(number / 12), number % 12) / 1_000 / HOUR_SECONDS;
  }
}
