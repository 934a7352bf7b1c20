/**
 * The queries with which streams replay missed events: the blocks that follow a block, the way back to the main chain from a
 * removed block, and what blocks touch.
 */
import type { Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';
import { aggregateTransactionsSql, isInBlockSql, QUOTED_ID_SQL } from './blocks.ts';

export interface ChainBlockRow {
  readonly height: number;
  readonly block_id: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** The ids of its transactions in block order, as the elements of a JSON array. */
  readonly tx_ids: string;
}

/**
 * The blocks that follow a block of the main chain, by height: at least one, and more, up to `blockLimit`, while they have
 * no more than `transactionLimit` transactions together. No row when there is none, or the block is not on the main chain.
 */
export const listBlocksAfter = queryFunction<
  [height: number, blockId: Id, blockLimit: number, transactionLimit: number],
  ChainBlockRow
>({
  name: 'blocks_after',
  parameters: { height: 'integer', block_id: 'bytea', block_limit: 'integer', transaction_limit: 'bigint' },
  select: `
    select b.height, b.block_id, b.timestamp, ${aggregateTransactionsSql(QUOTED_ID_SQL, ',')} as tx_ids
    from blocks p
    join blocks b on b.height > p.height and b.height <= p.height + :block_limit
    where p.height = :height and p.block_id = :block_id
      and (b.height = p.height + 1
           or b.first_tx_index + b.tx_count <= p.first_tx_index + p.tx_count + :transaction_limit)
    order by b.height`,
});

export interface BranchRow {
  readonly block_id: Id;
  /** 0 for the block itself, 1 for its parent, … */
  readonly depth: number;
  /** The height on the main chain; null for a block that is not on it. */
  readonly height: number | null;
  /** Height at which a reorganisation removed it; null for a block that none removed. */
  readonly removed_height: number | null;
}

/**
 * A block and its ancestors down to the first that is on the main chain, `removedLimit` removed ones at most. When the last
 * row has no height, its ancestors are not known.
 */
export const listBranch = queryFunction<[blockId: Id, removedLimit: number], BranchRow>({
  name: 'branch',
  parameters: { block_id: 'bytea', removed_limit: 'integer' },
  select: `
    select w.block_id, w.depth, w.height, r.height as removed_height
    from (
      with recursive way (block_id, depth, height) as (
        select :block_id, 0, (select b.height from blocks b where b.block_id = :block_id)
        union all
        select r.parent_id, way.depth + 1, (select b.height from blocks b where b.block_id = r.parent_id)
        from way join removed_blocks r on r.block_id = way.block_id
        where way.height is null and way.depth < :removed_limit
      )
      select * from way
    ) w
    left join removed_blocks r on r.block_id = w.block_id and w.height is null
    order by w.depth`,
});

export interface BlockSubjectsRow {
  /** The pool that made it; null without proof of stake. */
  readonly pool_id: Id | null;
  /** The owner of the pool's stake after it is decommissioned. */
  readonly decommission_destination: string | null;
  /** The outputs of its reward, as a JSON array. */
  readonly reward: string;
  /** `DELEGATION_ID:OWNER:BALANCE` of those of its pool that it changed: hex, and atoms before the block; separated by commas. */
  readonly changed_delegations: string;
  /** `DELEGATION_ID:OWNER:` of those that it created. */
  readonly created_delegations: string;
  /** The ids of the block's transactions: hex, separated by commas. */
  readonly tx_ids: string;
  /** `POSITION:OWNER` for each address and transaction: hex, separated by commas. */
  readonly owners: string;
  /** `POSITION:TOKEN_ID` for each token and transaction. */
  readonly tokens: string;
  /** The base transactions that may have to do with pools, delegations or orders, as the elements of a JSON array. */
  readonly bodies: string;
}

/**
 * The delegations of a block's pool that have this mark in its undo record: which of them got a part of the reward is
 * recorded nowhere else. The hex of a line's key comes after the table's name, the mark and `\x`; the balance before the block
 * comes next, if there was one.
 */
const delegationsOf = (mark: '~' | '-') => `
      (select coalesce(string_agg(encode(d.delegation_id, 'hex') || ':' || encode(d.spend_destination, 'hex') || ':' || changed.balance, ','), '')
       from (
         select substr(line, length(E'delegations\\t${mark}\\t\\\\x') + 1, 64) as id,
                split_part(line, E'\\t', 4) as balance
         from undo u cross join lateral string_to_table(u.data, E'\\n') line
         where u.height = b.height and starts_with(line, E'delegations\\t${mark}\\t')
         offset 0
       ) changed
       join delegations d on d.delegation_id = decode(changed.id, 'hex') and d.pool_id = b.pool_id
       where b.delegations_reward > 0)`;

/** The addresses, tokens, pools and delegations that a block has to do with; no row when it is not on the main chain. */
export const getBlockSubjects = queryFunction<[height: number, blockId: Id], BlockSubjectsRow>({
  name: 'block_subjects',
  parameters: { height: 'integer', block_id: 'bytea' },
  select: `
    select b.pool_id, b.reward,
      (select p.decommission_destination from pools p where p.pool_id = b.pool_id) as decommission_destination,
      ${delegationsOf('~')} as changed_delegations,
      ${delegationsOf('-')} as created_delegations,
      ${aggregateTransactionsSql("encode(x.tx_id, 'hex')", ',')} as tx_ids,
      (select coalesce(string_agg(a.tx_index - b.first_tx_index || ':' || encode(a.owner, 'hex'), ','), '')
       from address_transactions a where ${isInBlockSql('a')}) as owners,
      (select coalesce(string_agg(k.tx_index - b.first_tx_index || ':' || encode(k.token_id, 'hex'), ','), '')
       from token_transactions k where ${isInBlockSql('k')}) as tokens,
      (select coalesce(string_agg(x.body, ',' order by x.tx_index), '')
       from transactions x where ${isInBlockSql('x')}
         and (x.body like '%"pool_id"%' or x.body like '%"delegation_id"%' or x.body like '%"order_id"%'
              or x.body like '%"CreateOrder"%')) as bodies
    from blocks b where b.height = :height and b.block_id = :block_id`,
});
