import type { Pool } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const pools = stateTable<Pool>()({
  table: 'pools',
  key: {
    pool_id: ['bytea', (row) => row.poolId],
  },
  fixed: {
    creation_height: ['integer', (row) => row.creationHeight],
    staker: ['bytea', (row) => row.staker],
    decommission_destination: ['bytea', (row) => row.decommissionDestination],
    vrf_public_key: ['bytea', (row) => row.vrfPublicKey],
    margin_ratio_per_thousand: ['smallint', (row) => row.marginRatioPerThousand],
    cost_per_block: ['numeric', (row) => row.costPerBlock],
  },
  changing: {
    pledge: ['numeric', (row) => row.pledge],
    rewards: ['numeric', (row) => row.rewards],
    delegations_balance: ['numeric', (row) => row.delegationsBalance],
  },
  fromRecord: (record) => ({
    poolId: record.pool_id,
    creationHeight: record.creation_height,
    pledge: record.pledge,
    rewards: record.rewards,
    delegationsBalance: record.delegations_balance,
    staker: record.staker,
    decommissionDestination: record.decommission_destination,
    vrfPublicKey: record.vrf_public_key,
    marginRatioPerThousand: record.margin_ratio_per_thousand,
    costPerBlock: record.cost_per_block,
  }),
  keyOf: (row) => row.poolId,
});
