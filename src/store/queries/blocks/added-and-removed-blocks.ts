/**
 * The blocks that this index added and removed, as one sequence of events that is counted from 0: the genesis first, then each
 * block as it came, and in a reorganisation the removed blocks from the highest down. Nothing ever changes an event: it follows
 * from the log of reorganisations, of which no reorganisation removes a row, and from the blocks that are left.
 */
import { MAX_REORGANISATION_DEPTH } from '../../../chain/reorganisation-depth.ts';
import type { Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';

interface BlockEventRow {
  /** The sequence number of the newest event. */
  readonly max_sequence: number;
  /** Null in the one row if there is no event from the offset on. */
  readonly sequence: number | null;
  readonly is_removal: boolean | null;
  readonly height: number | null;
  readonly block_id: Id | null;
}

/** The id of the block that a reorganisation removed at a height: `removed` has them in order. */
const removedIdSql = (table: string, height: string) =>
  `decode(split_part(split_part(${table}.removed, ',', ${height} - ${table}.ancestor_height), ':', 2), 'hex')`;

/** The sequence number of the next event, less the height of the tip: it changes only with a reorganisation. */
export const EVENTS_BEYOND_HEIGHT_SQL =
  'coalesce((select event_count - ancestor_height from reorganisations order by reorganisation_id desc limit 1), 1)';

/**
 * Reads events in their order from a sequence number on; without one the newest ones. At least one row. A turn is what happened up
 * to a reorganisation: blocks came, up to `top`; then those above its ancestor went. The last turn has no reorganisation.
 */
export const listBlockEvents = queryFunction<[sequence: number | null, rowLimit: number], BlockEventRow>({
  name: 'block_events',
  parameters: { sequence: 'bigint', row_limit: 'integer' },
  select: `
    with bounds as (
      select height, total, coalesce(:sequence, greatest(0, total - :row_limit)) as first
      from (select height, height + ${EVENTS_BEYOND_HEIGHT_SQL} as total from chain_tip) t
    ), turns as (
      select *, lag(ends, 1, 0::bigint) over (order by ends, reorganisation_id) as began
      from (
        (select reorganisation_id, ancestor_height, removed, ancestor_height + cardinality(string_to_array(removed, ',')) as top,
                event_count as ends
         from reorganisations where event_count > (select first from bounds) order by event_count limit :row_limit)
        union all
        select 9223372036854775807, height, '', height, total from bounds
      ) r
    )
    select b.total - 1 as max_sequence, e.sequence, e.is_removal, e.height,
           case when e.is_removal then ${removedIdSql('e', 'e.height')} else coalesce(
             (select ${removedIdSql('l', 'e.height')} from reorganisations l where l.reorganisation_id = (
                select min(m.reorganisation_id + 0) from reorganisations m
                where m.ancestor_height < e.height and m.ancestor_height >= e.height - ${MAX_REORGANISATION_DEPTH}
                  and m.reorganisation_id >= e.reorganisation_id)),
             (select block_id from blocks where height = e.height)) end as block_id
    from bounds b
    left join lateral (
      select t.*, s.sequence, s.sequence - v.came >= 0 as is_removal,
             (case when s.sequence < v.came then t.top - (v.came - 1 - s.sequence) else t.top - (s.sequence - v.came) end)::int as height
      from turns t
      cross join lateral (select t.ends - (t.top - t.ancestor_height) as came) v
      cross join lateral generate_series(
        greatest(b.first, t.began), least(b.first + :row_limit, t.ends) - 1) as s (sequence)
      where t.ends > b.first
    ) e on true
    order by e.sequence`,
});
