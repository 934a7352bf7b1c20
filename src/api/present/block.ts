/** Blocks of the main chain as JSON. Their header, their reward and their transactions are stored as JSON. */
import Type from 'typebox';
import { numberJson, objectJson, storedJson } from '../../render/typed-json.ts';
import type { BlockRow } from '../../store/queries/blocks.ts';
import { Count, schemaRef, strictObject } from '../schemas/common.ts';
import type { JsonTextOf } from '../schemas/schema-types.ts';

const BLOCK_BODY_SCHEMA = strictObject({
  reward: Type.Array(schemaRef('Output')),
  transactions: Type.Array(schemaRef('BaseTransaction')),
});

export const BLOCK_SCHEMA = strictObject({
  height: Count,
  header: schemaRef('BlockHeader'),
  body: BLOCK_BODY_SCHEMA,
});

export function presentBlock(row: BlockRow): JsonTextOf<typeof BLOCK_SCHEMA> {
  return objectJson({
    body: objectJson({
      reward: storedJson(row.reward),
      transactions: storedJson(`[${row.transactions}]`),
    }),
    header: storedJson(row.header),
    height: numberJson(row.height),
  });
}
