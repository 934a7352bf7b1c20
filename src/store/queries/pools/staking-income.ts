/** What the pools and delegations of addresses earned by day, newest first, and in all. */
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { boundQuery, defineQuery, type Query } from '../../read/query.ts';
import { defineExportableList, type NotNull } from '../lists/define-list.ts';
import { WALLET_OWNERS_SQL } from '../wallets/wallet-owners.ts';
import { type DayRange, dayRangeName, MAX_DAY, rewardsSql } from './staking-days.ts';

/** What a pool or delegation earned in a day; the fields of the day are null in the one row if there are no days. */
export interface IncomeRow {
  /** Of the whole range. */
  readonly all_of_pools: Atoms;
  readonly all_of_delegations: Atoms;
  /** Days since the epoch. */
  readonly day: number | null;
  /** Of the pool or delegation. */
  readonly stake_id: Id | null;
  readonly is_pool: boolean | null;
  readonly rewards: Atoms | null;
}

export type IncomeEntryRow = NotNull<IncomeRow, 'day' | 'stake_id' | 'is_pool' | 'rewards'>;

/** All that a row of stakes (`stake`) had earned by the days that `where` admits, the newest first. */
const daysSql = (stake: string, where: string, limit = '1'): string => `
        (select day, ${rewardsSql('d')} as earned from delegation_days d
         where not ${stake}.is_pool and d.delegation_id = ${stake}.id and ${where} order by d.day desc limit ${limit})
        union all
        (select day, staker_rewards from pool_days d
         where ${stake}.is_pool and d.pool_id = ${stake}.id and ${where} order by d.day desc limit ${limit})`;

/** All that a stake had earned before the day. */
const earnedBeforeSql = (day: string): string => `
        case when s.changed_day < ${day} then s.earned
             else coalesce((select e.earned from (${daysSql('s', `d.day < ${day}`)}) e), 0) end`;

type IncomeParameters = [
  owners: readonly Destination[],
  since: number,
  below: number,
  beforeDay: number,
  beforeId: Id,
  rowLimit: number | null,
];

/**
 * The newest day of each stake comes first; days before the last of as many as a page has are not read. A day and a stake
 * have one row. What was earned before the range is looked up only if there may be something.
 */
const INCOME: Query<IncomeParameters, IncomeRow> = defineQuery({
  name: 'staking_income',
  parameters: {
    owners: 'bytea[]',
    since: 'integer',
    below: 'integer',
    before_day: 'integer',
    before_id: 'bytea',
    row_limit: 'integer',
  },
  select: `
    with stakes as materialized (
      select g.delegation_id as id, false as is_pool, g.changed_day, ${rewardsSql('g')} as earned
      from ${WALLET_OWNERS_SQL} join delegations g on g.spend_destination = w.owner
      union all
      select p.pool_id, true, p.changed_day, p.staker_rewards
      from ${WALLET_OWNERS_SQL} join pools p on p.decommission_destination = w.owner
    ),
    newest as materialized (
      select s.*, b.below, n.day
      from stakes s
      cross join lateral (
        select least(:below, :before_day + case when s.id > :before_id then 1 else 0 end) as below offset 0
      ) b
      cross join lateral (
        select s.changed_day as day where s.changed_day < b.below
        union all
        select e.day from (${daysSql('s', 'd.day < b.below')}) e where s.changed_day >= b.below
      ) n
      where n.day >= :since
      order by n.day desc, s.id limit :row_limit
    ),
    lowest as materialized (
      select case when count(*) = :row_limit then min(day) else :since end as day from newest
    )
    select a.of_pools as all_of_pools, a.of_delegations as all_of_delegations, d.*
    from (
      select coalesce(sum(earned) filter (where is_pool), 0) as of_pools,
             coalesce(sum(earned) filter (where not is_pool), 0) as of_delegations
      from (
        select s.is_pool,
               ${earnedBeforeSql('greatest(:below, :since)')} - case when :since <= 0 then 0 else ${earnedBeforeSql(':since')} end as earned
        from stakes s
      ) e
    ) a
    left join lateral (
      select l.day, l.id as stake_id, l.is_pool,
             l.earned - coalesce((select e.earned from (${daysSql('l', 'd.day < l.day')}) e), 0) as rewards
      from (
        select s.id, s.is_pool, c.day, c.earned
        from newest s
        cross join lateral (
          select s.changed_day as day, s.earned where s.changed_day < s.below and s.changed_day >= (select day from lowest)
          union all
          select e.day, e.earned
          from (${daysSql('s', 'd.day < s.below and d.day >= (select day from lowest)', ':row_limit')}) e
        ) c
        order by c.day desc, s.id limit :row_limit
      ) l
    ) d on true`,
});

interface IncomeSelection {
  /** Each once. */
  readonly owners: readonly Destination[];
  readonly days: DayRange;
}

interface IncomeKey {
  readonly day: number;
  readonly stakeId: Id;
}

/**
 * The income of addresses: a row for each pool or delegation and day in which it changed, days without a reward included. Each
 * page looks at every pool and delegation of the addresses, in a statement of its own.
 */
export const STAKING_INCOME_LIST = defineExportableList<IncomeSelection, IncomeKey, IncomeRow, IncomeEntryRow>({
  name: ({ owners, days }) => `staking-income ${owners.toSorted().join()} ${dayRangeName(days)}`,
  fields: { day: 'int32', stakeId: 'hash' },
  sortKey: ({ day, stake_id }) => ({ day, stakeId: stake_id }),
  isEntry: (row): row is IncomeEntryRow => row.day !== null,
  query({ owners, days: { since, below } }, after, limit) {
    const { day, stakeId } = after ?? { day: MAX_DAY - 1, stakeId: '' };
    return boundQuery(INCOME, owners, since, below, day, stakeId, limit);
  },
  isLong: () => true,
});
