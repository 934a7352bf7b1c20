/** A main-chain block by height, by id, or the tip, with what its reward consists of. */
import type { Atoms, Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';

export interface BlockAtRow {
  readonly height: number;
  readonly block_id: Id;
  /** That of the genesis is its own. */
  readonly parent_id: Id;
  /** In seconds since the epoch, as the median time past. */
  readonly timestamp: number;
  readonly median_time: number;
  /** The global index of its first transaction. */
  readonly first_tx_index: number;
  readonly pool_id: Id | null;
  readonly staker_reward: Atoms;
  readonly delegations_reward: Atoms;
}

/** Reads a block by its id or by its height; without either, the tip. No row for a block that is not on the main chain. */
export const getBlockAt = queryFunction<[blockId: Id | null, height: number | null], BlockAtRow>({
  name: 'block_at',
  parameters: { block_id: 'bytea', height: 'integer' },
  select: `
    select b.height, b.block_id, coalesce((select p.block_id from blocks p where p.height = b.height - 1), b.block_id) as parent_id,
           b.timestamp, b.median_time, b.first_tx_index, b.pool_id, b.staker_reward, b.delegations_reward
    from blocks b
    where b.height = case when :block_id is null then coalesce(:height, (select height from chain_tip))
                          else (select height from blocks where block_id = :block_id) end`,
});
