/**
 * The blocks that this index added and removed, as one sequence of events that is counted from 0: the genesis first, then each
 * block as it came, and in a reorganisation the removed blocks from the highest down. Nothing ever changes an event: it follows
 * from the log of reorganisations, which none of them undoes, and from the blocks that they left.
 */
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

/**
 * Reads events in their order from a sequence number on; without one the newest ones. At least one row. A turn is what happened up
 * to a reorganisation: the blocks above `base` came, up to `top`; then those above its ancestor went. The last turn has none.
 */
export const listBlockEvents = queryFunction<[sequence: number | null, rowLimit: number], BlockEventRow>({
  name: 'block_events',
  parameters: { sequence: 'bigint', row_limit: 'integer' },
  select: `
    with reached as (
      select reorganisation_id, ancestor_height, removed, ancestor_height + cardinality(string_to_array(removed, ',')) as top
      from reorganisations
      union all
      select 9223372036854775807, height, '', height from chain_tip
    ), turns as (
      select *, (sum(top - base + top - ancestor_height) over (order by reorganisation_id))::bigint as ends
      from (select *, lag(ancestor_height, 1, -1) over (order by reorganisation_id) as base from reached) r
    ), bounds as (
      select total, coalesce(:sequence, greatest(0, total - :row_limit)) as first from (select max(ends) as total from turns) t
    )
    select b.total - 1 as max_sequence, e.sequence, e.is_removal, e.height,
           case when e.is_removal then ${removedIdSql('e', 'e.height')} else coalesce(
             (select ${removedIdSql('l', 'e.height')} from reorganisations l
              where l.reorganisation_id >= e.reorganisation_id and l.ancestor_height < e.height
              order by l.reorganisation_id limit 1),
             (select block_id from blocks where height = e.height)) end as block_id
    from bounds b
    left join lateral (
      select t.*, s.sequence, s.sequence - v.came >= 0 as is_removal,
             (case when s.sequence < v.came then t.top - (v.came - 1 - s.sequence) else t.top - (s.sequence - v.came) end)::int as height
      from turns t
      cross join lateral (select t.ends - (t.top - t.ancestor_height) as came) v
      cross join lateral generate_series(
        greatest(b.first, v.came - (t.top - t.base)), least(b.first + :row_limit, t.ends) - 1) as s (sequence)
      where t.ends > b.first
    ) e on true
    order by e.sequence`,
});
