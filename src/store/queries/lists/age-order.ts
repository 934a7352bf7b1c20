/** The orders of lists by the height at which their entries were created. */
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';

/** `by_height`: newest first. `by_age`: the oldest first. */
export const AGE_SORTS = ['by_height', 'by_age'] as const;
export type AgeSort = (typeof AGE_SORTS)[number];

export interface ByAge {
  readonly sort?: AgeSort;
}

/** The directions of heights and ids, which are those of one index, and the height before all entries. */
export const AGE_ORDERS = {
  by_height: { direction: 'desc', idDirection: 'asc', first: MAX_HEIGHT },
  by_age: { direction: 'asc', idDirection: 'desc', first: -1 },
} as const;
