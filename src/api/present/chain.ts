/** The tip and ids of blocks as JSON; the genesis is stored as JSON (`renderGenesis`). */
import type { Id } from '../../chain/types.ts';
import { Count, HexId, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/schema-types.ts';
import { plainJson } from '../../render/typed-json.ts';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { objectWriter } from './object-writer.ts';

export const TIP_SCHEMA = strictObject({ block_height: Count, block_id: HexId });

const tipJson = objectWriter(TIP_SCHEMA);

export function presentTip({ height, id }: Pick<SnapshotTip, 'height' | 'id'>): JsonTextOf<typeof TIP_SCHEMA> {
  return tipJson({
    block_height: height,
    block_id: id,
  });
}

export function presentBlockId(id: Id): JsonTextOf<typeof HexId> {
  return plainJson(id);
}
