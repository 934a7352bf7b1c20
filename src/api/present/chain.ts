/** The tip and reorganisations as JSON. */
import Type from 'typebox';
import { poolAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { arrayJson, nullableJson, numberJson, objectJson, plainJson } from '../../render/compose-json.ts';
import { BECH32_SCHEMA, COUNT_SCHEMA, HEX_ID_SCHEMA, nullable, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { type BlockRemoval, MAX_REMOVED_TRANSACTIONS } from '../../store/queries/blocks/removed-blocks.ts';
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

const LEFT_OR_ADDED_SCHEMA = strictObject(
  {
    height: COUNT_SCHEMA,
    block_id: HEX_ID_SCHEMA,
    pool_id: { ...nullable(BECH32_SCHEMA), description: 'The pool that produced it; null without proof of stake' },
  },
  { title: 'ReorganisedBlock' },
);

export const REORGANISATION_SCHEMA = strictObject({
  seen_at: { ...COUNT_SCHEMA, description: 'When this index followed it, in seconds since the epoch' },
  ancestor_height: { ...COUNT_SCHEMA, description: 'Height of the last common block' },
  removed: Type.Array(LEFT_OR_ADDED_SCHEMA, { description: 'The blocks that were removed, lowest first' }),
  added: Type.Array(LEFT_OR_ADDED_SCHEMA, { description: 'The blocks that replaced them in the same step' }),
});

const REMOVED_BLOCK_SCHEMA = strictObject({
  error: Type.String(),
  removed: Type.Optional(
    Type.Boolean({ description: 'True: a reorganisation removed it, as this index saw; then with all other fields' }),
  ),
  height: Type.Optional(COUNT_SCHEMA),
  removed_at: Type.Optional({ ...COUNT_SCHEMA, description: 'Seconds since the epoch' }),
  replaced_by: Type.Optional({ ...nullable(HEX_ID_SCHEMA), description: 'The block of the main chain at its height' }),
  transaction_count: Type.Optional(COUNT_SCHEMA),
  transactions: Type.Optional(
    Type.Array(
      strictObject({ tx_id: HEX_ID_SCHEMA, block_id: nullable(HEX_ID_SCHEMA), height: nullable(COUNT_SCHEMA) }),
      {
        maxItems: MAX_REMOVED_TRANSACTIONS,
        description: `Up to ${MAX_REMOVED_TRANSACTIONS} of them, with the block of the main chain that has them now`,
      },
    ),
  ),
});

/** The response 404 for a block, which may have been removed. */
export const REMOVED_BLOCK_RESPONSE = {
  404: {
    description: 'There is no such block on the main chain',
    content: { 'application/json': { schema: REMOVED_BLOCK_SCHEMA } },
  },
};

/** The fields of an error for a block that a reorganisation removed. */
export function removedBlockFields(removal: BlockRemoval): Readonly<Record<string, unknown>> {
  const { height, removed_at, replaced_by, transaction_count, transactions } = removal;
  const listed = transactions.map(({ txId, place }) => ({
    tx_id: txId,
    block_id: place?.blockId ?? null,
    height: place?.height ?? null,
  }));
  return { removed: true, height, removed_at, replaced_by, transaction_count, transactions: listed };
}

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
