/** The inputs that spend the outputs of a transaction. */
import type { Id } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, type SnapshotRows } from '../../read/query.ts';

/** A transaction without spent outputs has one row, in which all fields but `output_count` are null. */
export interface OutspendRow {
  /** All outputs that the transaction has. */
  readonly output_count: number;
  readonly output_index: number | null;
  /** The spending transaction; null if a block's kernel spent the output. */
  readonly spent_tx_id: Id | null;
  /** Among the inputs of that transaction, or of the kernel. */
  readonly input_index: number | null;
  readonly block_id: Id | null;
  readonly height: number | null;
  readonly timestamp: number | null;
}

const OUTSPENDS = defineQuery<[txId: Id, rowLimit: number | null], OutspendRow>({
  name: 'outspends',
  parameters: { tx_id: 'bytea', row_limit: 'integer' },
  select: `
    select p.output_count, l.*
    from (
      select x.height, (x.tx_index - b.first_tx_index)::int as position, x.output_count
      from transactions x join blocks b on b.height = x.height
      where x.tx_id = :tx_id
      offset 0
    ) p
    left join lateral (
      select s.output_index, st.tx_id as spent_tx_id, s.input_index, sb.block_id, sb.height, sb.timestamp
      from (
        select output_index, spent_height, spent_position, input_index from spends
        where height = p.height and position = p.position
        order by output_index limit :row_limit
      ) s
      join blocks sb on sb.height = s.spent_height
      left join transactions st on st.tx_index = sb.first_tx_index + s.spent_position
    ) l on true`,
});

/**
 * Returns the spent outputs of a transaction in the order of their index, at most `limit` (null: all); no row for an id
 * that is not on the main chain.
 */
export function listOutspends(
  store: QueryRunner,
  { txId, limit }: { readonly txId: Id; readonly limit: number | null },
): Promise<SnapshotRows<OutspendRow>> {
  return store.query(OUTSPENDS, txId, limit);
}
