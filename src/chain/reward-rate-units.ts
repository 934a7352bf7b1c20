/** The units of reward rates (docs/indexing-rules.md#stored-sums-and-counts). */

/** The delegated atoms that a rate refers to. */
export const RATE_ATOMS = 10n ** 18n;
/** The hours that blocks are counted in, and those of the year that a month's rate is told for. */
export const MONTH_HOURS = 720;
export const YEAR_HOURS = 8_760;
