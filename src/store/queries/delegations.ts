/** Delegations, by id in every list. */
import type { Atoms, Destination, Id } from '../../chain/types.ts';
import { batchedQuery, queryFunction, runQuery } from '../read/batched-query.ts';
import { defineAnchors, pageStartSql } from './keyset.ts';
import { defineList, type OwnerSelection } from './list.ts';
import type { SortFields } from './sort-key-text.ts';

export interface DelegationRow {
  readonly delegation_id: Id;
  readonly pool_id: Id;
  readonly spend_destination: Destination;
  readonly balance: Atoms;
  readonly next_nonce: bigint;
  readonly creation_height: number;
}

const COLUMNS = 'delegation_id, pool_id, spend_destination, balance, next_nonce, creation_height';

/** Reads a delegation. No row if there is none with the id. */
export const getDelegation = queryFunction<[delegationId: Id], DelegationRow>({
  name: 'delegation',
  parameters: { delegation_id: 'bytea' },
  presenceColumn: 'delegation_id',
  select: `select ${COLUMNS} from delegations where delegation_id = q.delegation_id`,
});

/** The SQL of the delegations after the sort key in `from`. */
const delegationsOfPoolSql = (columns: string, from: string) => `
      select ${columns} from delegations
      where pool_id = q.pool_id and delegation_id > ${from}.after
      order by delegation_id`;

const DELEGATIONS_OF_POOL = batchedQuery<[poolId: Id, after: Id, skip: number, rowLimit: number | null], DelegationRow>(
  {
    name: 'delegations_of_pool',
    parameters: { pool_id: 'bytea', after: 'bytea', skip: 'bigint', row_limit: 'integer' },
    presenceColumn: 'delegation_id',
    select: `
    select l.* from (
      ${pageStartSql('q.after', delegationsOfPoolSql('delegation_id', 'q'))}
    ) s
    cross join lateral (${delegationsOfPoolSql(COLUMNS, 's')} limit q.row_limit) l`,
  },
);

const DELEGATIONS_OF_ADDRESS = batchedQuery<
  [spendDestination: Destination, after: Id, rowLimit: number | null],
  DelegationRow
>({
  name: 'delegations_of_address',
  parameters: { owner: 'bytea', after: 'bytea', row_limit: 'integer' },
  presenceColumn: 'delegation_id',
  select: `
    select ${COLUMNS} from delegations
    where spend_destination = q.owner and delegation_id > q.after
    order by delegation_id limit q.row_limit`,
});

/** Reads the pool of a delegation. No row if there is no delegation with the id. */
export const getPoolOfDelegation = queryFunction<[delegationId: Id], { readonly pool_id: Id }>({
  name: 'pool_of_delegation',
  parameters: { delegation_id: 'bytea' },
  presenceColumn: 'pool_id',
  select: 'select pool_id from delegations where delegation_id = q.delegation_id',
});

interface DelegationKey {
  readonly delegationId: Id;
}

const FIELDS: SortFields<DelegationKey> = { delegationId: 'hash' };
const sortKey = ({ delegation_id }: DelegationRow): DelegationKey => ({ delegationId: delegation_id });

interface OfPool {
  readonly poolId: Id;
}

/** The delegations of a pool, by id; none for an id that is no pool. */
export const POOL_DELEGATION_LIST = defineList<OfPool, DelegationKey, DelegationRow, null>({
  name: ({ poolId }) => `pool-delegations ${poolId}`,
  fields: FIELDS,
  sortKey,
  read: (store, { poolId, after, skip = 0, limit, unbatched }) =>
    runQuery(store, unbatched, DELEGATIONS_OF_POOL, poolId, after?.delegationId ?? '', skip, limit),
  anchors: defineAnchors<OfPool, DelegationKey>({
    list: 'delegations_of_pool',
    fields: FIELDS,
    parameters: { pool_id: 'bytea' },
    selection: ({ poolId }) => [poolId],
    key: `encode(delegation_id, 'hex')`,
    select: `
      select delegation_id, row_number() over (order by delegation_id) as place
      from delegations where pool_id = q.pool_id`,
  }),
});

/** The delegations that an address may withdraw from, by id. */
export const ADDRESS_DELEGATION_LIST = defineList<OwnerSelection, DelegationKey, DelegationRow, null>({
  name: ({ owner }) => `address-delegations ${owner}`,
  fields: FIELDS,
  sortKey,
  read: (store, { owner, after, limit, unbatched }) =>
    runQuery(store, unbatched, DELEGATIONS_OF_ADDRESS, owner, after?.delegationId ?? '', limit),
});
