/** The time-locked outputs of an address, in the order in which their locks end. */
import { DAY_SECONDS } from '../../../chain/calendar.ts';
import { TARGET_BLOCK_SECONDS } from '../../../chain/networks/network.ts';
import type { Atoms, Destination } from '../../../chain/types.ts';
import { defineQuery, type Query, type QueryRunner } from '../../read/query.ts';
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

/** With what opens soon after the anchor, which each row says: of the next {@link MOST_SUMMED} outputs at most. */
export interface UnlockRowWithSums extends UnlockRow {
  readonly coins_in_week: Atoms;
  readonly coins_in_month: Atoms;
  readonly sums_are_partial: boolean;
}

/** The text of an output has its amount, so few are read. */
export const MOST_SUMMED = 100;

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

const [WEEK_SECONDS, MONTH_SECONDS] = [7 * DAY_SECONDS, 30 * DAY_SECONDS];

const ANCHOR_SQL = `(
      select coalesce(:anchor_height, (select height from chain_tip)) as height, coalesce(:anchor_time, (select timestamp from chain_tip)) as time
    ) a`;

/** Materialized, because otherwise each row sums again. */
const WITH_SUMS_SQL = `
    with sums as materialized (
      select coalesce(sum(atoms) filter (where opens_at <= a.time + ${WEEK_SECONDS}), 0) as coins_in_week,
             coalesce(sum(atoms), 0) as coins_in_month, count(*) = ${MOST_SUMMED} as sums_are_partial
      from ${ANCHOR_SQL}
      cross join lateral (
        (select height, position, output_index, a.time + (unlock_height - a.height) * :seconds_per_block as opens_at
         from utxos
         where owner = :owner and unlock_height <= a.height + ${MONTH_SECONDS} / :seconds_per_block
         order by unlock_height, height, position, output_index limit ${MOST_SUMMED})
        union all
        (select height, position, output_index, unlock_time from utxos
         where owner = :owner and unlock_time <= a.time + ${MONTH_SECONDS}
         order by unlock_time, height, position, output_index limit ${MOST_SUMMED})
        order by opens_at, height, position, output_index limit ${MOST_SUMMED}
      ) soon
      join outputs o on o.height = soon.height and o.position = soon.position and o.output_index = soon.output_index
      cross join lateral (select (o.entry || '}')::jsonb #> '{utxo,value}' as value offset 0) v
      cross join lateral (select case value ->> 'type' when 'Coin' then (value #>> '{amount,atoms}')::numeric end as atoms) c
    )`;

type UnlockParameters = [owner: Destination, secondsPerBlock: number, ...SortKeyParameters, rowLimit: number];

const unlocksOfAddress = <Row extends UnlockRow>(name: string, { hasSums }: { readonly hasSums: boolean }) =>
  defineQuery<UnlockParameters, Row>({
    name,
    parameters: {
      owner: 'bytea',
      seconds_per_block: 'integer',
      anchor_height: 'integer',
      anchor_time: 'bigint',
      opens_at: 'bigint',
      ...OUTPUT_POSITION_PARAMETERS,
      row_limit: 'integer',
    },
    select: `${hasSums ? WITH_SUMS_SQL : ''}
    select u.height, u.position, u.output_index, o.entry, b.place as block_reference, u.unlock_height, u.unlock_time,
           u.opens_at::numeric as opens_at, a.height as anchor_height, a.time as anchor_time,
           :seconds_per_block as seconds_per_block${hasSums ? ', sums.*' : ''}
    from ${ANCHOR_SQL}${hasSums ? ' cross join sums' : ''}
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

const UNLOCKS = unlocksOfAddress<UnlockRow>('unlocks_of_address', { hasSums: false });
const UNLOCKS_WITH_SUMS = unlocksOfAddress<UnlockRowWithSums>('unlocks_of_address_with_sums', { hasSums: true });

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
  read: (store, page) => readUnlocks(store, UNLOCKS, TARGET_BLOCK_SECONDS, page),
});

/** The owner, and how many seconds a block is expected to take: 1 or more, the chain's target unless given. */
export interface OwnerAtPaceSelection extends OwnerSelection {
  readonly secondsPerBlock?: number;
}

/** The same with sums and at another pace, which the cursors of its pages keep. */
export const UNLOCK_LIST_AT_PACE = defineList<
  OwnerAtPaceSelection,
  UnlockKey & { readonly secondsPerBlock: number },
  UnlockRowWithSums
>({
  name: ({ owner }) => `address-unlocks-at-pace ${owner}`,
  fields: { secondsPerBlock: 'int32', ...UNLOCK_LIST.fields },
  sortKey: (row) => ({ secondsPerBlock: row.seconds_per_block, ...UNLOCK_LIST.sortKey(row) }),
  read: (store, { secondsPerBlock = TARGET_BLOCK_SECONDS, ...page }) =>
    readUnlocks(store, UNLOCKS_WITH_SUMS, page.after?.secondsPerBlock ?? secondsPerBlock, page),
});

function readUnlocks<Row>(
  store: QueryRunner,
  query: Query<UnlockParameters, Row>,
  secondsPerBlock: number,
  { owner, after, limit }: OwnerSelection & RowRange<UnlockKey>,
) {
  return store.query(query, owner, secondsPerBlock, ...sortKeyParameters(after), limit);
}

function sortKeyParameters(after: UnlockKey | null): SortKeyParameters {
  if (after === null) return [null, null, -1n, -1, -1, -1];
  return [after.anchorHeight, after.anchorTime, after.opensAt, after.height, after.position, after.outputIndex];
}
