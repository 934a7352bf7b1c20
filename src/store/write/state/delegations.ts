import type { Delegation } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const delegations: StateTableSpec<Delegation> = {
  table: 'delegations',
  columns: {
    key: { delegation_id: 'bytea' },
    fixed: { pool_id: 'bytea', spend_destination: 'bytea', creation_height: 'integer' },
    changing: { balance: 'numeric', next_nonce: 'numeric' },
  },
  keyFields: (row) => [row.delegationId],
  fixedFields: (row) => [row.poolId, row.spendDestination, row.creationHeight],
  changingFields: (row) => [row.balance, row.nextNonce],
  fromRecord: (record: DelegationRecord) => ({
    delegationId: record.delegation_id,
    poolId: record.pool_id,
    spendDestination: record.spend_destination,
    balance: record.balance,
    nextNonce: record.next_nonce,
    creationHeight: record.creation_height,
  }),
  keyOf: (row) => row.delegationId,
};

interface DelegationRecord {
  delegation_id: string;
  pool_id: string;
  spend_destination: string;
  balance: bigint;
  next_nonce: bigint;
  creation_height: number;
}
