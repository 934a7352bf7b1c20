import type { Order } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const orderTable = stateTable<Order>()({
  table: 'orders',
  key: { order_id: 'bytea' },
  fixed: {
    creation_height: 'integer',
    conclude_destination: 'bytea',
    ask_currency: 'bytea',
    ask_decimals: 'smallint | null',
    initially_asked: 'numeric',
    give_currency: 'bytea',
    give_decimals: 'smallint',
    initially_given: 'numeric',
  },
  changing: {
    ask_balance: 'numeric',
    give_balance: 'numeric',
    next_nonce: 'numeric',
    is_frozen: 'boolean',
    is_concluded: 'boolean',
  },
  encoders: {},
  decoders: {},
  keyOf: (row) => row.orderId,
});
