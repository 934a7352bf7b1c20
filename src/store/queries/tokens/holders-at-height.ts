/** Who held a currency after a block. */
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms, Destination, Id } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, type SnapshotRows } from '../../read/query.ts';
import type { PointBlockRow } from '../blocks/chain-points.ts';

/** A holder; the fields but the first are null in the one row of a currency that nobody held. */
export interface PastHolderRow {
  /** Is the block on the main chain? */
  readonly is_known: boolean;
  readonly owner: Destination | null;
  /** All that the owner held, time-locked or not. */
  readonly balance: Atoms | null;
  readonly locked: Atoms | null;
}

/** A row with a holder. */
export type PastHolder = { readonly [Column in 'owner' | 'balance' | 'locked']: NonNullable<PastHolderRow[Column]> };

/**
 * Every holder once went from nothing to something. An index of these changes gives the owners; one look-up by key each gives
 * the balance, a sixth faster in the order of the key. Sorted by balance, the largest first, ties by owner.
 */
export const HOLDERS_AT = defineQuery<[currency: Currency, height: number, blockId: Id], PastHolderRow>({
  name: 'holders_at',
  parameters: { currency: 'bytea', height: 'integer', block_id: 'bytea' },
  select: `
    select true as is_known, h.owner, h.balance, h.locked
    from blocks b
    left join lateral (
      select o.owner, l.balance, l.locked
      from (
        select distinct owner from balance_changes
        where currency = :currency and height <= :height and balance = change and balance > 0
        order by owner
      ) o
      cross join lateral (
        select balance, locked from balance_changes
        where owner = o.owner and currency = :currency and height <= :height
        order by height desc, position desc limit 1
      ) l
      where l.balance > 0
    ) h on true
    where b.height = :height and b.block_id = :block_id
    order by h.balance desc, h.owner`,
});

/** Reads all holders after a block, in a statement of its own; no row if the block is not on the main chain. */
export function listHoldersAt(
  store: QueryRunner,
  currency: Currency,
  { height, block_id }: Pick<PointBlockRow, 'height' | 'block_id'>,
): Promise<SnapshotRows<PastHolderRow>> {
  return store.queryLong(HOLDERS_AT, currency, height, block_id);
}
