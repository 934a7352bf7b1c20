import { type Balance, balanceKey } from '../../ledger/rows.ts';
import { bytes, numeric } from '../copy.ts';
import type { StateTableSpec } from './spec.ts';

export const balances: StateTableSpec<Balance> = {
  table: 'balances',
  columns: { owner: 'bytea', currency: 'bytea', amount: 'numeric', locked: 'numeric' },
  keyLength: 2,
  keyFields: (row) => [bytes(row.owner), bytes(row.currency)],
  fields: (row) => [bytes(row.owner), bytes(row.currency), numeric(row.amount), numeric(row.locked)],
  fromRecord: (record: Balance) => ({
    owner: record.owner,
    currency: record.currency,
    amount: record.amount,
    locked: record.locked,
  }),
  keyOf: (row) => balanceKey(row.owner, row.currency),
};
