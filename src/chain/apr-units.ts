/** The units of reward rates (docs/indexing-rules.md#stored-sums-and-counts). */
import { DAY_SECONDS, HOUR_SECONDS } from './calendar.ts';

/** The delegated atoms that a rate refers to. */
export const RATE_BASE_ATOMS = 10n ** 18n;
/** The hours for which blocks are counted, and those of the year for which the month's rate is extrapolated. */
export const MONTH_HOURS = 720;
export const YEAR_HOURS = 8_760;
/** A yearly rate is of so long at least: a few blocks of a younger pool would decide it. */
export const MIN_APR_SECONDS = DAY_SECONDS;
export const MONTH_SECONDS = MONTH_HOURS * HOUR_SECONDS;
