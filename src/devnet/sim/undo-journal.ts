/**
 * Old values of everything that a block changed, so that the world can go back to an earlier block exactly.
 *
 * Undoing runs backwards from the newest record; nothing in the world changes except through a journal.
 */
export interface Undoable {
  /** Takes back one change; `record` is what was given to `note`. */
  undo(record: unknown): void;
}

/** Entries dropped from the front in one go, since that moves all the others. */
const FORGOTTEN_AT_ONCE = 300_000;

type Fields = Record<string, unknown>;

export class UndoJournal {
  /** Triples: target, key (or null for an `Undoable`), old value (or record). */
  readonly #entries: unknown[] = [];
  /** Entries dropped at the front, so that marks stay valid. */
  #dropped = 0;

  /** The present point, to come back to. */
  mark(): number {
    return this.#dropped + this.#entries.length;
  }

  /** Changes a field of an object. */
  set<T extends object, K extends keyof T & string>(target: T, key: K, value: T[K]): void {
    this.#entries.push(target, key, target[key]);
    target[key] = value;
  }

  /** Changes several fields of an object. */
  change<T extends object>(target: T, changed: Partial<T>): void {
    for (const [key, value] of Object.entries(changed)) this.set(target as Fields, key, value);
  }

  note(target: Undoable, record: unknown): void {
    this.#entries.push(target, null, record);
  }

  /** Takes back everything since `mark`. Throws RangeError if the records that far back were forgotten. */
  undo(mark: number): void {
    const entries = this.#entries;
    const end = mark - this.#dropped;
    if (end < 0 || end > entries.length) throw new RangeError('The world cannot go back that far');
    while (entries.length > end) {
      const old = entries.pop();
      const key = entries.pop() as string | null;
      const target = entries.pop();
      if (key === null) (target as Undoable).undo(old);
      else (target as Fields)[key] = old;
    }
  }

  /** Drops the records before `mark` if there are many: they are final. */
  forget(mark: number): void {
    const count = mark - this.#dropped;
    if (count <= 0 || (count < this.#entries.length / 2 && count < FORGOTTEN_AT_ONCE)) return;
    this.#entries.splice(0, count);
    this.#dropped += count;
  }
}
