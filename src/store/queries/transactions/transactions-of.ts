/** How many transactions an address has up to a height, and the ids of a page of them, the newest first. */
import type { Destination, Id } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner } from '../../read/query.ts';

/** At least one row: its `tx_id` is null if the page is empty. Counting takes as long as there are many. */
const TRANSACTIONS_UP_TO = defineQuery<
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

/** Reads a page, as a long query. */
export const listTransactionsUpTo = (
  store: QueryRunner,
  ...of: [Destination, number, skip: number, rowLimit: number]
) => store.queryLong(TRANSACTIONS_UP_TO, ...of);
