import type { Statistics } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const statistics: StateTableSpec<Statistics> = {
  table: 'statistics',
  columns: {
    key: { currency: 'bytea' },
    fixed: {},
    changing: { circulating_supply: 'numeric', preminted: 'numeric', burned: 'numeric', staked: 'numeric' },
  },
  keyFields: (row) => [row.currency],
  fixedFields: () => [],
  changingFields: (row) => [row.circulatingSupply, row.preminted, row.burned, row.staked],
  fromRecord: (record: {
    currency: string;
    circulating_supply: bigint;
    preminted: bigint;
    burned: bigint;
    staked: bigint;
  }) => ({
    currency: record.currency,
    circulatingSupply: record.circulating_supply,
    preminted: record.preminted,
    burned: record.burned,
    staked: record.staked,
  }),
  keyOf: (row) => row.currency,
};
