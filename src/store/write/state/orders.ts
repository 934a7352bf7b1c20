import type { Order } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const orders = stateTable<Order>()({
  table: 'orders',
  key: {
    order_id: ['bytea', (row) => row.orderId],
  },
  fixed: {
    creation_height: ['integer', (row) => row.creationHeight],
    conclude_destination: ['bytea', (row) => row.concludeDestination],
    ask_currency: ['bytea', (row) => row.askCurrency],
    ask_decimals: ['smallint | null', (row) => row.askDecimals],
    initially_asked: ['numeric', (row) => row.initiallyAsked],
    give_currency: ['bytea', (row) => row.giveCurrency],
    give_decimals: ['smallint', (row) => row.giveDecimals],
    initially_given: ['numeric', (row) => row.initiallyGiven],
  },
  changing: {
    ask_balance: ['numeric', (row) => row.askBalance],
    give_balance: ['numeric', (row) => row.giveBalance],
    next_nonce: ['numeric', (row) => row.nextNonce],
    is_frozen: ['boolean', (row) => row.isFrozen],
    is_concluded: ['boolean', (row) => row.isConcluded],
  },
  fromRecord: (record) => ({
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
});
