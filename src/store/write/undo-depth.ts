import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';

/**
 * The newest blocks that have undo records: as many as a reorganisation can remove. Fewer records could leave the index unable
 * to follow, and more would never be used.
 */
export const UNDO_DEPTH = MAX_REORGANISATION_DEPTH;
