/**
 * The newest blocks that have undo records. Nodes accept no reorganisation deeper than 1,000 blocks, so fewer records
 * could leave the index unable to follow, and more would never be used. What assumes as many blocks and has a number of its own:
 * `src/store/queries/chain-moves.ts`, `src/mempool/recent-blocks.ts`, `src/api/stream/chain-steps.ts` and
 * `src/devnet/sim/simulation.ts`; `src/store/write/left-blocks.ts` has to keep more.
 */
export const UNDO_DEPTH = 1_000;
