/** The steps along the main chain from any block that was ever on it: the removed branch, and the blocks that follow. */
import { MAX_REORGANISATION_DEPTH } from '../../../chain/reorganisation-depth.ts';
import type { Id } from '../../../chain/types.ts';
import { type ChainPosition, type QueryRunner, queryFunction, type SnapshotTip } from '../../read/query.ts';
import { aggregateTransactionsSql, QUOTED_ID_SQL } from './blocks.ts';

export function isSamePosition(a: ChainPosition | null, b: ChainPosition | null): boolean {
  return a !== null && b !== null && a.height === b.height && a.id === b.id;
}

export interface ChainBlockRow {
  readonly height: number;
  readonly block_id: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** The ids of its transactions in block order, as the elements of a JSON array. */
  readonly tx_ids: string;
}

/**
 * The blocks that follow a block of the main chain, by height: at least one, and more, up to `blockLimit`, while they have
 * no more than `transactionLimit` transactions together. No row when there is none, or the block is not on the main chain.
 */
const listBlocksAfter = queryFunction<
  [height: number, blockId: Id, blockLimit: number, transactionLimit: number],
  ChainBlockRow
>({
  name: 'blocks_after',
  parameters: { height: 'integer', block_id: 'bytea', block_limit: 'integer', transaction_limit: 'bigint' },
  select: `
    select b.height, b.block_id, b.timestamp, ${aggregateTransactionsSql(QUOTED_ID_SQL, ',')} as tx_ids
    from blocks p
    join blocks b on b.height > p.height and b.height <= p.height + :block_limit
    where p.height = :height and p.block_id = :block_id
      and (b.height = p.height + 1
           or b.first_tx_index + b.tx_count <= p.first_tx_index + p.tx_count + :transaction_limit)
    order by b.height`,
});

interface BranchRow {
  readonly block_id: Id;
  /** 0 for the block itself, 1 for its parent, … */
  readonly depth: number;
  /** The height on the main chain; null for a block that is not on it. */
  readonly height: number | null;
  /** Height at which a reorganisation removed it; null for a block that none removed. */
  readonly removed_height: number | null;
}

/**
 * A block and its ancestors down to the first that is on the main chain, `removedLimit` removed ones at most. When the last
 * row has no height, its ancestors are not known.
 */
export const listBranch = queryFunction<[blockId: Id, removedLimit: number], BranchRow>({
  name: 'branch',
  parameters: { block_id: 'bytea', removed_limit: 'integer' },
  select: `
    select w.block_id, w.depth, w.height, r.height as removed_height
    from (
      with recursive way (block_id, depth, height) as (
        select :block_id, 0, (select b.height from blocks b where b.block_id = :block_id)
        union all
        select r.parent_id, way.depth + 1, (select b.height from blocks b where b.block_id = r.parent_id)
        from way join removed_blocks r on r.block_id = way.block_id
        where way.height is null and way.depth < :removed_limit
      )
      select * from way
    ) w
    left join removed_blocks r on r.block_id = w.block_id and w.height is null
    order by w.depth`,
});

export interface ChainStepBlock extends ChainPosition {
  /** The timestamp in seconds since the epoch. */
  readonly timestamp: number;
  /** The elements of a JSON array. */
  readonly txIds: string;
}

export interface ChainStepReorganisation {
  readonly ancestor: ChainPosition;
  /** The ids in ascending order of height. */
  readonly removed: readonly Id[];
  readonly newTip: ChainPosition;
}

/** A step from a block to a later one. */
export interface ChainStep {
  /** The reorganisation before the blocks, if the first block was removed. */
  readonly reorganisation: ChainStepReorganisation | null;
  /** The blocks that follow, without gaps; not necessarily all of them. None if the first block is the tip. */
  readonly blocks: readonly ChainStepBlock[];
  /** The tip of the snapshot. */
  readonly tip: SnapshotTip;
}

/**
 * Steps end at multiples of this height, so that steps with different beginnings meet. They have about 1,000
 * transactions.
 */
const MAX_BLOCKS = 50;
const MAX_TRANSACTIONS = 1_000;
/** The most times that the chain may change while a step is read. */
const MAX_TRIES = 20;

/** Reads a step from a block towards the tip; null if the block is not known. Throws a StoreError. */
export async function readChainStep(store: QueryRunner, from: ChainPosition): Promise<ChainStep | null> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const next = await blocksAfter(store, from);
    if (next.blocks.length > 0 || isSamePosition(next.tip, from)) return { reorganisation: null, ...next };
    const { rows } = await listBranch(store, from.id, MAX_REORGANISATION_DEPTH);
    const way = wayBack(from, rows);
    if (way === null) return null;
    // Meanwhile the block came back, or is the tip again.
    if (way.removed.length === 0) continue;
    const { tip, blocks } = await blocksAfter(store, way.ancestor);
    // Meanwhile the branch of the ancestor was removed.
    if (blocks.length === 0 && tip.id !== way.ancestor.id) continue;
    return { reorganisation: { ...way, newTip: tip }, blocks, tip };
  }
  return null;
}

/** All that is between a block and the tip. */
interface BlocksSince {
  readonly tip: SnapshotTip;
  /** The height up to which nothing changed: the block's, or that of the common ancestor. */
  readonly commonHeight: number;
  /** The blocks above that height, upwards. */
  readonly blocks: readonly (ChainPosition & { readonly transactionIds: readonly Id[] })[];
}

/** Reads all steps from a block to the tip; null if the block is not known. Throws a StoreError. */
export async function readBlocksSince(store: QueryRunner, from: ChainPosition): Promise<BlocksSince | null> {
  let commonHeight = from.height;
  let blocks: ChainStepBlock[] = [];
  for (let end = from; ; ) {
    const step = await readChainStep(store, end);
    if (step === null) return null;
    const begin = step.reorganisation?.ancestor ?? end;
    // The chain may change between two steps.
    commonHeight = Math.min(commonHeight, begin.height);
    blocks = [...blocks.filter(({ height }) => height <= begin.height), ...step.blocks];
    end = step.blocks.at(-1) ?? begin;
    if (!isSamePosition(end, step.tip)) continue;
    const read = blocks.map(({ height, id, txIds }) => ({
      height,
      id,
      transactionIds: JSON.parse(`[${txIds}]`) as Id[],
    }));
    return { tip: step.tip, commonHeight, blocks: read };
  }
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
): Omit<ChainStepReorganisation, 'newTip'> | null {
  const ancestor = rows.at(-1);
  if (ancestor?.height === undefined || ancestor.height === null) return null;
  // Whoever names a wrong height does not know the block.
  const known = rows[0]!.height ?? rows[0]!.removed_height;
  if (rows[0]!.block_id !== id || known !== height) return null;
  const removed = rows.slice(0, -1).map(({ block_id }) => block_id);
  return { ancestor: { height: ancestor.height, id: ancestor.block_id }, removed: removed.reverse() };
}
