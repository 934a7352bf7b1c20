/** Counts the entries of a list as far as a page says how many there are: so it costs little, however long the list is. */

/** The most entries that are counted exactly. */
export const MOST_COUNTED = 1_000;

/** Returns the SQL of the number of rows, one more than {@link MOST_COUNTED} at most. `from`: what follows "select from". */
export const boundedCountSql = (from: string): string =>
  `(select count(*)::integer from (select from ${from} limit ${MOST_COUNTED + 1}) counted)`;
