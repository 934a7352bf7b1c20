import type { Delegation } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const delegations = stateTable<Delegation>()({
  table: 'delegations',
  key: {
    delegation_id: ['bytea', (row) => row.delegationId],
  },
  fixed: {
    pool_id: ['bytea', (row) => row.poolId],
    spend_destination: ['bytea', (row) => row.spendDestination],
    creation_height: ['integer', (row) => row.creationHeight],
  },
  changing: {
    balance: ['numeric', (row) => row.balance],
    next_nonce: ['numeric', (row) => row.nextNonce],
  },
  fromRecord: (record) => ({
    delegationId: record.delegation_id,
    poolId: record.pool_id,
    spendDestination: record.spend_destination,
    balance: record.balance,
    nextNonce: record.next_nonce,
    creationHeight: record.creation_height,
  }),
  keyOf: (row) => row.delegationId,
});
