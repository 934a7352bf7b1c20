/** The row of a key, and the row before the current batch and block. */
interface Cell<Row> {
  readonly key: string;
  /** The row; null if it is known not to exist. */
  row: Row | null;
  /** The last batch that changed the row, and the row before it. */
  batch: number;
  beforeBatch: Row | null;
}

/** The memory of a row as objects, with its key: the mean of all tables, measured at 100,000 blocks. */
const CELL_BYTES = 450;
/** Takes the place of a cell's batch when its table has forgotten it. */
const DROPPED = -1;

/** A block needs a row that was not read before: a fault of `collect-keys.ts`. The blocks must be prepared again, with this row. */
export class UnreadRowError extends Error {
  override readonly name = 'UnreadRowError';
  readonly table: string;
  readonly key: string;

  constructor(table: string, key: string) {
    super(`${table}: the key ${key} was not collected before the batch`);
    this.table = table;
    this.key = key;
  }
}

interface StateTableOptions {
  /** The entries that nobody looks up again once they are committed: those of removed rows, or all (default: none). */
  readonly forgets?: 'removed' | 'all';
}

export type Writable<Row> = { -readonly [Field in keyof Row]: Row[Field] };

/** A table of the ledger's state: a cache over the store, which remembers the changes of a batch and of a block. */
export class StateTable<Row extends object> {
  readonly name: string;
  readonly #cells = new Map<string, Cell<Row>>();
  readonly #forgets: StateTableOptions['forgets'];
  /** Is every row in memory? Then an unknown key has no row. */
  #isWhole = false;
  /** The number of the running batch, and what it changed. */
  #batch = 1;
  /** The batches before it that are not committed yet, and their changes. */
  #uncommittedBatches = 0;
  #uncommittedChanges = 0;
  #changedByBatch: Cell<Row>[] = [];
  /** How many of these were dropped: created and removed by the batch. */
  #dropped = 0;
  /** What the running block changed, with the row before it; null unless between `startBlock` and `finishBlock`. */
  #changedByBlock: Map<Cell<Row>, Row | null> | null = null;

  constructor(name: string, { forgets }: StateTableOptions = {}) {
    this.name = name;
    this.#forgets = forgets;
  }

  /** Every row will be in memory: none has been stored yet. */
  startWhole(): void {
    this.#isWhole = true;
  }

  get size(): number {
    return this.#cells.size;
  }

  /** Is every row in memory? */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  isKnown(key: string): boolean {
    return this.#isWhole || this.#cells.has(key);
  }

  /**
   * Returns the row; null if there is none. Throws an UnreadRowError for a key that was not collected.
   */
  get(key: string): Row | null {
    const cell = this.#cells.get(key);
    return cell === undefined ? this.#rowOfUnknown(key) : cell.row;
  }

  /**
   * Returns the row; null if there is none, or if the key was not collected: the caller knows that it then does not
   * exist.
   */
  find(key: string): Row | null {
    return this.#cells.get(key)?.row ?? null;
  }

  /** Returns the row; null if there is none, undefined if that is not known. */
  peek(key: string): Row | null | undefined {
    return this.#cells.get(key)?.row;
  }

  *rows(): Generator<Row> {
    for (const { row } of this.#cells.values()) if (row !== null) yield row;
  }

  /** Adds a row that was read from the store (null: absent). A known row stays, because it may be newer. */
  load(key: string, row: Row | null): void {
    if (!this.#cells.has(key)) this.#add(key, row);
  }

  /** Adds or replaces a row; null removes it. */
  set(key: string, row: Row | null): void {
    this.#change(this.#cells.get(key) ?? this.#add(key, null), row);
  }

  /** Replaces a row by what `change` makes of it, and returns that: `get` and `set` with one look-up. */
  update(key: string, change: (row: Row | null) => Row | null): Row | null {
    const cell = this.#cells.get(key);
    const old = cell === undefined ? this.#rowOfUnknown(key) : cell.row;
    const row = change(old);
    if (row !== old) this.#change(cell ?? this.#add(key, null), row);
    return row;
  }

  /**
   * Returns the row as it may be changed in place; null if there is none, or it does not meet the condition. Rows that were
   * there before the batch, and before the block while its changes are recorded, are copied first (copy on write).
   */
  writable(key: string, condition: (row: Row) => boolean = () => true): Writable<Row> | null {
    const cell = this.#cells.get(key);
    const row = cell === undefined ? this.#rowOfUnknown(key) : cell.row;
    if (cell === undefined || row === null || !condition(row)) return null;
    const isOfBatch = cell.batch === this.#batch && cell.beforeBatch !== row;
    const beforeBlock = this.#changedByBlock === null ? null : this.#changedByBlock.get(cell);
    if (isOfBatch && beforeBlock !== undefined && beforeBlock !== row) return row;
    const copy = { ...row };
    this.#change(cell, copy);
    return copy;
  }

  /** Removes a row and returns it; null as from `find`. A row that the running batch created is forgotten at once. */
  take(key: string): Row | null {
    const cell = this.#cells.get(key);
    if (cell === undefined) return null;
    const { row } = cell;
    if (row === null) return null;
    this.#change(cell, null);
    if (cell.beforeBatch === null) this.#dropNew(cell);
    return row;
  }

  #dropNew(cell: Cell<Row>): void {
    this.#cells.delete(cell.key);
    cell.batch = DROPPED;
    if (++this.#dropped * 2 < this.#changedByBatch.length) return;
    this.#changedByBatch = this.#changedByBatch.filter(({ batch }) => batch !== DROPPED);
    this.#dropped = 0;
  }

  /** Returns the row of an unknown key: there is none if every row is in memory. Throws otherwise, as `get` says. */
  #rowOfUnknown(key: string): null {
    if (this.#isWhole) return null;
    throw new UnreadRowError(this.name, key);
  }

  #change(cell: Cell<Row>, row: Row | null): void {
    if (cell.batch !== this.#batch) {
      cell.batch = this.#batch;
      cell.beforeBatch = cell.row;
      this.#changedByBatch.push(cell);
    }
    if (this.#changedByBlock !== null && !this.#changedByBlock.has(cell)) this.#changedByBlock.set(cell, cell.row);
    cell.row = row;
  }

  /** Starts to record the rows that a block changes. */
  startBlock(): void {
    this.#changedByBlock = new Map();
  }

  /** Returns the rows that the block changed, without those that have their old value again. Ends the recording. */
  finishBlock(): StateChange<Row>[] {
    const changes: StateChange<Row>[] = [];
    for (const [{ key, row }, before] of this.#changedByBlock ?? []) {
      if (before !== row) changes.push({ key, before, after: row });
    }
    this.#changedByBlock = null;
    return changes;
  }

  /** Returns the rows that the batch changed, without those that have their old value again. Starts a new batch. */
  takeChanges(): StateChange<Row>[] {
    const changes: StateChange<Row>[] = [];
    for (const { key, beforeBatch, row } of this.#changedByBatch) {
      if (beforeBatch !== row) changes.push({ key, before: beforeBatch, after: row });
    }
    this.#changedByBatch = [];
    this.#dropped = 0;
    this.#batch++;
    this.#uncommittedBatches++;
    this.#uncommittedChanges += changes.length;
    return changes;
  }

  /** Notes that the oldest changes that were taken are committed. */
  committed(changes: readonly StateChange<Row>[]): void {
    this.#uncommittedBatches--;
    this.#uncommittedChanges -= changes.length;
    for (const { key, after } of changes) {
      // A later batch may have changed the row again.
      if (this.#isForgotten(after) && this.#cells.get(key)?.row === after) this.#cells.delete(key);
    }
  }

  /** May the entry of a committed row leave? An unknown key has no row if every row is in memory. */
  #isForgotten(row: Row | null): boolean {
    return this.#forgets === 'all' || (row === null && (this.#isWhole || this.#forgets === 'removed'));
  }

  /** The memory of the rows that may be evicted. */
  get evictableBytes(): number {
    return this.#committedCells * CELL_BYTES;
  }

  /** The number of cells that the store has, too. */
  get #committedCells(): number {
    return Math.max(0, this.#cells.size - this.#uncommittedChanges - this.#changedByBatch.length);
  }

  /** Forgets the oldest entries until this part of them is left. What the store does not have yet is kept. */
  evict(keptPart: number): void {
    let surplus = Math.ceil(this.#committedCells * (1 - keptPart));
    for (const { key, batch } of this.#cells.values()) {
      if (surplus <= 0) break;
      if (batch >= this.#batch - this.#uncommittedBatches) continue;
      this.#cells.delete(key);
      this.#isWhole = false;
      surplus--;
    }
  }

  #add(key: string, row: Row | null): Cell<Row> {
    const cell: Cell<Row> = { key, row, batch: 0, beforeBatch: null };
    this.#cells.set(key, cell);
    return cell;
  }
}

export interface StateChange<Row> {
  readonly key: string;
  readonly before: Row | null;
  readonly after: Row | null;
}
