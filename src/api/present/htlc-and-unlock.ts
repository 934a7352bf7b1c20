/** Hashed time-lock contracts and time-locked outputs, as JSON. The output itself is stored as rendered text. */
import Type from 'typebox';
import type { TokenLabels } from '../../answers/token-label.ts';
import type { Network } from '../../chain/networks/network.ts';
import { TARGET_BLOCK_SECONDS } from '../../chain/networks/network.ts';
import type { Hex } from '../../chain/types.ts';
import {
  booleanJson,
  type Json,
  jsonFromStore,
  NULL_JSON,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
} from '../../render/compose-json.ts';
import {
  addressJsonOfEntry,
  lockJsonOfEntry,
  outpointJsonOfEntry,
  valueJsonOfEntry,
} from '../../render/output-entry.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  HEX_ID_SCHEMA,
  HEX_TEXT_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import type { UtxoRow } from '../../store/queries/addresses/address-outputs.ts';
import type { AddressHtlcRow, HtlcRow } from '../../store/queries/addresses/htlcs.ts';
import type { UnlockRow } from '../../store/queries/addresses/unlocks.ts';
import { LABELLED_VALUE_SCHEMA, presentLabelledValue } from './token-label.ts';

/** The block of an output. */
const BLOCK_REFERENCE_SCHEMA = strictObject(
  { block_id: HEX_ID_SCHEMA, height: COUNT_SCHEMA, timestamp: COUNT_SCHEMA },
  { title: 'BlockReference' },
);

const CONTRACT = {
  outpoint: schemaRef('Outpoint'),
  value: LABELLED_VALUE_SCHEMA,
  secret_hash: Type.String({ pattern: '^[0-9a-f]{40}$', description: '20 bytes as lower-case hex' }),
  spend_address: { ...BECH32_SCHEMA, description: 'Can claim it with the secret' },
  refund_address: { ...BECH32_SCHEMA, description: 'Can refund it after the lock' },
  refund_lock: schemaRef('Lock'),
  block: { ...BLOCK_REFERENCE_SCHEMA, description: 'The block that created it' },
};

const SPENT = strictObject({
  tx_id: HEX_ID_SCHEMA,
  input_index: COUNT_SCHEMA,
  block_id: HEX_ID_SCHEMA,
  height: COUNT_SCHEMA,
  timestamp: COUNT_SCHEMA,
});

export const HTLC_SCHEMA = strictObject({
  ...CONTRACT,
  status: Type.Enum(['open', 'claimed', 'refunded'], { type: 'string' }),
  secret: { ...nullable(HEX_TEXT_SCHEMA), description: 'Revealed by the claim; null unless claimed' },
  spent: { ...nullable(SPENT), description: 'The input that spends it; null while it is open' },
});

/** An entry in the list of HTLCs with a secret hash. */
export function presentHtlc(
  network: Network,
  labels: TokenLabels,
  secretHash: Hex,
  row: HtlcRow,
): JsonTextOf<typeof HTLC_SCHEMA> {
  const status = row.spent_block === null ? 'open' : row.secret === null ? 'refunded' : 'claimed';
  return objectJson({
    ...contractFields(network, labels, secretHash, row),
    status: plainJson(status),
    secret: nullableJson(row.secret, (secret) => plainJson(secret)),
    spent:
      row.spent_block === null
        ? NULL_JSON
        : jsonFromStore(`{"tx_id":"${row.spent_tx_id}","input_index":${row.spent_input_index},${row.spent_block}}`),
  });
}

export const ADDRESS_HTLC_SCHEMA = strictObject({
  ...CONTRACT,
  may_spend: Type.Boolean({ description: 'Is the address that of the spend key?' }),
  may_refund: Type.Boolean({ description: 'Is it that of the refund key?' }),
  refund_height: {
    ...nullable(COUNT_SCHEMA),
    description: 'The first height at which it can be refunded, for locks by blocks',
  },
  refund_time: {
    ...nullable(COUNT_SCHEMA),
    description:
      'The first median time past at which it can be refunded, in seconds since the epoch, for locks by time',
  },
});

const SECRET_HASH = /"secret_hash":\{"hex":"([0-9a-f]*)"/;

/** An entry in the list of HTLCs of an address. */
export function presentAddressHtlc(
  network: Network,
  labels: TokenLabels,
  row: AddressHtlcRow,
): JsonTextOf<typeof ADDRESS_HTLC_SCHEMA> {
  const secretHash = SECRET_HASH.exec(row.entry)![1]!;
  return objectJson({
    ...contractFields(network, labels, secretHash, row),
    may_spend: booleanJson(row.may_spend),
    may_refund: booleanJson(row.may_refund),
    refund_height: nullableJson(row.refund_height, numberJson),
    refund_time: nullableJson(row.refund_time, numberJson),
  });
}

function contractFields(network: Network, labels: TokenLabels, secretHash: Hex, { entry, block_reference }: UtxoRow) {
  return {
    outpoint: jsonFromStore<never>(outpointJsonOfEntry(entry)),
    value: presentLabelledValue(network, labels, valueJsonOfEntry(entry)),
    secret_hash: plainJson(secretHash) as Json<string>,
    spend_address: jsonFromStore<string>(addressJsonOfEntry(entry, 'spend_key')),
    refund_address: jsonFromStore<string>(addressJsonOfEntry(entry, 'refund_key')),
    refund_lock: jsonFromStore<never>(lockJsonOfEntry(entry)),
    block: jsonFromStore<never>(`{${block_reference}}`),
  };
}

export const UNLOCK_SCHEMA = strictObject({
  outpoint: schemaRef('Outpoint'),
  value: LABELLED_VALUE_SCHEMA,
  lock: schemaRef('Lock'),
  opens_at: { ...COUNT_SCHEMA, description: 'When it unlocks, in seconds since the epoch' },
  is_estimate: Type.Boolean({
    description:
      `For a lock by height, \`opens_at\` counts ${TARGET_BLOCK_SECONDS} seconds for each block from the tip on: the tip ` +
      'of the first page, as long as one walks by cursor',
  }),
  unlock_height: { ...nullable(COUNT_SCHEMA), description: 'The height at which it unlocks, for locks by blocks' },
  unlock_time: {
    ...nullable(COUNT_SCHEMA),
    description: 'The median time past at which it unlocks, for locks by time',
  },
  block: { ...BLOCK_REFERENCE_SCHEMA, description: 'The block that created it' },
});

export function presentUnlock(network: Network, labels: TokenLabels, row: UnlockRow): JsonTextOf<typeof UNLOCK_SCHEMA> {
  return objectJson({
    outpoint: jsonFromStore(outpointJsonOfEntry(row.entry)),
    value: presentLabelledValue(network, labels, valueJsonOfEntry(row.entry)),
    lock: jsonFromStore(lockJsonOfEntry(row.entry)),
    opens_at: numberJson(row.opens_at),
    is_estimate: booleanJson(row.unlock_time === null),
    unlock_height: nullableJson(row.unlock_height, numberJson),
    unlock_time: nullableJson(row.unlock_time, numberJson),
    block: jsonFromStore(`{${row.block_reference}}`),
  });
}
