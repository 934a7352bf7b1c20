import type { Statistics } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const statisticsTable = stateTable<Statistics>()({
  table: 'statistics',
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
  encoders: {},
  decoders: {},
  keyOf: (row) => row.currency,
});
