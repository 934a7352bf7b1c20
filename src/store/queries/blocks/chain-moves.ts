/** The moves of the main chain from one tip to another: the removed and the added blocks. */
import { MAX_REORGANISATION_DEPTH } from '../../../chain/reorganisation-depth.ts';
import type { Id } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, type SnapshotTip } from '../../read/query.ts';
import { aggregateTransactionsSql } from './blocks.ts';

interface MovedBlock {
  readonly height: number;
  readonly id: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** The ids in block order. */
  readonly transactionIds: readonly Id[];
}

export interface ChainMove {
  readonly tip: SnapshotTip;
  /** Height of the last block that both chains have. */
  readonly commonHeight: number;
  /** Upwards. */
  readonly removedBlockIds: readonly Id[];
  /** The blocks above the common one, upwards; only the newest 300. */
  readonly blocks: readonly MovedBlock[];
  /** False when the chains diverge before all remembered blocks: `commonHeight` is then the highest that is possible. */
  readonly isCommonKnown: boolean;
}

interface NewBlockRow {
  readonly height: number;
  readonly block_id: Id;
  readonly timestamp: number;
  /** The ids of its transactions in block order, one after the other. */
  readonly ids: string;
}

const BLOCKS_FROM = defineQuery<[height: number, items: number], NewBlockRow>({
  name: 'blocks_from',
  parameters: { height: 'integer', items: 'integer' },
  select: `
    select b.height, b.block_id, b.timestamp, ${aggregateTransactionsSql("encode(x.tx_id, 'hex')", '')} as ids
    from blocks b where b.height >= :height order by b.height limit :items`,
});

/** The most blocks to remember: as many as a reorganisation can remove. */
const MAX_REMEMBERED_BLOCKS = MAX_REORGANISATION_DEPTH;
/** The most blocks of one move. */
const MAX_BLOCKS = 300;
/** Known blocks to read again in the first attempt: nearly every move is one block forward. */
const FIRST_OVERLAP = 2;

const ID_DIGITS = 64;

/** Remembers the newest blocks, and reports how the chain has moved since the last call. */
export class ChainMoveReader {
  readonly #store: QueryRunner;
  /** Upwards without a gap, the tip last. */
  #known: { readonly height: number; readonly id: Id }[] = [];

  constructor(store: QueryRunner) {
    this.#store = store;
  }

  /** The move to the database's current tip; the first call returns that tip without blocks. Throws a {@link StoreError}. */
  async next(): Promise<ChainMove> {
    const known = this.#known;
    const [oldest] = known;
    if (oldest === undefined) return this.#begin((await this.#store.query(BLOCKS_FROM, 0, 1)).tip);
    for (let overlap = FIRST_OVERLAP; ; overlap *= 8) {
      const from = Math.max(oldest.height, known.at(-1)!.height - overlap + 1);
      const { tip, rows } = await this.#store.query(BLOCKS_FROM, from, overlap + MAX_BLOCKS);
      const common = rows.findLast(({ height, block_id }) => known[height - oldest.height]?.id === block_id);
      if (common === undefined && from > oldest.height) continue;
      const commonHeight = common?.height ?? Math.max(0, Math.min(oldest.height, tip.height) - 1);
      const kept = known.filter(({ height }) => height <= commonHeight);
      const removedBlockIds = known.slice(kept.length).map(({ id }) => id);
      const blocks = await this.#blocksTo(tip, rows, commonHeight);
      if (blocks === null) continue;
      const isGapless = blocks.length === tip.height - commonHeight;
      this.#known = [...(isGapless ? kept : []), ...blocks.map(({ height, id }) => ({ height, id }))].slice(
        -MAX_REMEMBERED_BLOCKS,
      );
      if (this.#known.length === 0) this.#known = [{ height: tip.height, id: tip.id }];
      return { tip, commonHeight, removedBlockIds, blocks, isCommonKnown: common !== undefined };
    }
  }

  #begin(tip: SnapshotTip): ChainMove {
    this.#known = [{ height: tip.height, id: tip.id }];
    return { tip, commonHeight: tip.height, removedBlockIds: [], blocks: [], isCommonKnown: true };
  }

  /** The newest blocks up to a tip; null when it is no longer the tip. */
  async #blocksTo(tip: SnapshotTip, rows: readonly NewBlockRow[], commonHeight: number): Promise<MovedBlock[] | null> {
    const first = Math.max(commonHeight + 1, tip.height - MAX_BLOCKS + 1);
    let newest = rows.filter(({ height }) => height >= first);
    if (newest.length < tip.height - first + 1) {
      const answer = await this.#store.query(BLOCKS_FROM, first, MAX_BLOCKS);
      if (answer.tip.revision !== tip.revision) return null;
      newest = answer.rows;
    }
    return newest.map(({ height, block_id: id, timestamp, ids }) => ({
      height,
      id,
      timestamp,
      transactionIds: Array.from({ length: ids.length / ID_DIGITS }, (_, i) =>
        ids.slice(i * ID_DIGITS, (i + 1) * ID_DIGITS),
      ),
    }));
  }
}
