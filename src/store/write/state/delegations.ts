import type { Delegation } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const delegationTable = stateTable<Delegation>()({
  table: 'delegations',
  key: { delegation_id: 'bytea' },
  fixed: {
    pool_id: 'bytea',
    spend_destination: 'bytea',
    creation_height: 'integer',
  },
  changing: { balance: 'numeric', next_nonce: 'numeric' },
  encoders: {},
  decoders: {},
  keyOf: (row) => row.delegationId,
});
