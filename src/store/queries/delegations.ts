/** Delegations, by id in every list. */
import type { Atoms, Destination, Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

export interface DelegationRow {
  readonly delegation_id: Id;
  readonly pool_id: Id;
  readonly spend_destination: Destination;
  readonly balance: Atoms;
  readonly next_nonce: bigint;
  readonly creation_height: number;
}

const COLUMNS = 'delegation_id, pool_id, spend_destination, balance, next_nonce, creation_height';

export const DELEGATION = batchedQuery<[delegationId: Id], DelegationRow>({
  name: 'delegation',
  asked: { delegation_id: 'bytea' },
  key: 'delegation_id',
  select: `select ${COLUMNS} from delegations where delegation_id = q.delegation_id`,
});

export const DELEGATIONS_OF_POOL = batchedQuery<
  [poolId: Id, after: Id, skipped: number, items: number | null],
  DelegationRow
>({
  name: 'delegations_of_pool',
  asked: { pool_id: 'bytea', after: 'bytea', skipped: 'bigint', items: 'integer' },
  key: 'delegation_id',
  select: `
    select ${COLUMNS} from delegations
    where pool_id = q.pool_id and delegation_id > q.after
    order by delegation_id offset q.skipped limit q.items`,
});

/** The delegations that an address may withdraw from. */
export const DELEGATIONS_OF_ADDRESS = batchedQuery<
  [spendDestination: Destination, after: Id, items: number | null],
  DelegationRow
>({
  name: 'delegations_of_address',
  asked: { owner: 'bytea', after: 'bytea', items: 'integer' },
  key: 'delegation_id',
  select: `
    select ${COLUMNS} from delegations
    where spend_destination = q.owner and delegation_id > q.after
    order by delegation_id limit q.items`,
});
