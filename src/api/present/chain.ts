/** The tip and reorganisations as JSON. */

import Type from 'typebox';
import { COUNT_SCHEMA, HEX_ID_SCHEMA, nullable, strictObject } from '../../render/schemas/common.ts';
import { jsonContent } from '../../serving/schemas/parameters-and-responses.ts';
import { type BlockRemoval, MAX_REMOVED_TRANSACTIONS } from '../../store/queries/blocks/removed-blocks.ts';
import type { ReorganisationBlock, ReorganisationRow } from '../../store/queries/blocks/reorganisations.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { count, hexId, listOf, nested } from '../entry/kinds.ts';
import { producerField } from './block.ts';

export const TIP = defineEntry<Pick<SnapshotTip, 'height' | 'id'>>({
  block_height: count(({ height }) => height),
  block_id: hexId(({ id }) => id),
});

const REORGANISED_BLOCK = defineEntry<ReorganisationBlock>(
  {
    height: count(({ height }) => height),
    block_id: hexId(({ blockId }) => blockId),
    pool_id: producerField(({ poolId }) => poolId),
  },
  { title: 'ReorganisedBlock' },
);

export const REORGANISATION = defineEntry<ReorganisationRow>({
  seen_at: count(({ seen_at }) => seen_at, 'When this index followed it, in seconds since the epoch'),
  ancestor_height: count(({ ancestor_height }) => ancestor_height, 'Height of the last common block'),
  removed: listOf(nested(REORGANISED_BLOCK))(({ removed }) => removed, 'The blocks that were removed, lowest first'),
  added: listOf(nested(REORGANISED_BLOCK))(({ added }) => added, 'The blocks that replaced them in the same step'),
});

const REMOVED_BLOCK_SCHEMA = strictObject({
  error: Type.String(),
  removed: Type.Optional(
    Type.Boolean({ description: 'True: a reorganisation removed it, as this index saw; then with all other fields' }),
  ),
  height: Type.Optional(COUNT_SCHEMA),
  timestamp: Type.Optional({ ...nullable(COUNT_SCHEMA), description: 'Of the block; null if it is not known' }),
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
    ...jsonContent(REMOVED_BLOCK_SCHEMA),
  },
};

/** The fields of an error for a block that a reorganisation removed. */
export function removedBlockFields(removal: BlockRemoval): Readonly<Record<string, unknown>> {
  const { height, timestamp, removed_at, replaced_by, transaction_count, transactions } = removal;
  const listed = transactions.map(({ txId, place }) => ({
    tx_id: txId,
    block_id: place?.blockId ?? null,
    height: place?.height ?? null,
  }));
  return { removed: true, height, timestamp, removed_at, replaced_by, transaction_count, transactions: listed };
}
