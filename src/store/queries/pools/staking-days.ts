/** What delegations and pools got by day, newest first, and how a day's rewards of a pool were split. */
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { boundQuery, defineQuery, type Query } from '../../read/query.ts';
import { defineExportableList, type ExportableList, type NotNull } from '../lists/define-list.ts';

/** Days since the epoch: from `since` on, and before `below`. */
export interface DayRange {
  readonly since: number;
  readonly below: number;
}

/** More days than there will ever be. */
export const MAX_DAY = 2 ** 31 - 1;
export const ALL_DAYS: DayRange = { since: 0, below: MAX_DAY };

export const dayRangeName = ({ since, below }: DayRange): string => `${since} ${below}`;

/** The place of a day in a list: the days before it come after it. */
interface DayKey {
  readonly day: number;
}

/** All that was put into a delegation and taken out, and its rewards, since it was created. */
interface DelegationSums {
  readonly all_deposited: Atoms;
  readonly all_withdrawn: Atoms;
  readonly all_rewards: Atoms;
}

/** A day in which a delegation changed; its fields are null in the one row of a delegation without days in the range. */
export interface DelegationDayRow extends DelegationSums {
  readonly pool_id: Id;
  /** Days since the epoch. */
  readonly day: number | null;
  readonly deposited: Atoms | null;
  readonly withdrawn: Atoms | null;
  readonly rewards: Atoms | null;
  /** At its end, or now. */
  readonly balance: Atoms | null;
}

export type DelegationDayEntryRow = NotNull<DelegationDayRow, keyof DelegationDayRow>;

type DaysParameters = [id: Id, since: number, below: number, rowLimit: number | null];
const DAYS_COLUMNS = { id: 'bytea', since: 'integer', below: 'integer', row_limit: 'integer' } as const;

/** The rewards of a row of delegations or delegation_days. */
export const rewardsSql = (row: string): string => `${row}.balance + ${row}.withdrawn - ${row}.deposited`;

const DELEGATION_DAYS: Query<DaysParameters, DelegationDayRow> = defineQuery({
  name: 'delegation_days',
  parameters: DAYS_COLUMNS,
  select: `
    select g.pool_id, g.deposited as all_deposited, g.withdrawn as all_withdrawn, ${rewardsSql('g')} as all_rewards, d.*
    from delegations g
    left join lateral (
      select c.day, c.deposited - coalesce(b.deposited, 0) as deposited, c.withdrawn - coalesce(b.withdrawn, 0) as withdrawn,
             ${rewardsSql('c')} - coalesce(${rewardsSql('b')}, 0) as rewards, c.balance
      from (
        (select g.changed_day as day, g.balance, g.deposited, g.withdrawn
         where g.changed_day >= :since and g.changed_day < :below)
        union all
        (select day, balance, deposited, withdrawn from delegation_days
         where delegation_id = g.delegation_id and day >= :since and day < :below
         order by day desc limit :row_limit)
      ) c
      left join lateral (
        select balance, deposited, withdrawn from delegation_days
        where delegation_id = g.delegation_id and day < c.day order by day desc limit 1
      ) b on true
      limit :row_limit
    ) d on true
    where g.delegation_id = :id`,
});

/** A day in which a pool changed; its fields are null in the one row of a pool without days in the range. */
interface PoolDayRow {
  readonly pool_id: Id;
  /** Days since the epoch. */
  readonly day: number | null;
  readonly blocks: number | null;
  readonly staker_rewards: Atoms | null;
  readonly delegation_rewards: Atoms | null;
  /** At its end, or now. */
  readonly staker_balance: Atoms | null;
  readonly delegations_balance: Atoms | null;
  readonly delegation_count: number | null;
}

export type PoolDayEntryRow = NotNull<PoolDayRow, keyof PoolDayRow>;

const POOL_DAY_COLUMNS = `staker_balance, delegations_balance, delegation_count, blocks_total, staker_rewards,
                delegation_rewards`;

const POOL_DAYS: Query<DaysParameters, PoolDayRow> = defineQuery({
  name: 'pool_days',
  parameters: DAYS_COLUMNS,
  select: `
    select p.pool_id, d.*
    from pools p
    left join lateral (
      select c.day, c.blocks_total - coalesce(b.blocks_total, 0) as blocks,
             c.staker_rewards - coalesce(b.staker_rewards, 0) as staker_rewards,
             c.delegation_rewards - coalesce(b.delegation_rewards, 0) as delegation_rewards,
             c.staker_balance, c.delegations_balance, c.delegation_count
      from (
        (select p.changed_day as day, p.staker_balance, p.delegations_balance, p.delegation_count, p.blocks_total,
                p.staker_rewards, p.delegation_rewards
         where p.changed_day >= :since and p.changed_day < :below)
        union all
        (select day, ${POOL_DAY_COLUMNS} from pool_days
         where pool_id = p.pool_id and day >= :since and day < :below
         order by day desc limit :row_limit)
      ) c
      left join lateral (
        select blocks_total, staker_rewards, delegation_rewards from pool_days
        where pool_id = p.pool_id and day < c.day order by day desc limit 1
      ) b on true
      limit :row_limit
    ) d on true
    where p.pool_id = :id`,
});

interface StakeDaysSelection {
  /** Of the delegation or pool. */
  readonly id: Id;
  readonly days: DayRange;
}

function dayList<Row extends { readonly day: number | null }, Entry extends Row & { readonly day: number }>(
  name: string,
  query: Query<DaysParameters, Row>,
): ExportableList<StakeDaysSelection, DayKey, Row, Entry> {
  return defineExportableList({
    name: ({ id, days }) => `${name} ${id} ${dayRangeName(days)}`,
    fields: { day: 'int32' },
    sortKey: ({ day }) => ({ day }),
    isEntry: (row): row is Entry => row.day !== null,
    query: ({ id, days: { since, below } }, after, limit) =>
      boundQuery(query, id, since, Math.min(below, after?.day ?? MAX_DAY), limit),
  });
}

/** The days of a delegation; no row for an id that is none. */
export const DELEGATION_DAY_LIST = dayList<DelegationDayRow, DelegationDayEntryRow>('delegation-days', DELEGATION_DAYS);

/** The days of a pool; no row for an id that is none. */
export const POOL_DAY_LIST = dayList<PoolDayRow, PoolDayEntryRow>('pool-days', POOL_DAYS);

/** What a delegation got of a pool's rewards of a day; the fields are null in the one row of a pool that paid none. */
interface RewardShareRow {
  readonly pool_id: Id;
  readonly delegation_id: Id | null;
  readonly spend_destination: Destination | null;
  /** At the end of the day, or now. */
  readonly balance: Atoms | null;
  /** Above zero. */
  readonly rewards: Atoms | null;
}

export type RewardShareEntryRow = NotNull<
  RewardShareRow,
  'delegation_id' | 'spend_destination' | 'balance' | 'rewards'
>;

type ShareParameters = [poolId: Id, day: number, after: Id, rowLimit: number | null];

/** Looks at every delegation of the pool after the place, whether it had a reward or not. */
const REWARD_SHARES: Query<ShareParameters, RewardShareRow> = defineQuery({
  name: 'reward_shares',
  parameters: { pool_id: 'bytea', day: 'integer', after: 'bytea', row_limit: 'integer' },
  select: `
    select p.pool_id, l.*
    from pools p
    left join lateral (
      select g.delegation_id, g.spend_destination, s.balance, s.rewards
      from delegations g
      cross join lateral (
        select e.balance,
               ${rewardsSql('e')} - coalesce((select ${rewardsSql('b')} from delegation_days b
                                              where b.delegation_id = g.delegation_id and b.day < :day
                                              order by b.day desc limit 1), 0) as rewards
        from (
          select g.balance, g.deposited, g.withdrawn where g.changed_day = :day
          union all
          select balance, deposited, withdrawn from delegation_days
          where g.changed_day > :day and delegation_id = g.delegation_id and day = :day
        ) e
      ) s
      where g.pool_id = p.pool_id and g.delegation_id > :after and s.rewards > 0
      order by g.delegation_id limit :row_limit
    ) l on true
    where p.pool_id = :pool_id`,
});

interface RewardShareSelection {
  readonly poolId: Id;
  /** Days since the epoch. */
  readonly day: number;
}

interface RewardShareKey {
  readonly delegationId: Id;
}

/** How the rewards of a pool's day were split, by delegation; no row for an id that is no pool. */
export const REWARD_SHARE_LIST = defineExportableList<
  RewardShareSelection,
  RewardShareKey,
  RewardShareRow,
  RewardShareEntryRow
>({
  name: ({ poolId, day }) => `reward-shares ${poolId} ${day}`,
  fields: { delegationId: 'hash' },
  sortKey: ({ delegation_id }) => ({ delegationId: delegation_id }),
  isEntry: (row): row is RewardShareEntryRow => row.delegation_id !== null,
  query: ({ poolId, day }, after, limit) => boundQuery(REWARD_SHARES, poolId, day, after?.delegationId ?? '', limit),
  isLong: () => true,
});
