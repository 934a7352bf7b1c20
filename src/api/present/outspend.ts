/** What spends the outputs of a transaction, as JSON. */
import Type from 'typebox';
import { Count, HexId, nullable, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/schema-types.ts';
import {
  arrayJson,
  type Json,
  NULL_JSON,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
} from '../../render/typed-json.ts';
import type { OutspendRow } from '../../store/queries/outspends.ts';

const OUTSPEND_SCHEMA = strictObject({
  tx_id: { ...nullable(HexId), description: 'null where a block was staked with the output' },
  input_index: { ...Count, description: 'Among the inputs of that transaction, or of the block that was staked' },
  block_id: HexId,
  height: Count,
  timestamp: { ...Count, description: 'Of the block, in seconds since the epoch' },
});

export const OUTSPENDS_SCHEMA = Type.Array(nullable(OUTSPEND_SCHEMA), {
  description: 'By the index of the output; null while it is not spent',
});

/** All outputs of a transaction; `rows` are those that are spent, by their index, and at least one. */
export function presentOutspends(rows: readonly OutspendRow[]): JsonTextOf<typeof OUTSPENDS_SCHEMA> {
  const outputs = new Array<Json<ValueOf<typeof OUTSPEND_SCHEMA> | null>>(rows[0]!.output_count).fill(NULL_JSON);
  for (const row of rows) {
    if (row.output_index === null) continue;
    outputs[row.output_index] = objectJson<ValueOf<typeof OUTSPEND_SCHEMA>>({
      tx_id: nullableJson(row.spent_tx_id, (id) => plainJson(id)),
      input_index: numberJson(row.input_index!),
      block_id: plainJson(row.block_id!),
      height: numberJson(row.height!),
      timestamp: numberJson(row.timestamp!),
    });
  }
  return arrayJson(outputs);
}
