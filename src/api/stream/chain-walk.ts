/** Walks the main chain from any block that was ever on it: the branch that was left, and the blocks that follow. */
import type { Id } from '../../chain/types.ts';
import { type BranchRow, type ChainBlockRow, listBlocksAfter, listBranch } from '../../store/queries/branches.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/batched-query.ts';
import type { ChainPoint } from './point.ts';

export interface ChainBlock extends ChainPoint {
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** The elements of a JSON array. */
  readonly txIds: string;
}

export interface Reorganisation {
  readonly ancestor: ChainPoint;
  /** By height, upwards. */
  readonly removed: readonly Id[];
  readonly newTip: ChainPoint;
}

/** From one block to a later one. */
export interface Step {
  /** The first thing that happened, when the block is not on the chain any more. */
  readonly reorganisation: Reorganisation | null;
  /** What follows, without gaps; perhaps not all of it. */
  readonly blocks: readonly ChainBlock[];
  /** The snapshot that says so. */
  readonly tip: SnapshotTip;
}

export type Walked = Step | 'at the tip' | 'unknown';

/** No more blocks are walked back or forth. */
export const LONGEST_WALK_BLOCKS = 1_000;
/** Of one step, so that it is some 64 kB. */
const MOST_BLOCKS = 50;
const MOST_TRANSACTIONS = 1_000;
/** How often the chain may change under a walk. */
const MOST_TRIES = 20;

/** One step from a block towards the tip. Throws a StoreError. */
export async function walk(store: QueryRunner, from: ChainPoint): Promise<Walked> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const next = await blocksAfter(store, from);
    if (next.blocks.length > 0) return { reorganisation: null, ...next };
    if (next.tip.id === from.id && next.tip.height === from.height) return 'at the tip';
    const { rows } = await listBranch(store, { blockId: from.id, leftLimit: LONGEST_WALK_BLOCKS });
    const way = wayBack(from, rows);
    if (way === null) return 'unknown';
    // It came back in the meantime, or is the tip again.
    if (way.removed.length === 0) continue;
    const { tip, blocks } = await blocksAfter(store, way.ancestor);
    // That branch was left in the meantime.
    if (blocks.length === 0 && tip.id !== way.ancestor.id) continue;
    return { reorganisation: { ...way, newTip: tip }, blocks, tip };
  }
  return 'unknown';
}

async function blocksAfter(store: QueryRunner, { height, id }: ChainPoint) {
  const limits = { blockLimit: MOST_BLOCKS, transactionLimit: MOST_TRANSACTIONS };
  const { tip, rows } = await listBlocksAfter(store, { height, blockId: id, ...limits });
  return { tip, blocks: rows.map(chainBlock) };
}

function chainBlock({ height, block_id: id, timestamp, tx_ids: txIds }: ChainBlockRow): ChainBlock {
  return { height, id, timestamp, txIds };
}

function wayBack({ height, id }: ChainPoint, rows: readonly BranchRow[]): Omit<Reorganisation, 'newTip'> | null {
  const ancestor = rows.at(-1);
  if (ancestor?.height === undefined || ancestor.height === null) return null;
  // Who names a wrong height does not know the block.
  const known = rows[0]!.height ?? rows[0]!.left_height;
  if (rows[0]!.block_id !== id || known !== height) return null;
  const removed = rows.slice(0, -1).map(({ block_id }) => block_id);
  return { ancestor: { height: ancestor.height, id: ancestor.block_id }, removed: removed.reverse() };
}
