/** Time-locked outputs of an address as JSON. */
import Type from 'typebox';
import type { Network } from '../../chain/networks/network.ts';
import { Count, nullable, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/schema-types.ts';
import { booleanJson, jsonFromStore, nullableJson, numberJson, objectJson } from '../../render/typed-json.ts';
import { TARGET_BLOCK_SECONDS, type UnlockRow } from '../../store/queries/unlocks.ts';
import { PLACE_SCHEMA } from './htlc.ts';
import { lockOf, outpointJsonOf, outputValueOf } from './stored-output.ts';
import { LABELLED_VALUE_SCHEMA, presentLabelledValue, type TokenLabels } from './token-label.ts';

export const UNLOCK_SCHEMA = strictObject({
  outpoint: schemaRef('Outpoint'),
  value: LABELLED_VALUE_SCHEMA,
  lock: schemaRef('Lock'),
  opens_at: { ...Count, description: 'From when on it can be spent; seconds since the epoch' },
  is_estimate: Type.Boolean({
    description:
      `For a lock by height, \`opens_at\` counts ${TARGET_BLOCK_SECONDS} seconds for each block from the tip on: the tip ` +
      'of the first page, as long as one walks by cursor',
  }),
  unlock_height: { ...nullable(Count), description: 'From which height on, for locks by blocks' },
  unlock_time: { ...nullable(Count), description: 'From which median time past on, for locks by time' },
  block: { ...PLACE_SCHEMA, description: 'The block that made it' },
});

export function presentUnlock(network: Network, labels: TokenLabels, row: UnlockRow): JsonTextOf<typeof UNLOCK_SCHEMA> {
  return objectJson({
    outpoint: jsonFromStore(outpointJsonOf(row.entry)),
    value: presentLabelledValue(network, labels, outputValueOf(row.entry)),
    lock: jsonFromStore(lockOf(row.entry)),
    opens_at: numberJson(row.opens_at),
    is_estimate: booleanJson(row.unlock_time === null),
    unlock_height: nullableJson(row.unlock_height, numberJson),
    unlock_time: nullableJson(row.unlock_time, numberJson),
    block: jsonFromStore(`{${row.place}}`),
  });
}
