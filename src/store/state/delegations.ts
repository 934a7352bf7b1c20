import type { Delegation } from '../../ledger/rows.ts';
import { bytes, numeric } from '../copy.ts';
import type { StateTableSpec } from './spec.ts';

export const delegations: StateTableSpec<Delegation> = {
  table: 'delegations',
  columns: {
    delegation_id: 'bytea',
    pool_id: 'bytea',
    spend_destination: 'bytea',
    balance: 'numeric',
    next_nonce: 'numeric',
    creation_height: 'integer',
  },
  keyLength: 1,
  keyFields: (row) => [bytes(row.delegationId)],
  fields: (row) => [
    bytes(row.delegationId),
    bytes(row.poolId),
    bytes(row.spendDestination),
    numeric(row.balance),
    numeric(row.nextNonce),
    numeric(row.creationHeight),
  ],
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
