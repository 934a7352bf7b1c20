/**
 * Orders. Lists hold the open ones (column `is_open`): not concluded, not frozen, something still asked. The youngest come
 * first, ties by id.
 */
import type { Currency } from '../../chain/currency.ts';
import { LARGEST_HEIGHT } from '../../chain/networks/network.ts';
import type { Atoms, Destination, Id } from '../../chain/types.ts';
import { batchedQuery, type QueryRunner, type SnapshotRows } from '../read/batched-query.ts';
import {
  defineAnchors,
  type Everything,
  type KeysetPage,
  type OffsetList,
  type OffsetPage,
  startSql,
} from './keyset.ts';

export interface OrderRow {
  readonly order_id: Id;
  readonly creation_height: number;
  readonly conclude_destination: Destination;
  readonly ask_currency: Currency;
  /** Of the token as it is now; 0 while it is not issued. */
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

const ORDER = batchedQuery<[orderId: Id], OrderRow>({
  name: 'order',
  parameters: { order_id: 'bytea' },
  presenceColumn: 'order_id',
  select: `select ${COLUMNS} from orders where order_id = q.order_id`,
});

/** Those after the place in `from`. */
const openOrdersSql = (columns: string, from: string, limit: string) => `
    (select ${columns} from orders
     where is_open and creation_height = ${from}.height and order_id > ${from}.order_id
     order by order_id limit ${limit})
    union all
    (select ${columns} from orders
     where is_open and creation_height < ${from}.height
     order by creation_height desc, order_id limit ${limit})`;

const OPEN_ORDERS = batchedQuery<[height: number, orderId: Id, skip: number, rowLimit: number], OrderRow>({
  name: 'open_orders',
  parameters: { height: 'integer', order_id: 'bytea', skip: 'bigint', row_limit: 'integer' },
  presenceColumn: 'order_id',
  select: `
    select l.* from (
      ${startSql('q.height, q.order_id', openOrdersSql('creation_height, order_id', 'q', 'q.skip'))}
    ) s
    cross join lateral (${openOrdersSql(COLUMNS, 's', 'q.row_limit')} limit q.row_limit) l`,
});

/** The index holds each pair once, as the currencies whose ids come first (`low`) and last (`high`). */
const OF_PAIR =
  'is_open and least(ask_currency, give_currency) = q.low and greatest(ask_currency, give_currency) = q.high';

const OPEN_ORDERS_OF_PAIR = batchedQuery<
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
  presenceColumn: 'order_id',
  select: `
    (select ${COLUMNS} from orders
     where ${OF_PAIR} and creation_height = q.height and order_id > q.order_id
     order by order_id limit q.row_limit + q.skip)
    union all
    (select ${COLUMNS} from orders
     where ${OF_PAIR} and creation_height < q.height
     order by creation_height desc, order_id limit q.row_limit + q.skip)
    offset q.skip limit q.row_limit`,
});

const PAIR_OF_ORDER = batchedQuery<
  [orderId: Id],
  { readonly ask_currency: Currency; readonly give_currency: Currency }
>({
  name: 'pair_of_order',
  parameters: { order_id: 'bytea' },
  presenceColumn: 'ask_currency',
  select: 'select ask_currency, give_currency from orders where order_id = q.order_id',
});

/** An order, open or not; no row for an id that is none. */
export function getOrder(store: QueryRunner, orderId: Id): Promise<SnapshotRows<OrderRow>> {
  return store.query(ORDER, orderId);
}

export interface OrderKey {
  /** At which the order was created. */
  readonly height: number;
  readonly orderId: Id;
}

/** Two currencies, in any order: their orders are listed whichever is given. */
export interface OfPair {
  readonly pair: readonly [Currency, Currency];
}

/** The open orders. */
export function listOpenOrders(
  store: QueryRunner,
  { after, skip = 0, limit }: OffsetPage<OrderKey>,
): Promise<SnapshotRows<OrderRow>> {
  return store.query(OPEN_ORDERS, after?.height ?? LARGEST_HEIGHT, after?.orderId ?? '', skip, limit);
}

/** The open orders that exchange two currencies. */
export function listOpenOrdersOfPair(
  store: QueryRunner,
  { pair, after, skip = 0, limit }: OfPair & OffsetPage<OrderKey>,
): Promise<SnapshotRows<OrderRow>> {
  const [low, high] = lowAndHigh(pair);
  const height = after?.height ?? LARGEST_HEIGHT;
  return store.query(OPEN_ORDERS_OF_PAIR, low, high, height, after?.orderId ?? '', skip, limit);
}

function lowAndHigh([one, other]: OfPair['pair']): [low: Currency, high: Currency] {
  return one < other ? [one, other] : [other, one];
}

const ANCHOR_KEY = `creation_height || '.' || encode(order_id, 'hex')`;
const ANCHOR_COLUMNS =
  'creation_height, order_id, row_number() over (order by creation_height desc, order_id) as place';

function parseAnchor([height, orderId]: readonly string[]): OrderKey {
  return { height: Number(height), orderId: orderId! };
}

/** The open orders with their anchors. */
export const OPEN_ORDER_LIST: OffsetList<Everything, OrderKey, OrderRow> = {
  page: listOpenOrders,
  anchors: defineAnchors<Everything, OrderKey>({
    list: 'open_orders',
    parameters: {},
    selection: () => [],
    key: ANCHOR_KEY,
    select: `select ${ANCHOR_COLUMNS} from orders where is_open`,
    parse: parseAnchor,
  }),
};

/** The open orders of two currencies with their anchors. */
export const PAIR_ORDER_LIST: OffsetList<OfPair, OrderKey, OrderRow> = {
  page: listOpenOrdersOfPair,
  anchors: defineAnchors<OfPair, OrderKey>({
    list: 'open_orders_of_pair',
    parameters: { low: 'bytea', high: 'bytea' },
    selection: ({ pair }) => lowAndHigh(pair),
    key: ANCHOR_KEY,
    select: `select ${ANCHOR_COLUMNS} from orders where ${OF_PAIR}`,
    parse: parseAnchor,
  }),
};

/** What an order exchanges for what; no row for an id that is no order. */
export function getPairOfOrder(
  store: QueryRunner,
  orderId: Id,
): Promise<SnapshotRows<{ readonly ask_currency: Currency; readonly give_currency: Currency }>> {
  return store.query(PAIR_OF_ORDER, orderId);
}

export const ORDERS_OF_CONCLUDER = batchedQuery<
  [destination: Destination, height: number, orderId: Id, rowLimit: number],
  OrderRow
>({
  name: 'orders_of_concluder',
  parameters: { destination: 'bytea', height: 'integer', order_id: 'bytea', row_limit: 'integer' },
  presenceColumn: 'order_id',
  select: `
    (select ${COLUMNS} from orders
     where conclude_destination = q.destination and not is_concluded
       and creation_height = q.height and order_id > q.order_id
     order by order_id limit q.row_limit)
    union all
    (select ${COLUMNS} from orders
     where conclude_destination = q.destination and not is_concluded and creation_height < q.height
     order by creation_height desc, order_id limit q.row_limit)
    limit q.row_limit`,
});

/** The orders that an address may conclude, frozen ones included: the youngest first. */
export function listOrdersOfConcluder(
  store: QueryRunner,
  { destination, after, limit }: { readonly destination: Destination } & KeysetPage<OrderKey>,
): Promise<SnapshotRows<OrderRow>> {
  return store.query(ORDERS_OF_CONCLUDER, destination, after?.height ?? LARGEST_HEIGHT, after?.orderId ?? '', limit);
}
