/**
 * Orders. Lists hold the open ones (column `is_open`): not concluded, not frozen, something still asked. The youngest come
 * first, ties by id.
 */
import type { Currency } from '../../../chain/currency.ts';
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { defineQuery, queryFunction } from '../../read/query.ts';
import { AGE_ORDERS, type AgeSort } from '../lists/age-order.ts';
import { type AllEntriesSelection, defineList, type OwnerSelection } from '../lists/define-list.ts';
import { defineAnchors, pageStartSql, walksFromSortKeySql } from '../lists/keyset.ts';

export interface OrderRow {
  readonly order_id: Id;
  readonly creation_height: number;
  readonly conclude_destination: Destination;
  readonly ask_currency: Currency;
  /** Current decimals of the token; 0 while it is not issued. */
  readonly ask_decimals: number;
  readonly initially_asked: Atoms;
  readonly ask_balance: Atoms;
  readonly give_currency: Currency;
  readonly give_decimals: number;
  readonly initially_given: Atoms;
  readonly give_balance: Atoms;
  readonly next_nonce: bigint;
  readonly is_frozen: boolean;
  readonly is_concluded: boolean;
}

const COLUMNS = `order_id, creation_height, conclude_destination, ask_currency,
                 coalesce(ask_decimals, (select decimals from tokens where token_id = ask_currency), 0) as ask_decimals,
                 initially_asked, ask_balance, give_currency, give_decimals, initially_given, give_balance, next_nonce,
                 is_frozen, is_concluded`;

/** Reads an order, open or not. No row if there is none with the id. */
export const getOrder = queryFunction<[orderId: Id], OrderRow & { readonly creation_timestamp: number }>({
  name: 'order',
  parameters: { order_id: 'bytea' },
  select: `select ${COLUMNS}, (select timestamp from blocks where height = creation_height) as creation_timestamp
           from orders where order_id = :order_id`,
});

/** Reads who may conclude and freeze these orders. */
export const listConcludeKeys = queryFunction<
  [orderIds: readonly Id[]],
  Pick<OrderRow, 'order_id' | 'conclude_destination'>
>({
  name: 'conclude_keys',
  parameters: { order_ids: 'bytea[]' },
  select: 'select order_id, conclude_destination from orders where order_id = any(:order_ids)',
});

const BY_HEIGHT = { table: 'orders', key: 'creation_height', id: 'order_id' };
const OPEN = { ...BY_HEIGHT, where: 'is_open' };

const openOrders = (sort: AgeSort) => {
  const { direction, idDirection } = AGE_ORDERS[sort];
  const walks = { ...OPEN, direction, idDirection };
  return defineQuery<[height: number, orderId: Id, skip: number, rowLimit: number], OrderRow>({
    name: `open_orders_${sort}`,
    parameters: { height: 'integer', order_id: 'bytea', skip: 'bigint', row_limit: 'integer' },
    select: `
    select l.* from (
      ${pageStartSql(['height', 'order_id'], walksFromSortKeySql({ ...walks, columns: 'creation_height, order_id', limit: ':skip' }))}
    ) s
    cross join lateral (${walksFromSortKeySql({ ...walks, columns: COLUMNS, from: 's.' })} limit :row_limit) l`,
  });
};
const OPEN_ORDERS = { by_height: openOrders('by_height'), by_age: openOrders('by_age') };

/** The index holds each pair once, as the currencies whose ids come first (`low`) and last (`high`). */
const OF_PAIR =
  'is_open and least(ask_currency, give_currency) = :low and greatest(ask_currency, give_currency) = :high';

const OPEN_ORDERS_OF_PAIR = defineQuery<
  [low: Currency, high: Currency, height: number, orderId: Id, skip: number, rowLimit: number],
  OrderRow
>({
  name: 'open_orders_of_pair',
  parameters: {
    low: 'bytea',
    high: 'bytea',
    height: 'integer',
    order_id: 'bytea',
    skip: 'bigint',
    row_limit: 'integer',
  },
  select: `${walksFromSortKeySql({ ...BY_HEIGHT, where: OF_PAIR, columns: COLUMNS, limit: ':row_limit + :skip' })}
    offset :skip limit :row_limit`,
});

/** Reads the currencies of an order. No row if there is no order with the id. */
export const getPairOfOrder = queryFunction<[orderId: Id], Pick<OrderRow, 'ask_currency' | 'give_currency'>>({
  name: 'pair_of_order',
  parameters: { order_id: 'bytea' },
  select: 'select ask_currency, give_currency from orders where order_id = :order_id',
});

interface OrderKey {
  /** The height at which the order was created. */
  readonly height: number;
  readonly orderId: Id;
}

const ORDER = {
  fields: { height: 'int32', orderId: 'hash' },
  sortKey: ({ creation_height: height, order_id: orderId }: OrderRow): OrderKey => ({ height, orderId }),
} as const;
const ANCHORS = { fields: ORDER.fields, key: `creation_height || '.' || encode(order_id, 'hex')` };
const anchorColumns = (sort: AgeSort) => {
  const { direction, idDirection } = AGE_ORDERS[sort];
  return `creation_height, order_id,
          row_number() over (order by creation_height ${direction}, order_id ${idDirection}) as place`;
};

/** The open orders in an order. */
const openOrderList = (sort: AgeSort) =>
  defineList<AllEntriesSelection, OrderKey, OrderRow>({
    name: () => (sort === 'by_height' ? 'order' : `order ${sort}`),
    ...ORDER,
    read: (store, { after, skip = 0, limit }) =>
      store.query(OPEN_ORDERS[sort], after?.height ?? AGE_ORDERS[sort].first, after?.orderId ?? '', skip, limit),
    anchors: defineAnchors<AllEntriesSelection, OrderKey>({
      ...ANCHORS,
      list: `open_orders_${sort}`,
      select: `select ${anchorColumns(sort)} from orders where is_open`,
    }),
  });

/** The open orders. */
export const OPEN_ORDER_LISTS = { by_height: openOrderList('by_height'), by_age: openOrderList('by_age') };

/** Two currencies, in any order: their orders are listed whichever is given. */
interface OfPair {
  readonly pair: readonly [Currency, Currency];
}

/** The open orders that exchange two currencies. */
export const PAIR_ORDER_LIST = defineList<OfPair, OrderKey, OrderRow>({
  name: ({ pair }) => `order ${lowAndHigh(pair).join('_')}`,
  ...ORDER,
  read: (store, { pair, after, skip = 0, limit }) => {
    const [low, high] = lowAndHigh(pair);
    const height = after?.height ?? MAX_HEIGHT;
    return store.query(OPEN_ORDERS_OF_PAIR, low, high, height, after?.orderId ?? '', skip, limit);
  },
  anchors: defineAnchors<OfPair, OrderKey>({
    ...ANCHORS,
    list: 'open_orders_of_pair',
    parameters: { low: 'bytea', high: 'bytea' },
    selection: ({ pair }) => lowAndHigh(pair),
    select: `select ${anchorColumns('by_height')} from orders where ${OF_PAIR}`,
  }),
});

function lowAndHigh([one, other]: OfPair['pair']): [low: Currency, high: Currency] {
  return one < other ? [one, other] : [other, one];
}

const ORDERS_OF_CONCLUDER = defineQuery<
  [destination: Destination, height: number, orderId: Id, rowLimit: number],
  OrderRow
>({
  name: 'orders_of_concluder',
  parameters: { destination: 'bytea', height: 'integer', order_id: 'bytea', row_limit: 'integer' },
  select: `${walksFromSortKeySql({
    ...BY_HEIGHT,
    where: 'conclude_destination = :destination and not is_concluded',
    columns: COLUMNS,
  })}
    limit :row_limit`,
});

/** The orders that an address may conclude, frozen ones included: newest first. */
export const ADDRESS_ORDER_LIST = defineList<OwnerSelection, OrderKey, OrderRow>({
  name: ({ owner }) => `address-orders ${owner}`,
  ...ORDER,
  read: (store, { owner, after, limit }) =>
    store.query(ORDERS_OF_CONCLUDER, owner, after?.height ?? MAX_HEIGHT, after?.orderId ?? '', limit),
});
