/** What blocks touch: pools, delegations, orders, addresses and tokens. */
import type { Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';
import { aggregateTransactionsSql, isInBlockSql } from './blocks.ts';

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
