import type { Pool } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const poolTable = stateTable<Pool>()({
  table: 'pools',
  key: { pool_id: 'bytea' },
  fixed: {
    creation_height: 'integer',
    staker: 'bytea',
    decommission_destination: 'bytea',
    vrf_public_key: 'bytea',
    margin_ratio_per_thousand: 'smallint',
    cost_per_block: 'numeric',
  },
  changing: {
    pledge: 'numeric',
    rewards: 'numeric',
    delegations_balance: 'numeric',
    delegation_count: 'integer',
    effective_stake: 'numeric',
    blocks_total: 'integer',
    blocks_day: 'integer',
    blocks_month: 'integer',
    month_rate: 'numeric',
  },
  encoders: {},
  decoders: {},
  keyOf: (row) => row.poolId,
});
