/** The time-locked outputs of an address, in the order in which their locks end. */
import { TARGET_BLOCK_SECONDS } from '../../../chain/networks/network.ts';
import type { Destination } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner } from '../../read/query.ts';
import { defineList, type OwnerSelection, type RowRange } from '../lists/define-list.ts';
import { OUTPUT_ORDER, OUTPUT_POSITION_PARAMETERS, type OutputSortKey, type UtxoRow } from './address-outputs.ts';

export interface UnlockRow extends UtxoRow {
  /** The height or the median time past from which it is spendable; the other is null. */
  readonly unlock_height: number | null;
  readonly unlock_time: number | null;
  /** The time when it opens, in seconds since the epoch. For a lock by height it is the estimate at the anchor. */
  readonly opens_at: bigint;
  /** The anchor of the list. */
  readonly anchor_height: number;
  readonly anchor_time: number;
  readonly seconds_per_block: number;
}

/**
 * The time when an entry opens, and its position in the chain. The anchor, height and timestamp of the tip at the first
 * page, makes heights comparable with times. It must stay the same from page to page, or entries would be repeated or
 * skipped.
 */
interface UnlockKey extends OutputSortKey {
  readonly anchorHeight: number;
  readonly anchorTime: number;
  readonly opensAt: bigint;
}

type SortKeyParameters = [
  anchorHeight: number | null,
  anchorTime: number | null,
  opensAt: bigint,
  height: number,
  position: number,
  outputIndex: number,
];

const LAST = 0x7fff_ffff;
/** The height of locks by height that open at that time, if there are any. */
const HEIGHT_THEN = 'a.height + floor((:opens_at - a.time)::numeric / :seconds_per_block)::bigint';
const IS_A_HEIGHT = '(:opens_at - a.time) % :seconds_per_block = 0';

const UNLOCKS_OF_ADDRESS = defineQuery<
  [owner: Destination, secondsPerBlock: number, ...SortKeyParameters, rowLimit: number],
  UnlockRow
>({
  name: 'unlocks_of_address',
  parameters: {
    owner: 'bytea',
    seconds_per_block: 'integer',
    anchor_height: 'integer',
    anchor_time: 'bigint',
    opens_at: 'bigint',
    ...OUTPUT_POSITION_PARAMETERS,
    row_limit: 'integer',
  },
  select: `
    select u.height, u.position, u.output_index, o.entry, b.place as block_reference, u.unlock_height, u.unlock_time,
           u.opens_at::numeric as opens_at, a.height as anchor_height, a.time as anchor_time,
           :seconds_per_block as seconds_per_block
    from (
      select coalesce(:anchor_height, (select height from chain_tip)) as height, coalesce(:anchor_time, (select timestamp from chain_tip)) as time
    ) a
    cross join lateral (
      (select height, position, output_index, unlock_height, null::bigint as unlock_time,
              a.time + (unlock_height - a.height) * :seconds_per_block as opens_at
       from utxos
       where owner = :owner and unlock_height is not null
         and (unlock_height, height, position, output_index)
             > (${HEIGHT_THEN}, case when ${IS_A_HEIGHT} then :height else ${LAST} end,
                case when ${IS_A_HEIGHT} then :position else ${LAST} end,
                case when ${IS_A_HEIGHT} then :output_index else ${LAST} end)
       order by unlock_height, height, position, output_index limit :row_limit)
      union all
      (select height, position, output_index, null, unlock_time, unlock_time
       from utxos
       where owner = :owner and unlock_time is not null
         and (unlock_time, height, position, output_index) > (:opens_at, :height, :position, :output_index)
       order by unlock_time, height, position, output_index limit :row_limit)
      order by opens_at, height, position, output_index limit :row_limit
    ) u
    join outputs o on o.height = u.height and o.position = u.position and o.output_index = u.output_index
    join blocks b on b.height = u.height
    order by u.opens_at, u.height, u.position, u.output_index`,
});

/** The time-locked outputs of an address. */
export const UNLOCK_LIST = defineList<OwnerSelection, UnlockKey, UnlockRow>({
  name: ({ owner }) => `address-unlocks ${owner}`,
  fields: { anchorHeight: 'int32', anchorTime: 'int53', opensAt: 'int64', ...OUTPUT_ORDER.fields },
  sortKey: (row) => ({
    anchorHeight: row.anchor_height,
    anchorTime: row.anchor_time,
    opensAt: row.opens_at,
    ...OUTPUT_ORDER.sortKey(row),
  }),
  read: (store, page) => readUnlocks(store, TARGET_BLOCK_SECONDS, page),
});

/** The owner, and how many seconds a block is expected to take: 1 or more, the chain's target unless given. */
export interface OwnerAtPaceSelection extends OwnerSelection {
  readonly secondsPerBlock?: number;
}

/** The same at another pace, which the cursors of its pages keep. */
export const UNLOCK_LIST_AT_PACE = defineList<
  OwnerAtPaceSelection,
  UnlockKey & { readonly secondsPerBlock: number },
  UnlockRow
>({
  name: ({ owner }) => `address-unlocks-at-pace ${owner}`,
  fields: { secondsPerBlock: 'int32', ...UNLOCK_LIST.fields },
  sortKey: (row) => ({ secondsPerBlock: row.seconds_per_block, ...UNLOCK_LIST.sortKey(row) }),
  read: (store, { secondsPerBlock = TARGET_BLOCK_SECONDS, ...page }) =>
    readUnlocks(store, page.after?.secondsPerBlock ?? secondsPerBlock, page),
});

function readUnlocks(
  store: QueryRunner,
  secondsPerBlock: number,
  { owner, after, limit }: OwnerSelection & RowRange<UnlockKey>,
) {
  return store.query(UNLOCKS_OF_ADDRESS, owner, secondsPerBlock, ...sortKeyParameters(after), limit);
}

function sortKeyParameters(after: UnlockKey | null): SortKeyParameters {
  if (after === null) return [null, null, -1n, -1, -1, -1];
  return [after.anchorHeight, after.anchorTime, after.opensAt, after.height, after.position, after.outputIndex];
}
