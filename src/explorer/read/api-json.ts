/** Amounts of stored JSON, with their decimal text. */

import type { AMOUNT_SCHEMA } from '../../render/schemas/common.ts';
import type { ValueOf } from '../../render/schemas/value-of-schema.ts';
import type { ExactAmount } from '../parts/amount.ts';

export function exactAmountOfJson({ atoms, decimal }: ValueOf<typeof AMOUNT_SCHEMA>): ExactAmount {
  return { atoms: BigInt(atoms), decimal };
}
