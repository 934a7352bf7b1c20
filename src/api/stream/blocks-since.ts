/**
 * Steps along the main chain from any block that was ever on it: the removed branch, and the blocks that follow.
 */

import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import type { Id } from '../../chain/types.ts';
import {
  type BranchRow,
  type ChainBlockRow,
  listBlocksAfter,
  listBranch,
} from '../../store/queries/blocks/stream-replay.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { ChainPosition } from '../http/headers.ts';

export function isSamePosition(a: ChainPosition | null, b: ChainPosition | null): boolean {
  return a !== null && b !== null && a.height === b.height && a.id === b.id;
}

export interface ChainStepBlock extends ChainPosition {
  /** The timestamp in seconds since the epoch. */
  readonly timestamp: number;
  /** The elements of a JSON array. */
  readonly txIds: string;
}

export interface StreamReorganisation {
  readonly ancestor: ChainPosition;
  /** The ids in ascending order of height. */
  readonly removed: readonly Id[];
  readonly newTip: ChainPosition;
}

/** A step from a block to a later one. */
export interface ChainStep {
  /** The reorganisation before the blocks, if the first block was removed. */
  readonly reorganisation: StreamReorganisation | null;
  /** The blocks that follow, without gaps; not necessarily all of them. */
  readonly blocks: readonly ChainStepBlock[];
  /** The tip of the snapshot. */
  readonly tip: SnapshotTip;
}

type ChainStepResult = ChainStep | 'at the tip' | 'unknown';

/**
 * The most blocks that are replayed, as many as a reorganisation can remove. Clients that missed more are sent to the
 * tip.
 */
export const MAX_MISSED_BLOCKS = MAX_REORGANISATION_DEPTH;
/**
 * Steps end at multiples of this height, so that steps with different beginnings meet. They have about 1,000
 * transactions.
 */
const MAX_BLOCKS = 50;
const MAX_TRANSACTIONS = 1_000;
/** The most times that the chain may change while a step is read. */
const MAX_TRIES = 20;

/** Reads a step from a block towards the tip. Throws a StoreError. */
export async function readChainStep(store: QueryRunner, from: ChainPosition): Promise<ChainStepResult> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const next = await blocksAfter(store, from);
    if (next.blocks.length > 0) return { reorganisation: null, ...next };
    if (next.tip.id === from.id && next.tip.height === from.height) return 'at the tip';
    const { rows } = await listBranch(store, from.id, MAX_MISSED_BLOCKS);
    const way = wayBack(from, rows);
    if (way === null) return 'unknown';
    // Meanwhile the block came back, or is the tip again.
    if (way.removed.length === 0) continue;
    const { tip, blocks } = await blocksAfter(store, way.ancestor);
    // Meanwhile the branch of the ancestor was removed.
    if (blocks.length === 0 && tip.id !== way.ancestor.id) continue;
    return { reorganisation: { ...way, newTip: tip }, blocks, tip };
  }
  return 'unknown';
}

async function blocksAfter(store: QueryRunner, { height, id }: ChainPosition) {
  const { tip, rows } = await listBlocksAfter(store, height, id, MAX_BLOCKS - (height % MAX_BLOCKS), MAX_TRANSACTIONS);
  return { tip, blocks: rows.map(stepBlock) };
}

function stepBlock({ height, block_id: id, timestamp, tx_ids: txIds }: ChainBlockRow): ChainStepBlock {
  return { height, id, timestamp, txIds };
}

function wayBack(
  { height, id }: ChainPosition,
  rows: readonly BranchRow[],
): Omit<StreamReorganisation, 'newTip'> | null {
  const ancestor = rows.at(-1);
  if (ancestor?.height === undefined || ancestor.height === null) return null;
  // A client that names a wrong height does not know the block.
  const known = rows[0]!.height ?? rows[0]!.removed_height;
  if (rows[0]!.block_id !== id || known !== height) return null;
  const removed = rows.slice(0, -1).map(({ block_id }) => block_id);
  return { ancestor: { height: ancestor.height, id: ancestor.block_id }, removed: removed.reverse() };
}
