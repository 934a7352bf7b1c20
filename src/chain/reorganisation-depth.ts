/**
 * How deep a reorganisation may be: nodes accept none that removes more blocks (docs/protocol.md#known-networks).
 *
 * An index for nodes that accept deeper ones needs only another number here and in the documents that name it
 * (test/chain/reorganisation-depth.test.ts names them). What derives from it:
 *
 * - src/store/write/undo-log.ts: the blocks that have undo records, so how deep the scanner can follow
 * - src/store/write/reorganisation-log.ts: the removed blocks that are remembered, ten times as many
 * - src/mempool/recent-blocks.ts: the blocks whose transactions are known not to be pending
 * - src/answers/wallet-changes.ts: how far back from a cursor its common ancestor is searched, and how far ahead of the
 *   index a cursor may be
 * - src/serving/route/get-route.ts: how deep a block must be before caches may keep for a day what was after it
 * - src/api/stream/event-publisher.ts: the blocks that an event stream tells a client that comes back
 * - src/store/queries/blocks/blocks-since.ts: how far the way back from a removed block is followed
 * - src/store/queries/blocks/added-and-removed-blocks.ts: where the reorganisation is looked for that removed a block
 * - src/store/verify/quick-checks.ts: the newest blocks that `verify --quick` compares with the node
 * - src/explorer/parts/confirmations.ts: from how many confirmations on a page calls a transaction final
 * - src/devnet/sim/simulation.ts: the blocks that a simulated node can take back
 * - src/devnet/sim/build-chain.ts: the same for whole chains at once
 *
 * Independent of it: how far from the tip the scanner takes blocks in bulk (src/scanner/sync/bulk-sync.ts). An index that
 * exists keeps the undo records that it has; their number grows with the new blocks.
 */
export const MAX_REORGANISATION_DEPTH = 1_000;
