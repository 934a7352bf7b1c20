/** Who gave the commands of confirmed transactions: their JSON does not name them. */
import type { Destination, Id } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';

interface CommandAuthorityRow {
  /** Of the command in the lists, from 1 on. */
  readonly place: number;
  /** Never null: PostgreSQL cannot tell. */
  readonly authority: Destination | null;
}

/**
 * Reads who had the authority over tokens right before the inputs with their commands. The three lists have an element for each
 * command. No row for one of a transaction that is not on the main chain.
 */
export const listCommandAuthorities = queryFunction<
  [tokenIds: readonly Id[], txIds: readonly Id[], inputIndexes: readonly number[]],
  CommandAuthorityRow
>({
  name: 'command_authorities',
  parameters: { token_ids: 'bytea[]', tx_ids: 'bytea[]', input_indexes: 'integer[]' },
  select: `
    select c.place, a.authority
    from unnest(:token_ids, :tx_ids, :input_indexes) with ordinality c (token_id, tx_id, input_index, place)
    cross join lateral (
      select x.height, (x.tx_index - b.first_tx_index)::int as position
      from transactions x join blocks b on b.height = x.height
      where x.tx_id = c.tx_id
      offset 0
    ) t
    cross join lateral (${authorityBeforeSql('c.token_id', 't.height, t.position, c.input_index')}) a`,
});

/** The SQL of the last authority of a token that was set before a place of the chain: of its issuance, or a change. */
export function authorityBeforeSql(token: string, place: string): string {
  return `
      select authority from token_events
      where token_id = ${token} and authority is not null and (height, position, event_index) < (${place})
      order by height desc, position desc, event_index desc limit 1`;
}

/** Reads who may conclude and freeze these orders. */
export const listConcludeKeys = queryFunction<
  [orderIds: readonly Id[]],
  { readonly order_id: Id; readonly conclude_destination: Destination }
>({
  name: 'conclude_keys',
  parameters: { order_ids: 'bytea[]' },
  select: 'select order_id, conclude_destination from orders where order_id = any(:order_ids)',
});
