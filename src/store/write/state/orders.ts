import type { Order } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const orders: StateTableSpec<Order> = {
  table: 'orders',
  columns: {
    key: { order_id: 'bytea' },
    fixed: {
      creation_height: 'integer',
      conclude_destination: 'bytea',
      ask_currency: 'bytea',
      ask_decimals: 'smallint',
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
  },
  keyFields: (row) => [row.orderId],
  fixedFields: (row) => [
    row.creationHeight,
    row.concludeDestination,
    row.askCurrency,
    row.askDecimals,
    row.initiallyAsked,
    row.giveCurrency,
    row.giveDecimals,
    row.initiallyGiven,
  ],
  changingFields: (row) => [row.askBalance, row.giveBalance, row.nextNonce, row.isFrozen, row.isConcluded],
  fromRecord: (record: OrderRecord) => ({
    orderId: record.order_id,
    creationHeight: record.creation_height,
    concludeDestination: record.conclude_destination,
    askCurrency: record.ask_currency,
    askDecimals: record.ask_decimals,
    initiallyAsked: record.initially_asked,
    askBalance: record.ask_balance,
    giveCurrency: record.give_currency,
    giveDecimals: record.give_decimals,
    initiallyGiven: record.initially_given,
    giveBalance: record.give_balance,
    nextNonce: record.next_nonce,
    isFrozen: record.is_frozen,
    isConcluded: record.is_concluded,
  }),
  keyOf: (row) => row.orderId,
};

interface OrderRecord {
  order_id: string;
  creation_height: number;
  conclude_destination: string;
  ask_currency: string;
  ask_decimals: number | null;
  initially_asked: bigint;
  ask_balance: bigint;
  give_currency: string;
  give_decimals: number;
  initially_given: bigint;
  give_balance: bigint;
  next_nonce: bigint;
  is_frozen: boolean;
  is_concluded: boolean;
}
