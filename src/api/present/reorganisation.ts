/** Reorganisations that the index followed, as JSON. */
import Type from 'typebox';
import { poolAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import { Bech32, Count, HexId, nullable, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/schema-types.ts';
import { arrayJson, nullableJson, numberJson, objectJson, plainJson } from '../../render/typed-json.ts';
import type { Reorganisation, ReorganisationBlock } from '../../store/queries/reorganisations.ts';

const BLOCK_SCHEMA = strictObject({
  height: Count,
  block_id: HexId,
  pool_id: { ...nullable(Bech32), description: 'The pool that made it; null without proof of stake' },
});

export const REORGANISATION_SCHEMA = strictObject({
  seen_at: { ...Count, description: 'When this index followed it, in seconds since the epoch' },
  ancestor_height: { ...Count, description: 'Of the last block that stayed' },
  removed: Type.Array(BLOCK_SCHEMA, { description: 'The blocks that were left, the lowest first' }),
  added: Type.Array(BLOCK_SCHEMA, { description: 'The blocks that came with the same step in their place' }),
});

export function presentReorganisation(network: Network, row: Reorganisation): JsonTextOf<typeof REORGANISATION_SCHEMA> {
  return objectJson({
    seen_at: numberJson(row.seen_at),
    ancestor_height: numberJson(row.ancestor_height),
    removed: arrayJson(row.removed.map((block) => blockJson(network, block))),
    added: arrayJson(row.added.map((block) => blockJson(network, block))),
  });
}

function blockJson(
  network: Network,
  { height, blockId, poolId }: ReorganisationBlock,
): JsonTextOf<typeof BLOCK_SCHEMA> {
  return objectJson({
    height: numberJson(height),
    block_id: plainJson(blockId),
    pool_id: nullableJson(poolId, (id) => plainJson(poolAddress(network, id))),
  });
}
