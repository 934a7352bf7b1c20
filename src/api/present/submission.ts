/** The answer to a submitted transaction as JSON. */
import type { Id } from '../../chain/types.ts';
import { HexId, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/schema-types.ts';
import { objectWriter } from './object-writer.ts';

export const SUBMITTED_SCHEMA = strictObject({ tx_id: HexId });

const submittedJson = objectWriter(SUBMITTED_SCHEMA);

export function presentSubmitted(id: Id): JsonTextOf<typeof SUBMITTED_SCHEMA> {
  return submittedJson({ tx_id: id });
}
