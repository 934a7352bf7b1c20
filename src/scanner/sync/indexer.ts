/** Applies blocks to the ledger and writes what they changed: the way from a block to the database. */
import type pg from 'pg';
import type { Network } from '../../chain/networks/network.ts';
import type { Genesis, IdentifiedBlock } from '../../chain/types.ts';
import { applyBlock, applyGenesis } from '../../ledger/apply.ts';
import { collectImplied, collectNamed } from '../../ledger/collect.ts';
import { isLocked, type OutpointKey, type Utxo } from '../../ledger/rows.ts';
import { type ChainTip, LedgerState } from '../../ledger/state.ts';
import { medianTime, nextTimestamps } from '../../ledger/time-lock.ts';
import { renderGenesis } from '../../render/block.ts';
import { blockPlace, entry, renderBlock } from '../../render/block-texts.ts';
import { renderOutput } from '../../render/output.ts';
import type { RenderContext } from '../../render/text.ts';
import { AppendOnlyRows } from '../../store/write/append-only-tables.ts';
import type { BlockRecords, NewState } from '../../store/write/block-batch.ts';
import { readLocked, readMissing } from '../../store/write/state/read.ts';
import { finishUndo, startUndo } from '../../store/write/undo-log.ts';

/** How many entries of a table stay cached between batches; what a batch itself needs comes on top. */
const CACHED_ROWS = 250_000;
/** What stays when the cache is full: evicting much at once is evicting seldom. */
const KEPT_PART = 0.8;
const EVICTED_TABLES = ['utxos', 'balances', 'tokens', 'nfts', 'orders', 'statistics', 'tickerFragments'] as const;

export class Indexer {
  readonly network: Network;
  readonly #cachedRows: number;
  #state = new LedgerState();
  readonly #render: RenderContext;
  /** What was taken to be written, oldest first, and is not yet in the database; last what is not taken yet. */
  #uncommitted: Uncommitted[] = [nothingYet()];
  /** The outputs with a time lock that are in the database, while everything is known; afterwards they are read. */
  #storedLocks: OutpointKey[] = [];

  /** `cachedRows`: of a table, between batches. */
  constructor(network: Network, { cachedRows = CACHED_ROWS }: { cachedRows?: number | undefined } = {}) {
    this.network = network;
    this.#cachedRows = cachedRows;
    this.#render = {
      network,
      decimalsOf: (tokenId) =>
        this.#state.tokens.peek(tokenId)?.decimals ?? (this.#state.nfts.peek(tokenId) ? 0 : null),
    };
  }

  get chain(): ChainTip {
    return this.#state.chain;
  }

  /** Starts over at a tip of the stored chain; everything cached is forgotten. */
  resumeAt(chain: ChainTip): void {
    this.#state = new LedgerState();
    this.#state.chain = chain;
    this.#uncommitted = [nothingYet()];
    this.#storedLocks = [];
  }

  /**
   * Starts a new index with the genesis. From here on everything is known without reading, until the cache overflows.
   * Gives the text of `/chain/genesis` as well.
   */
  applyGenesis(genesis: Genesis, id: string): { records: BlockRecords; text: string } {
    this.#state = new LedgerState({ isWhole: true });
    const { outputs } = applyGenesis(this.#state, this.network, genesis, id);
    this.#noteLocks(outputs);
    const entries = outputs.map((utxo) => entry(id, utxo, renderOutput(this.#render, utxo.output)));
    const history = new AppendOnlyRows();
    const { timestamp } = genesis;
    history.addGenesis({ id, timestamp }, outputs, { place: blockPlace(id, 0, timestamp), entries });
    return { records: { history, undo: [], hasUndoGap: false }, text: renderGenesis(this.#render, genesis, id) };
  }

  /**
   * Reads everything that the blocks will touch. They follow the tip, or `ahead`: blocks that are prepared and will be
   * applied before these, at any moment from now on.
   */
  async prepare(
    client: pg.Client,
    blocks: readonly IdentifiedBlock[],
    ahead: readonly IdentifiedBlock[] = [],
  ): Promise<PreparedBlocks> {
    const state = this.#state;
    const { unlocked, lastHeight, lastTime } = lockRanges(state.chain, ahead, blocks);
    // What is committed while the database is being read, it may show or not.
    const uncommitted = [...this.#uncommitted];
    if (state.isWhole) return { blocks, unlocking: [], uncommitted, lastHeight, lastTime };
    const missing = collectNamed(state, blocks, ahead);
    const unlocking = await readLocked(client, ...unlocked);
    for (const utxo of unlocking) state.utxos.load(utxo.outpoint, utxo);
    await readMissing(client, state, missing);
    await readMissing(client, state, collectImplied(state, blocks, unlocking));
    return { blocks, unlocking, uncommitted, lastHeight, lastTime };
  }

  /**
   * Applies prepared blocks; those above `undoAbove` get undo records. What happened is added to `history`. After an
   * error the indexer has to `resumeAt` the stored tip.
   */
  apply(prepared: PreparedBlocks, undoAbove = -1, history = new AppendOnlyRows()): BlockRecords {
    this.#gatherLocks(prepared);
    const undo: [number, string][] = [];
    const hasUndoGap = this.chain.height < undoAbove;
    const { spent } = this.#uncommitted.at(-1)!;
    for (const block of prepared.blocks) {
      const isUndoable = this.chain.height + 1 > undoAbove;
      if (isUndoable) startUndo(this.#state);
      const applied = applyBlock(this.#state, this.network, block);
      history.addBlock(applied, renderBlock(this.#render, applied));
      if (isUndoable) undo.push([applied.height, finishUndo(this.#state)]);
      this.#noteLocks(applied.outputs);
      for (const { utxo } of applied.spends) spent.push(utxo.outpoint);
    }
    return { history, undo, hasUndoGap };
  }

  /** Takes the tip, and what changed since the last time, to be written in one transaction with the blocks that did it. */
  takeState(): NewState {
    this.#uncommitted.push(nothingYet());
    return { chain: this.chain, changes: this.#state.takeChanges() };
  }

  /** Says that the oldest state that `takeState` gave is in the database. */
  committed(): void {
    const { locked, spent } = this.#uncommitted.shift()!;
    const { utxos, isWhole } = this.#state;
    for (const outpoint of spent) utxos.forget(outpoint);
    if (!isWhole) return;
    this.#storedLocks = [...this.#storedLocks, ...locked].filter((key) => {
      const utxo = utxos.peek(key);
      return utxo ? isLocked(utxo) : false;
    });
  }

  /** Does the cache hold more than it should? Then `evict` before the next blocks are prepared. */
  get isFull(): boolean {
    return EVICTED_TABLES.some((name) => this.#state.tables[name].size > this.#cachedRows);
  }

  /**
   * Brings the cache back within its bounds, but for what is not in the database yet; no blocks may be prepared and not
   * yet applied. Pools and delegations stay: a pool's block touches all of its delegations.
   */
  evict(): void {
    for (const name of EVICTED_TABLES) {
      const table = this.#state.tables[name];
      if (table.size > this.#cachedRows) table.evict(this.#cachedRows * KEPT_PART, this.#uncommitted.length - 1);
    }
    if (!this.#state.isWhole) this.#storedLocks = [];
  }

  #noteLocks(outputs: readonly Utxo[]): void {
    const { locked } = this.#uncommitted.at(-1)!;
    for (const utxo of outputs) if (isLocked(utxo)) locked.push(utxo.outpoint);
  }

  /** The outputs whose locks end within the blocks: those in the database, and those that are not written yet. */
  #gatherLocks({ unlocking, uncommitted, lastHeight, lastTime }: PreparedBlocks): void {
    const { locks, utxos } = this.#state;
    locks.begin(lastHeight, lastTime);
    const add = (key: string): void => {
      const utxo = utxos.peek(key);
      if (utxo) locks.add(utxo);
    };
    for (const { outpoint } of unlocking) add(outpoint);
    for (const key of this.#storedLocks) add(key);
    for (const { locked } of new Set([...uncommitted, ...this.#uncommitted])) for (const key of locked) add(key);
  }
}

/** Of the blocks of a transaction that is not in the database yet. */
interface Uncommitted {
  /** The outputs that they created with a time lock. */
  readonly locked: OutpointKey[];
  /** The outputs that they spent: when that is stored, nobody asks for them again. */
  readonly spent: OutpointKey[];
}

function nothingYet(): Uncommitted {
  return { locked: [], spent: [] };
}

/** Blocks of which everything that they touch is known. */
export interface PreparedBlocks {
  readonly blocks: readonly IdentifiedBlock[];
  /** The stored outputs whose locks end within the blocks. */
  readonly unlocking: readonly Utxo[];
  /** What was not in the database yet when that was read. */
  readonly uncommitted: readonly Uncommitted[];
  readonly lastHeight: number;
  /** The highest median time past that the blocks reach. */
  readonly lastTime: number;
}

/** Which stored locks end within the blocks: those from the first height to the last, those between two times. */
function lockRanges(chain: ChainTip, ahead: readonly IdentifiedBlock[], blocks: readonly IdentifiedBlock[]) {
  const before = chain.height + ahead.length;
  const lastHeight = before + blocks.length;
  let timestamps = chain.timestamps;
  const medianAfter = ({ block }: IdentifiedBlock): number => {
    timestamps = nextTimestamps(timestamps, block.header.timestamp);
    return medianTime(timestamps);
  };
  const start = ahead.map(medianAfter).at(-1) ?? medianTime(timestamps);
  const medians = [start, ...blocks.map(medianAfter)];
  const [lowest, highest] = [Math.min(...medians), Math.max(...medians)];
  const unlocked = [
    { from: before + 1, to: lastHeight },
    { after: lowest, to: highest },
  ] as const;
  return { unlocked, lastHeight, lastTime: highest };
}
