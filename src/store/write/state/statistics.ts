import type { Statistics } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const statistics: StateTableSpec<Statistics> = {
  table: 'statistics',
  columns: {
    key: { currency: 'bytea' },
    fixed: {},
    changing: {
      circulating_supply: 'numeric',
      preminted: 'numeric',
      burned: 'numeric',
      staked: 'numeric',
      holders: 'integer',
      effective_stake: 'numeric',
    },
  },
  keyFields: (row) => [row.currency],
  fixedFields: () => [],
  changingFields: (row) => [
    row.circulatingSupply,
    row.preminted,
    row.burned,
    row.staked,
    row.holders,
    row.effectiveStake,
  ],
  fromRecord: (record: {
    currency: string;
    circulating_supply: bigint;
    preminted: bigint;
    burned: bigint;
    staked: bigint;
    holders: number;
    effective_stake: bigint;
  }) => ({
    currency: record.currency,
    circulatingSupply: record.circulating_supply,
    preminted: record.preminted,
    burned: record.burned,
    staked: record.staked,
    holders: record.holders,
    effectiveStake: record.effective_stake,
  }),
  keyOf: (row) => row.currency,
};
