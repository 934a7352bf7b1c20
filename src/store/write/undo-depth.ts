import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';

/**
 * The number of newest blocks that have undo records: as many as a reorganisation can remove. With fewer records the index
 * might be unable to follow the node, and more would never be used.
 */
export const UNDO_DEPTH = MAX_REORGANISATION_DEPTH;
