/** Keeps the ledger's state in memory, in front of the database: changes not stored yet, and copies of stored rows. */

import { type ChainTip, LedgerState, type StateChanges } from '../../ledger/state.ts';
import { isTimeLocked, type OutpointKey, type Utxo } from '../../ledger/state-rows.ts';
import type { StateAfterBlocks } from '../../store/write/block-batch.ts';

/** The part that is kept when the cache is full. Many entries are evicted at once, so that this is rare. */
const KEPT_PART = 0.8;
type TableName = keyof LedgerState['tables'];
/**
 * Are rows of the table evicted? Pools and delegations stay, because a pool's block touches all of its delegations.
 * Fragments are forgotten with their commit.
 */
const IS_EVICTED: Readonly<Record<TableName, boolean>> = {
  utxos: true,
  balances: true,
  pools: false,
  delegations: false,
  tokens: true,
  nfts: true,
  orders: true,
  statistics: true,
  hours: true,
  tickerFragments: false,
  nameFragments: false,
};
const EVICTED_TABLES = (Object.keys(IS_EVICTED) as TableName[]).filter((name) => IS_EVICTED[name]);

/** A state on its way to the database. */
export interface UncommittedState extends StateAfterBlocks {
  /** Must be called once its transaction is committed, in the order in which the states were taken. */
  committed(): void;
}

/** The locks that end within blocks about to be applied. */
export interface EndingLocks {
  /** The stored outputs whose locks end within the blocks. */
  readonly stored: readonly Utxo[];
  /** Outputs with a lock that were not committed when those were read, by transaction. */
  readonly uncommitted: readonly (readonly OutpointKey[])[];
  readonly lastHeight: number;
  /** The highest median time past that the blocks reach. */
  readonly lastTime: number;
}

export class LedgerCache {
  /** The memory of the evictable rows that stay cached between batches. */
  readonly #maxBytes: number;
  #state = new LedgerState();
  /** The height at which the state began. Stored blocks up to there do not change while others are being committed. */
  #startHeight = -1;
  /** The outputs with a lock of each state that is not committed yet, oldest first. The last element is the state in progress. */
  #uncommitted: OutpointKey[][] = [[]];
  /** The stored outputs with a time lock, while the whole state is in memory. Later they are read from the database. */
  #storedLocks: OutpointKey[] = [];

  /**
   * `cacheBytes`: of the rows that stay cached between batches. The rows that a batch needs, and those that are not stored
   * yet, come on top.
   */
  constructor(cacheBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = cacheBytes;
  }

  get state(): LedgerState {
    return this.#state;
  }

  get startHeight(): number {
    return this.#startHeight;
  }

  /** Forgets everything and continues at a stored tip; null if nothing is stored yet. */
  reset(chain: ChainTip | null): void {
    this.#state = new LedgerState({ isWhole: chain === null });
    if (chain !== null) this.#state.chain = chain;
    this.#startHeight = chain?.height ?? -1;
    this.#uncommitted = [[]];
    this.#storedLocks = [];
  }

  /** Returns what is not committed now. A read that begins now may or may not see it committed. */
  uncommitted(): OutpointKey[][] {
    return [...this.#uncommitted];
  }

  /** Notes the outputs that a block created. */
  noteCreated(outputs: readonly Utxo[]): void {
    const locked = this.#uncommitted.at(-1)!;
    for (const utxo of outputs) if (isTimeLocked(utxo)) locked.push(utxo.outpoint);
  }

  /** Loads the locks that end within the next blocks: the stored and the uncommitted ones. */
  loadLocks({ stored, uncommitted, lastHeight, lastTime }: EndingLocks): void {
    const { locks, utxos } = this.#state;
    locks.begin(lastHeight, lastTime);
    const add = (key: string): void => {
      const utxo = utxos.peek(key);
      if (utxo) locks.add(utxo);
    };
    for (const { outpoint } of stored) add(outpoint);
    for (const key of this.#storedLocks) add(key);
    for (const locked of new Set([...uncommitted, ...this.#uncommitted])) for (const key of locked) add(key);
  }

  /** Takes the tip and the changes since the last call. */
  takeState(): UncommittedState {
    const locked = this.#uncommitted.at(-1)!;
    this.#uncommitted.push([]);
    const { chain } = this.#state;
    const changes = this.#state.takeChanges();
    return { chain, changes, committed: () => this.#committed(locked, changes) };
  }

  #committed(locked: readonly OutpointKey[], changes: StateChanges): void {
    if (this.#uncommitted.shift() !== locked) throw new Error('a state was committed before the one taken before it');
    const { utxos, isWhole } = this.#state;
    if (isWhole) {
      this.#storedLocks = [...this.#storedLocks, ...locked].filter((key) => {
        const utxo = utxos.peek(key);
        return utxo ? isTimeLocked(utxo) : false;
      });
    }
    this.#state.committed(changes);
  }

  get #evictableBytes(): number {
    return EVICTED_TABLES.reduce((sum, name) => sum + this.#state.tables[name].evictableBytes, 0);
  }

  /** Does the cache exceed its bounds? */
  get isFull(): boolean {
    return this.#evictableBytes > this.#maxBytes;
  }

  /**
   * Evicts the same part of each table until the cache is within its bounds, except what is not stored yet. No prepared
   * blocks may be waiting.
   */
  evict(): void {
    if (this.isFull) {
      const keptPart = (KEPT_PART * this.#maxBytes) / this.#evictableBytes;
      for (const name of EVICTED_TABLES) this.#state.tables[name].evict(keptPart);
    }
    if (!this.#state.isWhole) this.#storedLocks = [];
  }
}
