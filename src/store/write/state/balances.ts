import { type Balance, balanceKey } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const balances = stateTable<Balance>()({
  table: 'balances',
  key: {
    owner: ['bytea', (row) => row.owner],
    currency: ['bytea', (row) => row.currency],
  },
  fixed: {},
  changing: {
    amount: ['numeric', (row) => row.amount],
    locked: ['numeric', (row) => row.locked],
  },
  fromRecord: (record) => ({
    owner: record.owner,
    currency: record.currency,
    amount: record.amount,
    locked: record.locked,
  }),
  keyOf: (row) => balanceKey(row.owner, row.currency),
});
