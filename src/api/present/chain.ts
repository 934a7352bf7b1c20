/** The genesis, the tip and ids of blocks as JSON. */
import Type from 'typebox';
import type { Id } from '../../chain/types.ts';
import { numberJson, objectJson, plainJson } from '../../render/json.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { Count, HexId, schemaRef, strictObject } from '../schemas/common.ts';
import type { JsonOf } from '../schemas/json-types.ts';

/** Stored as a finished text: see `renderGenesis`. */
export const GENESIS_SCHEMA = strictObject({
  block_id: HexId,
  genesis_message: Type.String(),
  timestamp: schemaRef('Timestamp'),
  utxos: Type.Array(schemaRef('Output')),
});

export const TIP_SCHEMA = strictObject({ block_height: Count, block_id: HexId });

export function presentTip({ height, id }: Pick<SnapshotTip, 'height' | 'id'>): JsonOf<typeof TIP_SCHEMA> {
  return objectJson({
    block_height: numberJson(height),
    block_id: plainJson(id),
  });
}

export function presentBlockId(id: Id): JsonOf<typeof HexId> {
  return plainJson(id);
}
