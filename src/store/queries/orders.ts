/** Orders. Lists hold the open ones: not concluded, not frozen, something still asked. */
import type { Currency } from '../../chain/currency.ts';
import type { Atoms, Destination, Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

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

/** An order, open or not. */
export const ORDER = batchedQuery<[orderId: Id], OrderRow>({
  name: 'order',
  asked: { order_id: 'bytea' },
  key: 'order_id',
  select: `select ${COLUMNS} from orders where order_id = q.order_id`,
});

/** The youngest first; from a place in the list on. */
export const OPEN_ORDERS = batchedQuery<[height: number, orderId: Id, skipped: number, items: number], OrderRow>({
  name: 'open_orders',
  asked: { height: 'integer', order_id: 'bytea', skipped: 'bigint', items: 'integer' },
  key: 'order_id',
  select: `
    (select ${COLUMNS} from orders
     where is_open and creation_height = q.height and order_id > q.order_id
     order by order_id limit q.items + q.skipped)
    union all
    (select ${COLUMNS} from orders
     where is_open and creation_height < q.height
     order by creation_height desc, order_id limit q.items + q.skipped)
    offset q.skipped limit q.items`,
});

/** The same for two currencies, whichever is given; `low` is the one whose id comes first. */
export const OPEN_ORDERS_OF_PAIR = batchedQuery<
  [low: Currency, high: Currency, height: number, orderId: Id, skipped: number, items: number],
  OrderRow
>({
  name: 'open_orders_of_pair',
  asked: { low: 'bytea', high: 'bytea', height: 'integer', order_id: 'bytea', skipped: 'bigint', items: 'integer' },
  key: 'order_id',
  select: `
    (select ${COLUMNS} from orders
     where is_open and least(ask_currency, give_currency) = q.low and greatest(ask_currency, give_currency) = q.high
       and creation_height = q.height and order_id > q.order_id
     order by order_id limit q.items + q.skipped)
    union all
    (select ${COLUMNS} from orders
     where is_open and least(ask_currency, give_currency) = q.low and greatest(ask_currency, give_currency) = q.high
       and creation_height < q.height
     order by creation_height desc, order_id limit q.items + q.skipped)
    offset q.skipped limit q.items`,
});
