/** The answer to a submitted transaction as JSON. */
import type { Id } from '../../chain/types.ts';
import { objectJson, plainJson } from '../../render/json.ts';
import { HexId, strictObject } from '../schemas/common.ts';
import type { JsonOf } from '../schemas/json-types.ts';

export const SUBMITTED_SCHEMA = strictObject({ tx_id: HexId });

export function presentSubmitted(id: Id): JsonOf<typeof SUBMITTED_SCHEMA> {
  return objectJson({ tx_id: plainJson(id) });
}
