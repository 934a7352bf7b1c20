/** The targets of blocks, from the headers that are stored as JSON. */
import { type BlockTarget, blockTargetOf, INITIAL_TARGETS, targetFromCompact } from '../../../chain/compact-target.ts';

/** The SQL of the field of a stored header that has the target; null without consensus data. */
export const targetFieldSql = (header: string): string => `substring(${header} from '("(target|bits)":"?[0-9a-fx]+)')`;

const TARGET_FIELD = /"(target|bits)":"?(\w+)/;

/** Returns the target of a stored header, or of what {@link targetFieldSql} finds in it; null without consensus data. */
export function targetOfHeader(header: string | null): BlockTarget | null {
  const [, name, value] = TARGET_FIELD.exec(header ?? '') ?? [];
  if (value === undefined) return null;
  return name === 'bits'
    ? blockTargetOf(targetFromCompact(Number(value)), INITIAL_TARGETS.PoW)
    : blockTargetOf(BigInt(value), INITIAL_TARGETS.PoS);
}
