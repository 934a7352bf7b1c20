/**
 * The newest blocks that have undo records. Nodes accept no reorganisation deeper than 1,000 blocks, so fewer records
 * could leave the index unable to follow, and more would never be used.
 */
export const UNDO_DEPTH = 1_000;
