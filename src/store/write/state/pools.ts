import type { Pool } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const pools: StateTableSpec<Pool> = {
  table: 'pools',
  columns: {
    key: { pool_id: 'bytea' },
    fixed: {
      creation_height: 'integer',
      staker: 'bytea',
      decommission_destination: 'bytea',
      vrf_public_key: 'bytea',
      margin_ratio_per_thousand: 'smallint',
      cost_per_block: 'numeric',
    },
    changing: { pledge: 'numeric', rewards: 'numeric', delegations_balance: 'numeric' },
  },
  keyFields: (row) => [row.poolId],
  fixedFields: (row) => [
    row.creationHeight,
    row.staker,
    row.decommissionDestination,
    row.vrfPublicKey,
    row.marginRatioPerThousand,
    row.costPerBlock,
  ],
  changingFields: (row) => [row.pledge, row.rewards, row.delegationsBalance],
  fromRecord: (record: PoolRecord) => ({
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
};

interface PoolRecord {
  pool_id: string;
  creation_height: number;
  pledge: bigint;
  rewards: bigint;
  delegations_balance: bigint;
  staker: string;
  decommission_destination: string;
  vrf_public_key: string;
  margin_ratio_per_thousand: number;
  cost_per_block: bigint;
}
