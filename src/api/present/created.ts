/** The block that created something, as JSON. */
import { Created } from '../../render/schemas/common.ts';
import { objectWriter } from './object-writer.ts';

/** `timestamp` in seconds since the epoch. */
export const createdJson = objectWriter(Created);
