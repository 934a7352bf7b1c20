/** The tip and reorganisations as JSON. */
import Type from 'typebox';
import { poolAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { arrayJson, nullableJson, numberJson, objectJson, plainJson } from '../../render/compose-json.ts';
import { BECH32_SCHEMA, COUNT_SCHEMA, HEX_ID_SCHEMA, nullable, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import type { ReorganisationBlock, ReorganisationRow } from '../../store/queries/blocks/reorganisations.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { objectWriter } from './object-writer.ts';

export const TIP_SCHEMA = strictObject({ block_height: COUNT_SCHEMA, block_id: HEX_ID_SCHEMA });

const tipJson = objectWriter(TIP_SCHEMA);

export function presentTip({ height, id }: Pick<SnapshotTip, 'height' | 'id'>): JsonTextOf<typeof TIP_SCHEMA> {
  return tipJson({ block_height: height, block_id: id });
}

export function presentBlockId(id: Id): JsonTextOf<typeof HEX_ID_SCHEMA> {
  return plainJson(id);
}

const LEFT_OR_ADDED_SCHEMA = strictObject({
  height: COUNT_SCHEMA,
  block_id: HEX_ID_SCHEMA,
  pool_id: { ...nullable(BECH32_SCHEMA), description: 'The pool that produced it; null without proof of stake' },
});

export const REORGANISATION_SCHEMA = strictObject({
  seen_at: { ...COUNT_SCHEMA, description: 'When this index followed it, in seconds since the epoch' },
  ancestor_height: { ...COUNT_SCHEMA, description: 'Height of the last common block' },
  removed: Type.Array(LEFT_OR_ADDED_SCHEMA, { description: 'The blocks that were removed, lowest first' }),
  added: Type.Array(LEFT_OR_ADDED_SCHEMA, { description: 'The blocks that replaced them in the same step' }),
});

export function presentReorganisation(
  network: Network,
  row: ReorganisationRow,
): JsonTextOf<typeof REORGANISATION_SCHEMA> {
  return objectJson({
    seen_at: numberJson(row.seen_at),
    ancestor_height: numberJson(row.ancestor_height),
    removed: arrayJson(row.removed.map((block) => leftOrAddedJson(network, block))),
    added: arrayJson(row.added.map((block) => leftOrAddedJson(network, block))),
  });
}

function leftOrAddedJson(
  network: Network,
  { height, blockId, poolId }: ReorganisationBlock,
): JsonTextOf<typeof LEFT_OR_ADDED_SCHEMA> {
  return objectJson({
    height: numberJson(height),
    block_id: plainJson(blockId),
    pool_id: nullableJson(poolId, (id) => plainJson(poolAddress(network, id))),
  });
}
