/** Applies blocks to the ledger and writes what they changed: the way from a block to the database. */
import type pg from 'pg';
import type { Network } from '../chain/networks/network.ts';
import type { Genesis, IdentifiedBlock } from '../chain/types.ts';
import { applyBlock, applyGenesis } from '../ledger/apply.ts';
import { collectImplied, collectNamed } from '../ledger/collect.ts';
import type { Utxo } from '../ledger/rows.ts';
import { type ChainTip, LedgerState, type StateChanges } from '../ledger/state.ts';
import { MEDIAN_TIME_SPAN, medianTime } from '../ledger/time-lock.ts';
import { renderGenesis } from '../render/block.ts';
import { entry, renderBlock } from '../render/block-texts.ts';
import { renderOutput } from '../render/output.ts';
import type { RenderContext } from '../render/text.ts';
import type { Batch } from '../store/batch.ts';
import { HistoryLines } from '../store/history.ts';
import { readLocked, readMissing } from '../store/state/read.ts';
import { finishUndo, startUndo } from '../store/undo.ts';

/** How many entries of a table stay cached between batches; what a batch itself needs comes on top. */
const CACHED_ROWS = 250_000;

export class Indexer {
  readonly network: Network;
  readonly #state = new LedgerState();
  readonly #render: RenderContext;
  /** What the applied batches changed that are not in the database yet, oldest first. */
  #uncommitted: StateChanges[] = [];

  constructor(network: Network) {
    this.network = network;
    this.#render = { network, decimalsOf: (tokenId) => this.#state.tokens.peek(tokenId)?.decimals ?? 0 };
  }

  get chain(): ChainTip {
    return this.#state.chain;
  }

  /** Starts over at a tip of the stored chain; everything cached is forgotten. */
  resumeAt(chain: ChainTip): void {
    this.#state.clear();
    this.#state.chain = chain;
    this.#uncommitted = [];
  }

  /** The batch that puts the genesis into an empty database, and the body of `/chain/genesis`. */
  genesisBatch(genesis: Genesis, id: string): { batch: Batch; text: string } {
    const state = new LedgerState({ isWhole: true });
    const { outputs } = applyGenesis(state, this.network, genesis, id);
    const entries = outputs.map((utxo) => entry(id, utxo, renderOutput(this.#render, utxo.output)));
    const history = new HistoryLines();
    history.addGenesis({ id, timestamp: genesis.timestamp }, outputs, entries);
    return {
      batch: { chain: state.chain, history, state: state.takeChanges(), undo: [], hasUndoGap: false },
      text: renderGenesis(this.#render, genesis, id),
    };
  }

  /** Reads everything that the blocks, which follow the tip, will touch. */
  async prepare(client: pg.Client, blocks: readonly IdentifiedBlock[]): Promise<void> {
    const state = this.#state;
    this.#evict();
    const unlocking = await this.#readLocks(client, blocks);
    await readMissing(client, state, collectNamed(state, blocks));
    await readMissing(client, state, collectImplied(state, blocks, unlocking));
  }

  /**
   * Applies the blocks; those above `undoAbove` get undo records. After an error the indexer has to `resumeAt` the
   * stored tip.
   */
  apply(blocks: readonly IdentifiedBlock[], undoAbove = -1): Batch {
    const history = new HistoryLines();
    const undo: [number, string][] = [];
    const hasUndoGap = this.chain.height < undoAbove;
    for (const block of blocks) {
      const isUndoable = this.chain.height + 1 > undoAbove;
      if (isUndoable) startUndo(this.#state);
      const applied = applyBlock(this.#state, this.network, block);
      history.addBlock(applied, renderBlock(this.#render, applied));
      if (isUndoable) undo.push([applied.height, finishUndo(this.#state)]);
    }
    return { chain: this.chain, history, state: this.#takeChanges(), undo, hasUndoGap };
  }

  /** Says that the oldest batch that `apply` gave is in the database. */
  committed(): void {
    const changes = this.#uncommitted.shift();
    for (const { key, after } of changes?.utxos ?? []) if (after === null) this.#state.utxos.forget(key);
  }

  #takeChanges(): StateChanges {
    const changes = this.#state.takeChanges();
    this.#uncommitted.push(changes);
    return changes;
  }

  /** Keeps the cache within its bounds. Pools and delegations stay: a pool's block touches all of its delegations. */
  #evict(): void {
    for (const name of ['utxos', 'balances', 'tokens', 'nfts', 'orders', 'statistics', 'tickerFragments'] as const) {
      this.#state.tables[name].evict(CACHED_ROWS, this.#uncommitted.length);
    }
  }

  /** Finds the outputs whose locks end within the blocks, in the database and among what is not written yet. */
  async #readLocks(client: pg.Client, blocks: readonly IdentifiedBlock[]): Promise<Utxo[]> {
    const { locks, utxos, chain } = this.#state;
    const lastHeight = chain.height + blocks.length;
    const lastTime = highestMedian(chain.timestamps, blocks);
    const stored = await readLocked(
      client,
      { from: chain.height + 1, to: lastHeight },
      { after: medianTime(chain.timestamps), to: lastTime },
    );
    locks.begin(lastHeight, lastTime);
    const unlocking: Utxo[] = [];
    const add = (utxo: Utxo | null): void => {
      if (utxo !== null && locks.add(utxo)) unlocking.push(utxo);
    };
    for (const utxo of stored) {
      utxos.load(utxo.outpoint, utxo);
      add(utxos.get(utxo.outpoint));
    }
    for (const changes of this.#uncommitted) for (const { key } of changes.utxos) add(utxos.peek(key) ?? null);
    return unlocking;
  }
}

function highestMedian(timestamps: readonly number[], blocks: readonly IdentifiedBlock[]): number {
  let newest = [...timestamps];
  let highest = medianTime(newest);
  for (const { block } of blocks) {
    newest = [...newest, block.header.timestamp].slice(-MEDIAN_TIME_SPAN);
    highest = Math.max(highest, medianTime(newest));
  }
  return highest;
}
