/** Hashed time-lock contracts and time-locked outputs, as JSON. The output itself is stored as rendered text. */
import type { TokenLabels } from '../../answers/token-label.ts';
import { TARGET_BLOCK_SECONDS } from '../../chain/networks/network.ts';
import type { Hex } from '../../chain/types.ts';
import {
  addressJsonOfEntry,
  lockJsonOfEntry,
  outpointJsonOfEntry,
  valueJsonOfEntry,
} from '../../render/output-entry.ts';
import {
  BECH32_SCHEMA,
  BLOCK_REFERENCE,
  COUNT_SCHEMA,
  HEX_ID_SCHEMA,
  patternString,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { UtxoRow } from '../../store/queries/addresses/address-outputs.ts';
import type { AddressHtlcRow, HtlcRow } from '../../store/queries/addresses/htlcs.ts';
import type { UnlockRow } from '../../store/queries/addresses/unlocks.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { choice, count, flag, hexText, stored, unescapedText } from '../entry/kinds.ts';
import { LABELLED_VALUE_SCHEMA, presentLabelledValue } from './token-label.ts';

/** A row with an output, and the labels of tokens. */
interface Labelled<Row extends UtxoRow> {
  readonly row: Row;
  readonly labels: TokenLabels;
}

type Output = Labelled<UtxoRow>;

const outpoint = stored(schemaRef('Outpoint'))<Output>(({ row }) => outpointJsonOfEntry(row.entry));

const value = stored(LABELLED_VALUE_SCHEMA)<Output>(({ row, labels }, network) =>
  presentLabelledValue(network, labels, valueJsonOfEntry(row.entry)),
);

const lock = stored(schemaRef('Lock'))<Output>(({ row }) => lockJsonOfEntry(row.entry));

const block = stored(strictObject(BLOCK_REFERENCE, { title: 'BlockReference' }))<Output>(
  ({ row }) => `{${row.block_reference}}`,
  'The block that created it',
);

const address = stored(BECH32_SCHEMA);

interface Contract<Row extends UtxoRow> extends Labelled<Row> {
  readonly secretHash: Hex;
}

const CONTRACT_FIELDS = {
  outpoint,
  value,
  secret_hash: unescapedText(patternString({ pattern: '^[0-9a-f]{40}$', description: '20 bytes as lower-case hex' }))<
    Contract<UtxoRow>
  >(({ secretHash }) => secretHash),
  spend_address: address<Output>(
    ({ row }) => addressJsonOfEntry(row.entry, 'spend_key'),
    'Can claim it with the secret',
  ),
  refund_address: address<Output>(
    ({ row }) => addressJsonOfEntry(row.entry, 'refund_key'),
    'Can refund it after the lock',
  ),
  refund_lock: lock,
  block,
};

const SPENT_SCHEMA = strictObject({ tx_id: HEX_ID_SCHEMA, input_index: COUNT_SCHEMA, ...BLOCK_REFERENCE });

/** An entry in the list of HTLCs with a secret hash. */
export const HTLC = defineEntry<Contract<HtlcRow>>({
  ...CONTRACT_FIELDS,
  status: choice(['open', 'claimed', 'refunded'])(({ row }) =>
    row.spent_block === null ? 'open' : row.secret === null ? 'refunded' : 'claimed',
  ),
  secret: hexText.orNull(({ row }) => row.secret, 'Revealed by the claim; null unless claimed'),
  spent: stored(SPENT_SCHEMA).orNull(
    ({ row }) =>
      row.spent_block === null
        ? null
        : `{"tx_id":"${row.spent_tx_id}","input_index":${row.spent_input_index},${row.spent_block}}`,
    'The input that spends it; null while it is open',
  ),
});

const SECRET_HASH = /"secret_hash":\{"hex":"([0-9a-f]*)"/;

/** Returns the hash of the secret of an HTLC. */
export const secretHashOfOutput = ({ entry }: UtxoRow): Hex => SECRET_HASH.exec(entry)![1]!;

/** An entry in the list of HTLCs of an address. */
export const ADDRESS_HTLC = defineEntry<Contract<AddressHtlcRow>>({
  ...CONTRACT_FIELDS,
  may_spend: flag(({ row }) => row.may_spend, 'Is the address that of the spend key?'),
  may_refund: flag(({ row }) => row.may_refund, 'Is it that of the refund key?'),
  refund_height: count.orNull(
    ({ row }) => row.refund_height,
    'The first height at which it can be refunded, for locks by blocks',
  ),
  refund_time: count.orNull(
    ({ row }) => row.refund_time,
    'The first median time past at which it can be refunded, in seconds since the epoch, for locks by time',
  ),
});

export const UNLOCK = defineEntry<Labelled<UnlockRow>>({
  outpoint,
  value,
  lock,
  opens_at: count(({ row }) => row.opens_at, 'When it unlocks, in seconds since the epoch'),
  is_estimate: flag(
    ({ row }) => row.unlock_time === null,
    `For a lock by height, \`opens_at\` counts ${TARGET_BLOCK_SECONDS} seconds for each block from the tip on: the tip ` +
      'of the first page, as long as one walks by cursor',
  ),
  unlock_height: count.orNull(({ row }) => row.unlock_height, 'The height at which it unlocks, for locks by blocks'),
  unlock_time: count.orNull(
    ({ row }) => row.unlock_time,
    'The median time past at which it unlocks, for locks by time',
  ),
  block,
});
