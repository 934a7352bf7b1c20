/** The outputs of an address: the unspent ones, and all that ever were. In the order of the chain. */
import type { Destination, Id } from '../../chain/types.ts';
import { question } from './question.ts';

export interface OutputPlace {
  readonly height: number;
  readonly position: number;
  readonly output_index: number;
}

export interface UtxoRow extends OutputPlace {
  /** `{"outpoint":…,"utxo":…}` */
  readonly entry: string;
  readonly block_id: Id;
  readonly timestamp: number;
}

/**
 * Unspent outputs after a place. `spendableOnly` leaves out those under a time lock; `refundWaits` leaves HTLCs out for
 * their refund key until a transaction in the block after the tip may refund them: a height lock is over when that
 * block has the height, a time lock when the tip's median time has passed it.
 */
export const UTXOS = question<
  [
    owner: Destination,
    spendableOnly: boolean,
    refundWaits: boolean,
    height: number,
    position: number,
    outputIndex: number,
    items: number | null,
  ],
  UtxoRow
>({
  name: 'utxos',
  asked: {
    owner: 'bytea',
    spendable_only: 'boolean',
    refund_waits: 'boolean',
    height: 'int',
    position: 'int',
    output_index: 'int',
    items: 'int',
  },
  key: 'entry',
  select: `
    select u.height, u.position, u.output_index, o.entry, b.block_id, b.timestamp
    from (
      (select height, position, output_index from utxos
       where owner = q.owner and (height, position, output_index) > (q.height, q.position, q.output_index)
         and (not q.spendable_only or (unlock_height is null and unlock_time is null))
       order by height, position, output_index limit q.items)
      union all
      (select height, position, output_index from utxos
       where refund_owner = q.owner and owner <> q.owner
         and (height, position, output_index) > (q.height, q.position, q.output_index)
         and (not q.spendable_only or (unlock_height is null and unlock_time is null))
         and (not q.refund_waits or refund_height <= t.height + 1 or refund_time <= t.median_time
              or (refund_height is null and refund_time is null))
       order by height, position, output_index limit q.items)
      order by height, position, output_index limit q.items
    ) u
    join outputs o on o.height = u.height and o.position = u.position and o.output_index = u.output_index
    join blocks b on b.height = u.height
    order by u.height, u.position, u.output_index`,
});

export interface OutputRow extends UtxoRow {
  readonly spent_height: number | null;
  readonly spent_block_id: Id | null;
  readonly spent_timestamp: number | null;
  /** Null also where a block's kernel spent the output. */
  readonly spent_tx_id: Id | null;
}

/** All outputs that were ever paid to the address, after a place, with what spent them. */
export const OUTPUTS = question<
  [owner: Destination, height: number, position: number, outputIndex: number, items: number | null],
  OutputRow
>({
  name: 'outputs',
  asked: { owner: 'bytea', height: 'int', position: 'int', output_index: 'int', items: 'int' },
  key: 'entry',
  select: `
    select o.height, o.position, o.output_index, o.entry, b.block_id, b.timestamp,
           s.spent_height, sb.block_id as spent_block_id, sb.timestamp as spent_timestamp, st.tx_id as spent_tx_id
    from (
      (select height, position, output_index, entry from outputs
       where owner = q.owner and (height, position, output_index) > (q.height, q.position, q.output_index)
       order by height, position, output_index limit q.items)
      union all
      (select height, position, output_index, entry from outputs
       where refund_owner = q.owner and owner <> q.owner
         and (height, position, output_index) > (q.height, q.position, q.output_index)
       order by height, position, output_index limit q.items)
      order by height, position, output_index limit q.items
    ) o
    join blocks b on b.height = o.height
    left join spends s on s.height = o.height and s.position = o.position and s.output_index = o.output_index
    left join blocks sb on sb.height = s.spent_height
    left join transactions st on st.tx_index = sb.first_tx_index + s.spent_position
    order by o.height, o.position, o.output_index`,
});
