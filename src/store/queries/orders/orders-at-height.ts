/** What orders held after a block, and what its fills moved. */
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms, Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';

/** An order after the block at a height, with one of its fills in the block; null in the one row of an order without any. */
export interface OrderAtRow {
  readonly order_id: Id;
  readonly creation_height: number;
  /** Null until it is concluded. */
  readonly concluded_height: number | null;
  readonly ask_currency: Currency;
  readonly give_currency: Currency;
  readonly initially_asked: Atoms;
  readonly initially_given: Atoms;
  /** What fills up to this block paid into it and took out of it. */
  readonly asked: Atoms;
  readonly given: Atoms;
  readonly position: number | null;
  readonly input_index: number | null;
  readonly fill_given: Atoms | null;
}

const ASKED = 'case when is_buy then quote_amount else base_amount end';
const GIVEN = 'case when is_buy then base_amount else quote_amount end';

/** Reads these orders after the block at a height. */
export const listOrdersAt = queryFunction<[orderIds: readonly Id[], height: number], OrderAtRow>({
  name: 'orders_at',
  parameters: { order_ids: 'bytea[]', height: 'integer' },
  select: `
    select o.order_id, o.creation_height, o.concluded_height, o.ask_currency, o.give_currency, o.initially_asked, o.initially_given,
           s.asked, s.given, f.position, f.input_index, f.fill_given
    from orders o
    cross join lateral (
      select coalesce(sum(${ASKED}), 0) as asked, coalesce(sum(${GIVEN}), 0) as given
      from fills where order_id = o.order_id and height <= :height
    ) s
    left join lateral (
      select position, input_index, ${GIVEN} as fill_given
      from fills where order_id = o.order_id and height = :height
    ) f on true
    where o.order_id = any(:order_ids)`,
});
