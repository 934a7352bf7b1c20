/** Delegations, by id in every list, and the transactions of one. */
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { defineQuery, queryFunction } from '../../read/query.ts';
import { defineList, type List, type NotNull, type OwnerSelection } from '../lists/define-list.ts';
import { defineAnchors, pageStartSql } from '../lists/keyset.ts';
import { TRANSACTION_ORDER, type TransactionSortKey } from '../transactions/transactions.ts';

export interface DelegationRow {
  readonly delegation_id: Id;
  readonly pool_id: Id;
  readonly spend_destination: Destination;
  readonly balance: Atoms;
  readonly next_nonce: bigint;
  readonly creation_height: number;
}

/** A delegation in the list of its owner. */
export interface OwnedDelegationRow extends DelegationRow {
  /** Is the pool active? Otherwise the delegation earns nothing. Never null, as there is a pool. */
  readonly pool_is_active: boolean | null;
}

const COLUMNS = 'delegation_id, pool_id, spend_destination, balance, next_nonce, creation_height';

/** Reads a delegation. No row if there is none with the id. */
export const getDelegation = queryFunction<[delegationId: Id], DelegationRow>({
  name: 'delegation',
  parameters: { delegation_id: 'bytea' },
  select: `select ${COLUMNS} from delegations where delegation_id = :delegation_id`,
});

/** The SQL of the delegations after the sort key in `from`: `:` for the parameter, or the alias of a row with a dot. */
const delegationsOfPoolSql = (columns: string, from: string) => `
      select ${columns} from delegations
      where pool_id = :pool_id and delegation_id > ${from}after
      order by delegation_id`;

const DELEGATIONS_OF_POOL = defineQuery<[poolId: Id, after: Id, skip: number, rowLimit: number | null], DelegationRow>({
  name: 'delegations_of_pool',
  parameters: { pool_id: 'bytea', after: 'bytea', skip: 'bigint', row_limit: 'integer' },
  select: `
    select l.* from (
      ${pageStartSql(['after'], delegationsOfPoolSql('delegation_id', ':'))}
    ) s
    cross join lateral (${delegationsOfPoolSql(COLUMNS, 's.')} limit :row_limit) l`,
});

/** The most delegations of a pool among which the largest are looked for: the first ones by id. */
const MOST_RANKED = 10_000;

/** Reads the largest delegations of a pool, of the first {@link MOST_RANKED}. */
export const listLargestDelegations = queryFunction<[poolId: Id, rowLimit: number], DelegationRow>({
  name: 'largest_delegations_of_pool',
  parameters: { pool_id: 'bytea', row_limit: 'integer' },
  select: `
    select ${COLUMNS}
    from (select ${COLUMNS} from delegations where pool_id = :pool_id order by delegation_id limit ${MOST_RANKED}) d
    order by balance desc, delegation_id limit :row_limit`,
});

const DELEGATIONS_OF_ADDRESS = defineQuery<
  [spendDestination: Destination, after: Id, rowLimit: number | null],
  OwnedDelegationRow
>({
  name: 'delegations_of_address',
  parameters: { owner: 'bytea', after: 'bytea', row_limit: 'integer' },
  select: `
    select ${COLUMNS},
           (select staker_balance > 0 from pools where pool_id = delegations.pool_id) as pool_is_active
    from delegations
    where spend_destination = :owner and delegation_id > :after
    order by delegation_id limit :row_limit`,
});

/** Reads the pool of a delegation. No row if there is no delegation with the id. */
export const getPoolOfDelegation = queryFunction<[delegationId: Id], { readonly pool_id: Id }>({
  name: 'pool_of_delegation',
  parameters: { delegation_id: 'bytea' },
  select: 'select pool_id from delegations where delegation_id = :delegation_id',
});

interface DelegationKey {
  readonly delegationId: Id;
}

const ORDER = {
  fields: { delegationId: 'hash' },
  sortKey: ({ delegation_id }: DelegationRow): DelegationKey => ({ delegationId: delegation_id }),
} as const;

interface OfPool {
  readonly poolId: Id;
}

/** The delegations of a pool, by id; none for an id that is no pool. */
export const POOL_DELEGATION_LIST = defineList<OfPool, DelegationKey, DelegationRow, null>({
  name: ({ poolId }) => `pool-delegations ${poolId}`,
  ...ORDER,
  read: (store, { poolId, after, skip = 0, limit }) =>
    store.query(DELEGATIONS_OF_POOL, poolId, after?.delegationId ?? '', skip, limit),
  anchors: defineAnchors<OfPool, DelegationKey>({
    list: 'delegations_of_pool',
    fields: ORDER.fields,
    parameters: { pool_id: 'bytea' },
    selection: ({ poolId }) => [poolId],
    key: `encode(delegation_id, 'hex')`,
    select: `
      select delegation_id, row_number() over (order by delegation_id) as place
      from delegations where pool_id = :pool_id`,
  }),
});

/** The delegations that an address may withdraw from, by id. */
export const ADDRESS_DELEGATION_LIST = defineList<OwnerSelection, DelegationKey, OwnedDelegationRow, null>({
  name: ({ owner }) => `address-delegations ${owner}`,
  ...ORDER,
  read: (store, { owner, after, limit }) =>
    store.query(DELEGATIONS_OF_ADDRESS, owner, after?.delegationId ?? '', limit),
});

/** What a transaction put into a delegation and took out; the fields are null in the one row of a delegation without any. */
interface DelegationMoveRow {
  readonly delegation_id: Id;
  readonly tx_index: number | null;
  readonly tx_id: Id | null;
  readonly height: number | null;
  /** Of the block, in seconds since the epoch. */
  readonly timestamp: number | null;
  readonly deposited: Atoms | null;
  readonly withdrawn: Atoms | null;
}

export type DelegationMoveEntryRow = NotNull<DelegationMoveRow, keyof DelegationMoveRow>;

const DELEGATION_MOVES = defineQuery<[delegationId: Id, below: number, rowLimit: number], DelegationMoveRow>({
  name: 'delegation_moves',
  parameters: { delegation_id: 'bytea', below: 'bigint', row_limit: 'integer' },
  select: `
    select g.delegation_id, l.*
    from delegations g
    left join lateral (
      select m.tx_index, x.tx_id, x.height, b.timestamp, m.deposited, m.withdrawn
      from (
        select tx_index, deposited, withdrawn from delegation_transactions
        where delegation_id = g.delegation_id and tx_index < :below
        order by tx_index desc limit :row_limit
      ) m
      join transactions x on x.tx_index = m.tx_index
      join blocks b on b.height = x.height
      order by m.tx_index desc
    ) l on true
    where g.delegation_id = :delegation_id`,
});

/** The transactions that put something into a delegation or took it out, newest first; no row for an id that is none. */
export const DELEGATION_MOVE_LIST: List<
  { readonly id: Id },
  TransactionSortKey,
  DelegationMoveRow,
  DelegationMoveEntryRow
> = {
  name: ({ id }) => `delegation-moves ${id}`,
  ...TRANSACTION_ORDER,
  isEntry: (row): row is DelegationMoveEntryRow => row.tx_index !== null,
  read: (store, { id, after, limit }) =>
    store.query(DELEGATION_MOVES, id, after?.txIndex ?? Number.MAX_SAFE_INTEGER, limit),
};
