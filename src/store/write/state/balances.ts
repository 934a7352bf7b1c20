import { type Balance, balanceKey } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const balanceTable = stateTable<Balance>()({
  table: 'balances',
  key: { owner: 'bytea', currency: 'bytea' },
  fixed: {},
  changing: { amount: 'numeric', locked: 'numeric' },
  encoders: {},
  decoders: {},
  keyOf: (row) => balanceKey(row.owner, row.currency),
});
