/** How many transactions an address has up to a height, and the ids of a page of them, the newest first. */
import type { Destination, Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';

/** At least one row: its `tx_id` is null if the page is empty. A long query: it counts all of them. */
export const listTransactionsUpTo = queryFunction<
  [owner: Destination, maxHeight: number, skip: number, rowLimit: number],
  { readonly total: number; readonly tx_id: Id | null }
>({
  name: 'transactions_up_to',
  parameters: { owner: 'bytea', max_height: 'integer', skip: 'bigint', row_limit: 'integer' },
  select: `
    select t.total, l.tx_id
    from (
      select first_tx_index + tx_count as below from blocks
      where height = least(:max_height, (select height from chain_tip)) offset 0
    ) m
    cross join lateral (select count(*) as total from address_transactions where owner = :owner and tx_index < m.below) t
    left join lateral (
      select tx_index, tx_id from address_transactions where owner = :owner and tx_index < m.below
      order by tx_index desc offset :skip limit :row_limit
    ) l on true
    order by l.tx_index desc`,
});
