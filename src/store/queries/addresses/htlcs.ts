/** Hashed time-lock contracts: all of a secret's hash, and the open ones of an address. Newest first. */
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Destination, Hex, Id } from '../../../chain/types.ts';
import { defineQuery } from '../../read/query.ts';
import { defineList, type OwnerSelection } from '../lists/define-list.ts';
import { OUTPUT_ORDER, OUTPUT_POSITION_PARAMETERS, type OutputSortKey, type UtxoRow } from './address-outputs.ts';

export interface HtlcRow extends UtxoRow {
  /** The spending transaction and its block; null while the HTLC is open. */
  readonly spent_tx_id: Id | null;
  readonly spent_input_index: number | null;
  readonly spent_block: string | null;
  /** The secret revealed by its spend; null while it is open, and if it was refunded. */
  readonly secret: Hex | null;
}

type SortKeyParameters = [height: number, position: number, outputIndex: number];

/** The outputs with the hash of a secret, before a position in the chain. */
const HTLCS_OF_SECRET_HASH = defineQuery<[secretHash: Hex, ...SortKeyParameters, rowLimit: number], HtlcRow>({
  name: 'htlcs_of_secret_hash',
  parameters: {
    secret_hash: 'bytea',
    ...OUTPUT_POSITION_PARAMETERS,
    row_limit: 'integer',
  },
  select: `
    select o.height, o.position, o.output_index, o.entry, b.place as block_reference, st.tx_id as spent_tx_id,
           s.input_index as spent_input_index, sb.place as spent_block, s.secret
    from (
      select height, position, output_index, entry from outputs
      where secret_hash = :secret_hash and (height, position, output_index) < (:height, :position, :output_index)
      order by height desc, position desc, output_index desc limit :row_limit
    ) o
    join blocks b on b.height = o.height
    left join spends s on s.height = o.height and s.position = o.position and s.output_index = o.output_index
    left join blocks sb on sb.height = s.spent_height
    left join transactions st on st.tx_index = sb.first_tx_index + s.spent_position
    order by o.height desc, o.position desc, o.output_index desc`,
});

export interface AddressHtlcRow extends UtxoRow {
  /** May the address spend it with the secret? */
  readonly may_spend: boolean;
  /** May it take it back after the lock? */
  readonly may_refund: boolean;
  /** The height or the median time past of the refund; the other is null. */
  readonly refund_height: number | null;
  readonly refund_time: number | null;
}

const BEFORE_POSITION = '(height, position, output_index) < (:height, :position, :output_index)';
const NEWEST_FIRST = 'order by height desc, position desc, output_index desc limit :row_limit';

/** The open ones that an address may spend or refund, before a position in the chain. */
const HTLCS_OF_ADDRESS = defineQuery<[owner: Destination, ...SortKeyParameters, rowLimit: number], AddressHtlcRow>({
  name: 'htlcs_of_address',
  parameters: { owner: 'bytea', ...OUTPUT_POSITION_PARAMETERS, row_limit: 'integer' },
  select: `
    select u.height, u.position, u.output_index, o.entry, b.place as block_reference, u.may_spend, u.may_refund, u.refund_height, u.refund_time
    from (
      (select height, position, output_index, true as may_spend, refund_owner is null as may_refund,
              refund_height, refund_time
       from utxos
       where owner = :owner and (refund_height is not null or refund_time is not null) and ${BEFORE_POSITION}
       ${NEWEST_FIRST})
      union all
      (select height, position, output_index, false, true, refund_height, refund_time
       from utxos
       where refund_owner = :owner and refund_owner <> owner and ${BEFORE_POSITION}
       ${NEWEST_FIRST})
      ${NEWEST_FIRST}
    ) u
    join outputs o on o.height = u.height and o.position = u.position and o.output_index = u.output_index
    join blocks b on b.height = u.height
    order by u.height desc, u.position desc, u.output_index desc`,
});

interface OfSecretHash {
  readonly secretHash: Hex;
}

/** All outputs with the hash of a secret. */
export const SECRET_HASH_HTLC_LIST = defineList<OfSecretHash, OutputSortKey, HtlcRow>({
  name: ({ secretHash }) => `htlc ${secretHash}`,
  ...OUTPUT_ORDER,
  read: (store, { secretHash, after, limit }) =>
    store.query(HTLCS_OF_SECRET_HASH, secretHash, ...sortKeyParameters(after), limit),
});

/** The open ones that an address may spend or refund. */
export const ADDRESS_HTLC_LIST = defineList<OwnerSelection, OutputSortKey, AddressHtlcRow>({
  name: ({ owner }) => `address-htlcs ${owner}`,
  ...OUTPUT_ORDER,
  read: (store, { owner, after, limit }) => store.query(HTLCS_OF_ADDRESS, owner, ...sortKeyParameters(after), limit),
});

function sortKeyParameters(after: OutputSortKey | null): SortKeyParameters {
  return after === null ? [MAX_HEIGHT, MAX_HEIGHT, MAX_HEIGHT] : [after.height, after.position, after.outputIndex];
}
