/** What a table knows of a key, and what the running batch and block found there. */
interface Cell<Row> {
  readonly key: string;
  /** Null when it is known that there is no row. */
  row: Row | null;
  /** The last batch that changed the row, and the row before it. */
  batch: number;
  beforeBatch: Row | null;
  /** The last block that changed the row, and the row before it. */
  block: number;
  beforeBlock: Row | null;
}

/** One kind of row of the ledger's state: a cache over the store, which remembers what a batch and a block changed. */
export class StateTable<Row extends object> {
  readonly name: string;
  readonly #cells = new Map<string, Cell<Row>>();
  /** What `get` found last: most often it is what is replaced next, without being searched for again. */
  #found: Cell<Row> | undefined;
  /** Is there nothing beyond what the table knows? Then an unknown key is an absent row. */
  #isWhole: boolean;
  /** The number of the running batch, and what it changed. */
  #batch = 1;
  #changedByBatch: Cell<Row>[] = [];
  /** The number of the running block, and what it changed while undo is asked for. */
  #block = 1;
  #changedByBlock: Cell<Row>[] = [];
  #recordsBlock = false;

  constructor(name: string, isWhole = false) {
    this.name = name;
    this.#isWhole = isWhole;
  }

  get size(): number {
    return this.#cells.size;
  }

  /** Is there nothing beyond what the table knows? */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  isKnown(key: string): boolean {
    return this.#isWhole || this.#cells.has(key);
  }

  /** The row, or null when there is none. Throws when nobody collected the key: a fault of ours, never of a block. */
  get(key: string): Row | null {
    const cell = this.#cells.get(key);
    this.#found = cell;
    if (cell !== undefined) return cell.row;
    if (this.#isWhole) return null;
    throw new Error(`${this.name}: the key ${key} was not collected before the batch`);
  }

  /** The row, or null when there is none: also for a key that nobody collected, because what it names cannot be. */
  find(key: string): Row | null {
    const cell = this.#cells.get(key);
    this.#found = cell;
    return cell?.row ?? null;
  }

  /** The row, null when there is none, or undefined when that is not known. */
  peek(key: string): Row | null | undefined {
    return this.#cells.get(key)?.row;
  }

  /** Every row that is known. */
  *rows(): Generator<Row> {
    for (const { row } of this.#cells.values()) if (row !== null) yield row;
  }

  /** Takes a row that the store has (null: has not). What is known already wins: it may be newer. */
  load(key: string, row: Row | null): void {
    if (!this.#cells.has(key)) this.#add(key, row);
  }

  /** Replaces a row; null removes it. */
  set(key: string, row: Row | null): void {
    const found = this.#found;
    const cell = found?.key === key ? found : (this.#cells.get(key) ?? this.#add(key, null));
    if (cell.batch !== this.#batch) {
      cell.batch = this.#batch;
      cell.beforeBatch = cell.row;
      this.#changedByBatch.push(cell);
    }
    if (this.#recordsBlock && cell.block !== this.#block) {
      cell.block = this.#block;
      cell.beforeBlock = cell.row;
      this.#changedByBlock.push(cell);
    }
    cell.row = row;
  }

  /** Starts to remember the old values of a block. */
  startBlock(): void {
    this.#block++;
    this.#changedByBlock = [];
    this.#recordsBlock = true;
  }

  /** What the block changed, leaving out what is as it was. */
  finishBlock(): StateChange<Row>[] {
    const changes: StateChange<Row>[] = [];
    for (const { key, beforeBlock, row } of this.#changedByBlock) {
      if (beforeBlock !== row) changes.push({ key, before: beforeBlock, after: row });
    }
    this.#changedByBlock = [];
    this.#recordsBlock = false;
    return changes;
  }

  /** What the batch changed, leaving out what is as it was; then starts a new batch. */
  takeChanges(): StateChange<Row>[] {
    const changes: StateChange<Row>[] = [];
    for (const { key, beforeBatch, row } of this.#changedByBatch) {
      if (beforeBatch !== row) changes.push({ key, before: beforeBatch, after: row });
    }
    this.#changedByBatch = [];
    this.#batch++;
    return changes;
  }

  /**
   * Forgets the oldest entries down to `limit`, but nothing that the running batch or the `uncommitted` batches before
   * it changed: the store does not have that yet.
   */
  evict(limit: number, uncommitted: number): void {
    let surplus = this.#cells.size - limit;
    for (const { key, batch } of this.#cells.values()) {
      if (surplus <= 0) return;
      if (batch >= this.#batch - uncommitted) continue;
      this.#delete(key);
      this.#isWhole = false;
      surplus--;
    }
  }

  /** Forgets a row that is gone for good. */
  forget(key: string): void {
    this.#delete(key);
  }

  #delete(key: string): void {
    this.#cells.delete(key);
    this.#found = undefined;
  }

  #add(key: string, row: Row | null): Cell<Row> {
    const cell: Cell<Row> = { key, row, batch: 0, beforeBatch: null, block: 0, beforeBlock: null };
    this.#cells.set(key, cell);
    return cell;
  }
}

export interface StateChange<Row> {
  readonly key: string;
  readonly before: Row | null;
  readonly after: Row | null;
}
