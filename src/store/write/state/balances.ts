import { type Balance, balanceKey } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const balances: StateTableSpec<Balance> = {
  table: 'balances',
  columns: {
    key: { owner: 'bytea', currency: 'bytea' },
    fixed: {},
    changing: { amount: 'numeric', locked: 'numeric' },
  },
  keyFields: (row) => [row.owner, row.currency],
  fixedFields: () => [],
  changingFields: (row) => [row.amount, row.locked],
  fromRecord: (record: Balance) => ({
    owner: record.owner,
    currency: record.currency,
    amount: record.amount,
    locked: record.locked,
  }),
  keyOf: (row) => balanceKey(row.owner, row.currency),
};
