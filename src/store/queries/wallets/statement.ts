/**
 * A statement of a wallet over UTC days, oldest first: what changed what its addresses hold, by transaction, and what changed
 * its pools and delegations, by day.
 */
import { COIN, type Currency } from '../../../chain/currency.ts';
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { BALANCE_CHANGE_KINDS, balanceChangeKindBit } from '../../../ledger/balance-change-kinds.ts';
import { boundQuery, defineQuery, type Query, queryFunction } from '../../read/query.ts';
import { defineExportableList } from '../lists/define-list.ts';
import { type DayRange, dayRangeName, rewardsSql } from '../pools/staking-days.ts';
import { CURRENCY_LABEL_COLUMNS, currencyLabelJoinsSql, type TokenLabelRow } from '../tokens/tokens.ts';
import type { WalletSelection } from './wallet-history.ts';
import { WALLET_OWNERS_SQL } from './wallet-owners.ts';

/** A line: of a transaction, a block reward or the genesis and a currency; or of a day and a pool or delegation. */
export interface StatementRow extends TokenLabelRow {
  /** Of the block; of a day, of its first block. */
  readonly height: number;
  /** The position of the transaction in its block plus two; 0 for a day. */
  readonly place: number;
  /** The currency; of a day, the pool or delegation. */
  readonly id: Currency | Id;
  /** Null if the line is not of a day. */
  readonly is_pool: boolean | null;
  /** The change of what the addresses hold; in the line of a day, the change of the stake. */
  readonly change: Atoms;
  /** See `balanceChangeKinds`; 0 for a day. */
  readonly kinds: number;
  /** Of the transaction, if an address of the wallet paid it. */
  readonly fee: Atoms;
  /** Of the day. */
  readonly rewards: Atoms;
  /** What others put into the delegation in the day, and what it paid to others alone: by transactions that have no line of coins. */
  readonly received: Atoms;
  readonly given: Atoms;
  /** Of the block, in seconds since the epoch. */
  readonly timestamp: number;
  readonly tx_id: Id | null;
  /** The transaction as JSON, if it may burn a protocol fee of the wallet, or move coins to or from its pools and delegations. */
  readonly body: string | null;
}

const bitsOfKinds = (names: RegExp) =>
  BALANCE_CHANGE_KINDS.filter((kind) => names.test(kind)).reduce((bits, kind) => bits | balanceChangeKindBit(kind), 0);

/** The kinds of transactions that burn a protocol fee, and those that move coins to or from pools and delegations. */
const FEE_KINDS = bitsOfKinds(/^(token|nft|data)/);
const STAKE_KINDS = bitsOfKinds(/^(pool|delegat)/);

const firstHeightSql = (day: string) =>
  `coalesce((select min(height) from days where day >= ${day}), (select height from chain_tip) + 1)`;

/** The heights of the days from `:since` on and before `:below`: `first`, `below`. The genesis is of the first day. */
const HEIGHTS_SQL = `
      select case when :since <= 0 then 0 else ${firstHeightSql(':since')} end as first, ${firstHeightSql(':below')} as below
      offset 0`;

/** The pools and delegations of the wallet `w`, with all that each has, and its rewards ever. */
const STAKES_SQL = `
      select g.delegation_id as id, false as is_pool, g.changed_day, g.balance, ${rewardsSql('g')} as earned
      from ${WALLET_OWNERS_SQL} join delegations g on g.spend_destination = w.owner
      where :currency is null or :currency = ''
      union all
      select p.pool_id, true, p.changed_day, p.staker_balance, p.staker_rewards
      from ${WALLET_OWNERS_SQL} join pools p on p.decommission_destination = w.owner
      where :currency is null or :currency = ''`;

/** The days of the stake `s` that `where` admits, in an order: the newest is in the row of the stake itself. */
const stakeDaysSql = (where: (day: string) => string, order: 'asc' | 'desc', limit: string) => `
        (select day, balance, ${rewardsSql('d')} as earned from delegation_days d
         where not s.is_pool and d.delegation_id = s.id and ${where('d.day')} order by day ${order} limit ${limit})
        union all
        (select day, staker_balance, staker_rewards from pool_days d
         where s.is_pool and d.pool_id = s.id and ${where('d.day')} order by day ${order} limit ${limit})
        union all
        select s.changed_day, s.balance, s.earned where ${where('s.changed_day')}`;

/** What others put into the delegation `c.id` in the day that begins with the block `d.height`, and what it paid to others alone. */
const MOVES_OF_OTHERS_SQL = `
        select coalesce(sum(m.deposited), 0) as received, coalesce(sum(m.withdrawn), 0) as given
        from delegation_transactions m
        join transactions x on x.tx_index = m.tx_index
        join blocks k on k.height = x.height
        where not c.is_pool and m.delegation_id = c.id
          and m.tx_index >= (select first_tx_index from blocks where height = d.height)
          and m.tx_index < coalesce((select first_tx_index from days n join blocks using (height)
                                     where n.day > c.day order by n.day limit 1), ${Number.MAX_SAFE_INTEGER})
          and not exists (
            select from ${WALLET_OWNERS_SQL} join balance_changes h on h.owner = w.owner and h.currency = ''
            where h.height = x.height and h.position = m.tx_index - k.first_tx_index and (h.change <> 0 or h.fee <> 0))`;

type LineParameters = [
  owners: readonly Destination[],
  currency: Currency | null,
  since: number,
  below: number,
  height: number,
  place: number,
  after: Currency | Id,
  rowLimit: number | null,
];

/**
 * The changes after the start of a page, as a range of one index. `from`: the start is one comparison of rows, because PostgreSQL
 * does not weigh two against each other.
 */
interface ChangesSql {
  readonly from: string;
  readonly order: string;
}

/**
 * The lines after a place. Of each address as many changes are read as the page has, of the stakes those days in which the first
 * of as many changed. The transaction is read only where it tells more than its kinds.
 */
const lines = (name: string, { from, order }: ChangesSql): Query<LineParameters, StatementRow> =>
  defineQuery({
    name,
    parameters: {
      owners: 'bytea[]',
      currency: 'bytea',
      since: 'integer',
      below: 'integer',
      height: 'integer',
      place: 'integer',
      after: 'bytea',
      row_limit: 'integer',
    },
    select: `
    with r as materialized (
      select h.below, s.*, (select day from days where height <= s.height order by height desc limit 1) as day
      from (${HEIGHTS_SQL}) h
      cross join lateral (
        select greatest(h.first, :height) as height, case when :height < h.first then 0 else :place end as place,
               case when :height < h.first then '' else :after end as id
      ) s
    ),
    held as (
      select c.height, c.position + 2 as place, c.currency as id, null::boolean as is_pool, sum(c.change) as change,
             bit_or(c.kinds) as kinds, sum(c.fee) as fee, 0 as rewards,
             0 as received, 0 as given
      from r
      cross join ${WALLET_OWNERS_SQL}
      cross join lateral (
        select * from balance_changes
        where owner = w.owner and ${from} and height < r.below and (change <> 0 or fee <> 0)
        order by ${order} limit :row_limit
      ) c
      group by c.height, c.position, c.currency order by c.height, c.position, c.currency limit :row_limit
    ),
    stakes as materialized (
      select e.*, greatest(:since, case when r.place = 0 and e.id > r.id then r.day else r.day + 1 end) as from_day
      from r cross join (${STAKES_SQL}) e
    ),
    last as materialized (
      select case when count(*) = :row_limit then max(day) else :below - 1 end as day
      from (
        select min(c.day) as day
        from stakes s
        cross join lateral (${stakeDaysSql((day) => `${day} >= s.from_day and ${day} < :below`, 'asc', '1')}) c
        group by s.id order by min(c.day) limit :row_limit
      ) n
    ),
    staked as (
      select d.height, 0 as place, c.id, c.is_pool, c.balance - coalesce(b.balance, 0) as change, 0 as kinds, 0 as fee,
             c.earned - coalesce(b.earned, 0) as rewards, o.received, o.given
      from (
        select s.id, s.is_pool, c.day, c.balance, c.earned
        from stakes s
        cross join lateral (
          ${stakeDaysSql((day) => `${day} >= s.from_day and ${day} <= (select day from last)`, 'asc', ':row_limit')}
        ) c
        order by c.day, s.id limit :row_limit
      ) c
      join days d on d.day = c.day
      left join lateral (
        select e.* from (select c.id, c.is_pool, c.day as changed_day, c.balance, c.earned) s
        cross join lateral (${stakeDaysSql((day) => `${day} < c.day`, 'desc', '1')}) e
      ) b on true
      cross join lateral (${MOVES_OF_OTHERS_SQL}) o
    )
    select l.*, b.timestamp, x.tx_id, x.body, ${CURRENCY_LABEL_COLUMNS}
    from (select * from held union all select * from staked order by height, place, id limit :row_limit) l
    cross join lateral (
      select timestamp, first_tx_index, tx_count from blocks where height = l.height offset 0
    ) b
    left join lateral (
      select tx_id, case when l.id = '' and (l.kinds & ${STAKE_KINDS} <> 0 or l.fee > 0 and l.kinds & ${FEE_KINDS} <> 0)
                         then body end as body from transactions
      where l.place >= 2 and l.place - 2 < b.tx_count and tx_index = b.first_tx_index + l.place - 2 offset 0
    ) x on true${currencyLabelJoinsSql('l.id')}`,
  });

const LINES = lines('statement', {
  from: '(height, position, currency) > (r.height, r.place - 2, r.id)',
  order: 'height, position, currency',
});

const LINES_OF_CURRENCY = lines('statement_of_currency', {
  from: 'currency = :currency and (height, position) > (r.height, r.place - 2)',
  order: 'height, position',
});

export interface StatementSelection extends WalletSelection {
  readonly days: DayRange;
}

export interface StatementLineKey {
  readonly height: number;
  readonly place: number;
  readonly id: Currency | Id;
}

/** The lines of a statement, in a statement of its own, as they read some of every address. */
export const STATEMENT_LIST = defineExportableList<StatementSelection, StatementLineKey, StatementRow>({
  name: ({ owners, currency, days }) =>
    `statement ${owners.toSorted().join()} ${currency ?? 'all'} ${dayRangeName(days)}`,
  fields: { height: 'int32', place: 'int32', id: 'optionalHash' },
  sortKey: ({ height, place, id }) => ({ height, place, id }),
  isEntry: (_): _ is StatementRow => true,
  query({ owners, currency, days: { since, below } }, after, limit) {
    const { height, place, id } = after ?? { height: -1, place: 0, id: COIN };
    const query = currency === null ? LINES : LINES_OF_CURRENCY;
    return boundQuery(query, owners, currency, since, below, height, place, id, limit);
  },
  isLong: () => true,
});

/** Lists the pools and delegations of a wallet; none for a token. */
export const listStakesOfWallet = queryFunction<
  [owners: readonly Destination[], currency: Currency | null],
  { readonly id: Id }
>({
  name: 'stakes_of_wallet',
  parameters: { owners: 'bytea[]', currency: 'bytea' },
  select: `select id from (${STAKES_SQL}) s`,
});

/** The bounds of a statement. */
interface StatementBoundsRow {
  /** The heights of its first block, and of the first block after it. */
  readonly first: number;
  readonly below: number;
  /** What the pools and delegations of the wallet had before it, and at its end. */
  readonly staked_before: Atoms;
  readonly staked_after: Atoms;
}

const stakedSql = (below: string) => `
           (select coalesce(sum(b.balance), 0) from stakes s
            cross join lateral (
              select e.balance from (${stakeDaysSql((day) => `${day} < ${below}`, 'desc', '1')}) e order by e.day desc limit 1
            ) b)`;

/** Reads the bounds of a statement: always one row. */
export const getStatementBounds = queryFunction<
  [owners: readonly Destination[], currency: Currency | null, since: number, below: number],
  StatementBoundsRow
>({
  name: 'statement_bounds',
  parameters: { owners: 'bytea[]', currency: 'bytea', since: 'integer', below: 'integer' },
  select: `
    with stakes as materialized (${STAKES_SQL})
    select h.first, h.below, ${stakedSql(':since')} as staked_before, ${stakedSql('greatest(:since, :below)')} as staked_after
    from (${HEIGHTS_SQL}) h`,
});
