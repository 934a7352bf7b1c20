/** The reorganisations that this index followed. */
import type { Id } from '../../../chain/types.ts';
import { defineQuery, queryFunction } from '../../read/query.ts';
import { type AllEntriesSelection, defineList } from '../lists/define-list.ts';

/** The columns for `readReorganisation`. */
interface ReorganisationColumns {
  /** Grows with each of them: the place in the list. */
  readonly reorganisation_id: number;
  /** Time by the clock of the scanner's database, in seconds since the epoch. */
  readonly seen_at: number;
  /** Height of the last block that stayed. */
  readonly ancestor_height: number;
  readonly removed: string;
  readonly added: string;
}

export interface ReorganisationBlock {
  readonly height: number;
  readonly blockId: Id;
  /** The pool; null without proof of stake. */
  readonly poolId: Id | null;
}

export interface ReorganisationRow extends Omit<ReorganisationColumns, 'removed' | 'added'> {
  /** The blocks that were left, the lowest first. */
  readonly removed: readonly ReorganisationBlock[];
  /** Blocks added in the same commit: at least as many as were removed, unless the branch was shorter. */
  readonly added: readonly ReorganisationBlock[];
}

/** The reorganisations below an id, the newest first. */
const REORGANISATIONS_BELOW = defineQuery<[below: number | bigint, rowLimit: number], ReorganisationColumns>({
  name: 'reorganisations_below',
  parameters: { below: 'bigint', row_limit: 'integer' },
  select: `
    select reorganisation_id, seen_at, ancestor_height, removed, added from reorganisations
    where reorganisation_id < :below
    order by reorganisation_id desc limit :row_limit`,
});

/** The number of removed blocks, as the index has it. */
const DEPTH = `cardinality(string_to_array(removed, ','))`;

/** Reads the reorganisation that removed most blocks; the newest of several. No row if this index has followed none. */
export const getDeepestReorganisation = queryFunction<[], ReorganisationColumns & { readonly depth: number }>({
  name: 'deepest_reorganisation',
  parameters: {},
  select: `
    select reorganisation_id, seen_at, ancestor_height, removed, added, ${DEPTH} as depth from reorganisations
    order by ${DEPTH} desc, reorganisation_id desc limit 1`,
});

/** Parses a row of {@link REORGANISATION_LIST}. */
export function readReorganisation(row: ReorganisationColumns): ReorganisationRow {
  return { ...row, removed: readBlocks(row.removed), added: readBlocks(row.added) };
}

function readBlocks(text: string): ReorganisationBlock[] {
  if (text === '') return [];
  return text.split(',').map((entry) => {
    const [height, blockId, poolId] = entry.split(':') as [string, Id, Id];
    return { height: Number(height), blockId, poolId: poolId === '' ? null : poolId };
  });
}

/** All of them. Two indexes with the same tip may have seen others, and so may one that came back to a tip. */
export const REORGANISATION_LIST = defineList<
  AllEntriesSelection,
  { readonly reorganisationId: number },
  ReorganisationColumns
>({
  name: () => 'reorganisations',
  fields: { reorganisationId: 'int53' },
  sortKey: ({ reorganisation_id }) => ({ reorganisationId: reorganisation_id }),
  read: async (store, { after, limit }) => {
    const below = after?.reorganisationId ?? Number.MAX_SAFE_INTEGER;
    return { ...(await store.query(REORGANISATIONS_BELOW, below, limit)), dependsOnHistory: true };
  },
});
