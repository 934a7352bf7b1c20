/** The tip and ids of blocks as JSON; the genesis is stored as JSON (`renderGenesis`). */
import type { Id } from '../../chain/types.ts';
import { numberJson, objectJson, plainJson } from '../../render/json.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { Count, HexId, strictObject } from '../schemas/common.ts';
import type { JsonOf } from '../schemas/json-types.ts';

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
