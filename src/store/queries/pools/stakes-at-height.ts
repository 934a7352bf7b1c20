/**
 * What the stakes of a pool after any block follow from: how they were at the end of the day before, and what has happened since
 * (docs/decisions/balances-with-a-past.md).
 */
import type { Atoms, Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';

/** The first block of the day of `:height`, and the day. */
const DAY_SQL = '(select height, day from days where height <= :height order by height desc limit 1) d';

/** The value of a column at the end of the day before. `table`: of the ends of days. */
const beforeDaySql = (table: string, id: string, column: string) => `
      case when o.changed_day < d.day then o.${column}
           else coalesce((select e.${column} from ${table} e where e.${id} = o.${id} and e.day < d.day
                          order by e.day desc limit 1), 0) end`;

interface PoolAtRow {
  readonly creation_height: number;
  readonly margin_ratio_per_thousand: number;
  readonly cost_per_block: Atoms;
  /** Null until it is decommissioned. */
  readonly decommissioned_height: number | null;
  /** At the end of the day before: what its blocks had paid to the staker, and what was delegated. */
  readonly staker_rewards: Atoms;
  readonly delegations_balance: Atoms;
  /** An output of the block that created it, of its decommission key. */
  readonly entry: string;
}

export const listPoolAt = queryFunction<[poolId: Id, height: number], PoolAtRow>({
  name: 'pool_at',
  parameters: { pool_id: 'bytea', height: 'integer' },
  select: `
    select o.creation_height, o.margin_ratio_per_thousand, o.cost_per_block, c.entry,
           (select height from transactions where tx_index = o.decommissioned_by) as decommissioned_height,
           ${beforeDaySql('pool_days', 'pool_id', 'staker_rewards')} as staker_rewards,
           ${beforeDaySql('pool_days', 'pool_id', 'delegations_balance')} as delegations_balance
    from pools o
    cross join ${DAY_SQL}
    join outputs c on c.owner = o.decommission_destination and c.height = o.creation_height
    where o.pool_id = :pool_id`,
});

/** A block of the pool; or what a transaction put into a delegation to the pool, less what it took out, before the block. */
interface PoolEventRow {
  readonly height: number;
  readonly delegation_id: Id | null;
  readonly change: Atoms;
  readonly fees: Atoms;
  readonly staker_reward: Atoms;
  readonly delegations_reward: Atoms;
}

/** Reads what happened to a pool and its delegations on the day of the block at a height, up to this block. */
export const listPoolEventsOfDay = queryFunction<[poolId: Id, height: number], PoolEventRow>({
  name: 'pool_events_of_day',
  parameters: { pool_id: 'bytea', height: 'integer' },
  select: `
    select b.height, null::bytea as delegation_id, 0::numeric as change, b.fees, b.staker_reward, b.delegations_reward
    from ${DAY_SQL}
    join blocks b on b.pool_id = :pool_id and b.height >= d.height and b.height <= :height
    union all
    select x.height, t.delegation_id, t.deposited - t.withdrawn, 0, 0, 0
    from ${DAY_SQL}
    join blocks f on f.height = d.height
    join blocks l on l.height = :height
    join delegations o on o.pool_id = :pool_id
    join delegation_transactions t on t.delegation_id = o.delegation_id
                                  and t.tx_index >= f.first_tx_index and t.tx_index < l.first_tx_index + l.tx_count
    join transactions x on x.tx_index = t.tx_index
    order by height, delegation_id`,
});

export const listDelegationsBeforeDay = queryFunction<
  [poolId: Id, height: number, delegationId: Id | null],
  { readonly delegation_id: Id; readonly balance: Atoms }
>({
  name: 'delegations_before_day',
  parameters: { pool_id: 'bytea', height: 'integer', delegation_id: 'bytea' },
  select: `
    select o.delegation_id, ${beforeDaySql('delegation_days', 'delegation_id', 'balance')} as balance
    from delegations o
    cross join ${DAY_SQL}
    where o.pool_id = :pool_id and o.delegation_id >= coalesce(:delegation_id, '')
      and o.delegation_id <= coalesce(:delegation_id, decode(repeat('ff', 32), 'hex'))`,
});
