/**
 * Takes batches of blocks through the ledger. Each step is reachable only from the one before: `applier.prepare` reads the
 * rows that the blocks touch, `prepared.apply` applies them, `applied.takeState` returns what must be written, and
 * `state.committed` is called after the commit.
 */

import type pg from 'pg';
import { MEDIAN_TIME_SPAN, type Network } from '../../chain/networks/network.ts';
import type { Genesis, Id, IdentifiedBlock } from '../../chain/types.ts';
import { applyBlock, applyGenesis } from '../../ledger/apply-block.ts';
import {
  addUnreadRow,
  collectDirectKeys,
  collectIndirectKeys,
  type MissingStateKeys,
  noMissingKeys,
} from '../../ledger/collect-keys.ts';
import { hoursEnteringOrLeaving } from '../../ledger/pool-block-windows.ts';
import type { ChainTip, LedgerState } from '../../ledger/state.ts';
import { UnreadRowError } from '../../ledger/state-table.ts';
import type { RenderContext } from '../../render/common-values.ts';
import { renderOutput } from '../../render/output.ts';
import { outputEntryJson } from '../../render/output-entry.ts';
import { blockReference, renderBlock, renderGenesis } from '../../render/stored-block.ts';
import { AppendOnlyRows } from '../../store/write/append-only-tables.ts';
import type { BlockRecords } from '../../store/write/block-batch.ts';
import { readLockedOutputs, readMissingRows, readPoolBlocks } from '../../store/write/state/read-rows.ts';
import { finishUndoRecord, startUndoRecord } from '../../store/write/undo-log.ts';
import { type EndingLocks, LedgerCache, type UncommittedState } from './ledger-cache.ts';

/** Blocks that can be applied: all rows that they touch are in memory. */
export interface PreparedBlocks {
  readonly blocks: readonly IdentifiedBlock[];
  /** The height of the last block. */
  readonly lastHeight: number;
  /** Reads the rows that the next blocks touch, before these blocks are applied. */
  prepareNext(client: pg.Client, blocks: readonly IdentifiedBlock[]): Promise<PreparedBlocks>;
  /**
   * Applies the blocks, once. After an error the applier must `resumeAt` the stored tip. After an UnreadRowError the same blocks
   * can be applied then: the row is read with them.
   */
  apply(options?: ApplyOptions): AppliedBlocks;
}

interface ApplyOptions {
  /** The blocks above this height get undo records (default: all). */
  readonly undoAbove?: number;
  /** Receives the rows of the append-only tables (default: new ones). */
  readonly history?: AppendOnlyRows;
}

/** Applied blocks that the database does not have yet. */
export interface AppliedBlocks {
  readonly records: BlockRecords;
  /**
   * Takes the tip and everything that changed since the last call. It must be written in one transaction with the
   * records of all blocks since then.
   */
  takeState(): UncommittedState;
}

interface BatchApplierOptions {
  readonly cacheBytes?: number | undefined;
  readonly unread?: MissingStateKeys;
}

export class BatchApplier {
  readonly network: Network;
  readonly #cache: LedgerCache;
  readonly #render: RenderContext;

  /** The rows that blocks needed and that were not collected. They are read with every batch. */
  readonly #unread: MissingStateKeys;

  /**
   * `cacheBytes`: of the rows that stay in memory between batches (default: no limit). `unread`: the rows that an applier before
   * this one needed without having read them.
   */
  constructor(network: Network, { cacheBytes, unread = noMissingKeys() }: BatchApplierOptions = {}) {
    this.network = network;
    this.#unread = unread;
    const cache = new LedgerCache(cacheBytes);
    this.#cache = cache;
    this.#render = {
      network,
      decimalsOf: (tokenId) => {
        const { tokens, nfts } = cache.state;
        return tokens.get(tokenId)?.decimals ?? (nfts.get(tokenId) ? 0 : null);
      },
    };
  }

  /** The tip of the applied blocks. */
  get chain(): ChainTip {
    return this.#cache.state.chain;
  }

  /** Must the cache shrink? Then the next blocks cannot be prepared before the ones before them are applied. */
  get isFull(): boolean {
    return this.#cache.isFull;
  }

  /** Starts again at a tip of the stored chain, with an empty cache. */
  resumeAt(chain: ChainTip): void {
    this.#cache.reset(chain);
  }

  /**
   * Starts a new index with the genesis. From here on the whole state is in memory, until the cache overflows. Also
   * returns the JSON of `/chain/genesis`.
   */
  applyGenesis(genesis: Genesis, id: string): AppliedBlocks & { readonly json: string } {
    this.#cache.reset(null);
    const applied = applyGenesis(this.#cache.state, this.network, genesis, id);
    const { outputs } = applied;
    this.#cache.noteCreated(outputs);
    const entries = outputs.map((utxo) => outputEntryJson(id, utxo, renderOutput(this.#render, utxo.output)));
    const history = new AppendOnlyRows();
    const { timestamp } = genesis;
    const size = this.network.genesis.length / 2;
    history.addGenesis({ id, timestamp, size }, applied, { blockReference: blockReference(id, 0, timestamp), entries });
    return {
      records: { history, undo: [], hasUndoGap: false, startsDay: false },
      takeState: () => this.#cache.takeState(),
      json: renderGenesis(this.#render, genesis, id),
    };
  }

  /** Reads all rows that blocks on top of the tip will touch. No other prepared blocks may be waiting to be applied. */
  async prepare(client: pg.Client, blocks: readonly IdentifiedBlock[]): Promise<PreparedBlocks> {
    this.#cache.evict();
    return this.#prepare(client, blocks, []);
  }

  /** `ahead`: prepared blocks that will be applied before these, perhaps while these are being prepared. */
  async #prepare(
    client: pg.Client,
    blocks: readonly IdentifiedBlock[],
    ahead: readonly IdentifiedBlock[],
  ): Promise<PreparedBlocks> {
    const parentHeight = this.chain.height + ahead.length;
    const requireTip = (): void => {
      if (this.chain.height !== parentHeight)
        throw new Error(`blocks were prepared for the tip ${parentHeight}, not ${this.chain.height}`);
    };
    const locks = await this.#readTouched(client, blocks, ahead);
    return {
      blocks,
      lastHeight: locks.lastHeight,
      prepareNext: (nextClient, next) => {
        requireTip();
        return this.#prepare(nextClient, next, blocks);
      },
      apply: (options) => {
        requireTip();
        try {
          return this.#apply(blocks, locks, options);
        } catch (error) {
          if (error instanceof UnreadRowError) addUnreadRow(this.#unread, error);
          throw error;
        }
      },
    };
  }

  /** Loads every row that the blocks touch. Returns the locks that end within them. */
  async #readTouched(
    client: pg.Client,
    blocks: readonly IdentifiedBlock[],
    ahead: readonly IdentifiedBlock[],
  ): Promise<EndingLocks> {
    const { state } = this.#cache;
    const { heights, times } = lockRanges(state.chain, ahead, blocks);
    const uncommitted = this.#cache.uncommitted();
    const end = { uncommitted, lastHeight: heights.to, lastTime: times.to };
    if (state.isWhole) return { ...end, stored: [] };
    const missing = collectDirectKeys(state, blocks, ahead);
    // This comes before any wait, because the tip may move meanwhile.
    const hours = missingHours(state, ahead, blocks);
    const poolsOfWindows = await this.#loadHours(client, hours);
    const stored = await readLockedOutputs(client, heights, times);
    for (const utxo of stored) state.utxos.load(utxo.outpoint, utxo);
    await readMissingRows(client, state, missing);
    const indirect = collectIndirectKeys(state, blocks, stored, poolsOfWindows);
    await readMissingRows(client, state, indirect);
    if (indirect.pools.size > 0) await readMissingRows(client, state, collectIndirectKeys(state, blocks, stored));
    await readMissingRows(client, state, this.#unread);
    return { ...end, stored };
  }

  /** Reads the blocks that pools made in these hours. Returns those pools. */
  async #loadHours(client: pg.Client, hours: readonly number[]): Promise<Set<Id>> {
    const { state, startHeight } = this.#cache;
    const pools = new Set<Id>();
    for (const [hour, blocks] of await readPoolBlocks(client, hours, startHeight)) {
      state.poolBlocks.load(hour, blocks);
      for (const { poolId } of blocks) pools.add(poolId);
    }
    return pools;
  }

  #apply(
    blocks: readonly IdentifiedBlock[],
    locks: EndingLocks,
    { undoAbove = -1, history = new AppendOnlyRows() }: ApplyOptions = {},
  ): AppliedBlocks {
    const { state } = this.#cache;
    this.#cache.loadLocks(locks);
    const undo: [number, string][] = [];
    let startsDay = false;
    const hasUndoGap = state.chain.height < undoAbove;
    for (const block of blocks) {
      const isUndoable = state.chain.height + 1 > undoAbove;
      if (isUndoable) startUndoRecord(state);
      const applied = applyBlock(state, this.network, block);
      history.addBlock(applied, renderBlock(this.#render, applied));
      startsDay ||= applied.startedDay !== null;
      if (isUndoable) undo.push([applied.height, finishUndoRecord(state)]);
      this.#cache.noteCreated(applied.outputs);
    }
    state.poolBlocks.forgetBefore(Math.min(...state.chain.timestamps));
    return { records: { history, undo, hasUndoGap, startsDay }, takeState: () => this.#cache.takeState() };
  }
}

/** Returns the hours with blocks that may enter or leave a window of pools with these blocks, and that are not in memory. */
function missingHours(
  { poolBlocks, chain }: LedgerState,
  ahead: readonly IdentifiedBlock[],
  blocks: readonly IdentifiedBlock[],
): number[] {
  const timestamps = [chain.timestamps.at(-1)!, ...[...ahead, ...blocks].map(timestampOf)];
  const missing = new Set<number>();
  for (let i = ahead.length + 1; i < timestamps.length; i++) {
    for (const hour of hoursEnteringOrLeaving(timestamps[i - 1]!, timestamps[i]!)) {
      if (!poolBlocks.isKnown(hour)) missing.add(hour);
    }
  }
  return [...missing];
}

/**
 * Returns ranges that include all locks that end within the blocks: heights `from` … `to`, or median times above `after` up
 * to `to`. A median is between the lowest and the highest of its timestamps.
 */
function lockRanges(chain: ChainTip, ahead: readonly IdentifiedBlock[], blocks: readonly IdentifiedBlock[]) {
  const before = chain.height + ahead.length;
  const earlier = [...chain.timestamps, ...ahead.map(timestampOf)].slice(-MEDIAN_TIME_SPAN);
  return {
    heights: { from: before + 1, to: before + blocks.length },
    times: { after: Math.min(...earlier), to: Math.max(...earlier, ...blocks.map(timestampOf)) },
  };
}

function timestampOf({ block }: IdentifiedBlock): number {
  return block.header.timestamp;
}
