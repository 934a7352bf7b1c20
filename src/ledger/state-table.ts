/** One kind of row of the ledger's state: a cache over the store, which remembers what a batch and a block changed. */
export class StateTable<Row extends object> {
  readonly name: string;
  /** What is known: a row, or null when it is known that there is none. */
  readonly #rows = new Map<string, Row | null>();
  /** The old values of what was changed since the last `takeChanges`. */
  #batch = new Map<string, Row | null>();
  /** The old values of what the current block changed; null when nobody asked for undo. */
  #block: Map<string, Row | null> | null = null;

  /** Is there nothing beyond what the table knows? Then an unknown key is an absent row. */
  readonly #isWhole: boolean;

  constructor(name: string, isWhole = false) {
    this.name = name;
    this.#isWhole = isWhole;
  }

  get size(): number {
    return this.#rows.size;
  }

  isKnown(key: string): boolean {
    return this.#rows.has(key);
  }

  /** The row, or null when there is none. Throws when nobody collected the key: a fault of ours, never of a block. */
  get(key: string): Row | null {
    const row = this.#rows.get(key);
    if (row !== undefined) return row;
    if (this.#isWhole) return null;
    throw new Error(`${this.name}: the key ${key} was not collected before the batch`);
  }

  /** The row, null when there is none, or undefined when that is not known. */
  peek(key: string): Row | null | undefined {
    return this.#rows.get(key);
  }

  /** Takes a row that the store has (null: has not). What is known already wins: it may be newer. */
  load(key: string, row: Row | null): void {
    if (!this.#rows.has(key)) this.#rows.set(key, row);
  }

  /** Replaces a row; null removes it. */
  set(key: string, row: Row | null): void {
    const old = this.#rows.get(key) ?? null;
    if (!this.#batch.has(key)) this.#batch.set(key, old);
    if (this.#block !== null && !this.#block.has(key)) this.#block.set(key, old);
    this.#rows.set(key, row);
  }

  /** Starts to remember the old values of a block. */
  startBlock(): void {
    this.#block = new Map();
  }

  /** The old values of what the block changed: key → row, or null for what did not exist. */
  finishBlock(): Map<string, Row | null> {
    const changed = this.#block ?? new Map<string, Row | null>();
    this.#block = null;
    return changed;
  }

  /** What the batch changed, old and new value of each key, leaving out what is as it was; then starts a new batch. */
  takeChanges(): StateChange<Row>[] {
    const changes: StateChange<Row>[] = [];
    for (const [key, before] of this.#batch) {
      const after = this.#rows.get(key) ?? null;
      if (before !== after) changes.push({ key, before, after });
    }
    this.#batch = new Map();
    return changes;
  }

  /** Forgets the oldest entries down to `limit`, but none of `pinned` (changed and not yet written to the store). */
  evict(limit: number, pinned: ReadonlySet<string>): void {
    let surplus = this.#rows.size - limit;
    for (const key of this.#rows.keys()) {
      if (surplus <= 0) return;
      if (pinned.has(key) || this.#batch.has(key)) continue;
      this.#rows.delete(key);
      surplus--;
    }
  }

  /** Forgets a row that nobody will ask for again. */
  forget(key: string): void {
    this.#rows.delete(key);
  }

  /** Forgets everything: the store was changed by somebody else (a reorganisation). */
  clear(): void {
    this.#rows.clear();
    this.#batch.clear();
    this.#block = null;
  }
}

export interface StateChange<Row> {
  readonly key: string;
  readonly before: Row | null;
  readonly after: Row | null;
}
