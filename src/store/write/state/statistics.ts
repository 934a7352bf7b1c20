import type { Statistics } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const statistics = stateTable<Statistics>()({
  table: 'statistics',
  key: {
    currency: ['bytea', (row) => row.currency],
  },
  fixed: {},
  changing: {
    circulating_supply: ['numeric', (row) => row.circulatingSupply],
    preminted: ['numeric', (row) => row.preminted],
    burned: ['numeric', (row) => row.burned],
    staked: ['numeric', (row) => row.staked],
  },
  fromRecord: (record) => ({
    currency: record.currency,
    circulatingSupply: record.circulating_supply,
    preminted: record.preminted,
    burned: record.burned,
    staked: record.staked,
  }),
  keyOf: (row) => row.currency,
});
