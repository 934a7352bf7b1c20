/** Collections of the world: all changes are noted in the journal and can be taken back exactly. */

import type { Random } from './random.ts';
import type { Undoable, UndoJournal } from './undo-journal.ts';

/** The fields of an item for its position in a bag: an item can be in one bag per slot. */
type Slot = 'index' | 'ownerIndex';
export interface BagItem {
  /** −1 while in no bag of this slot. */
  index: number;
  ownerIndex: number;
}

/** Marks an item that is in no bag. */
export const NOT_IN_A_BAG: Readonly<BagItem> = { index: -1, ownerIndex: -1 };

/** An unordered collection: adding, removing and a random choice take the same time at any size. */
export class UndoableBag<T extends BagItem> implements Undoable {
  readonly items: T[] = [];
  readonly #journal: UndoJournal;
  readonly #slot: Slot;

  constructor(journal: UndoJournal, slot: Slot = 'index') {
    this.#journal = journal;
    this.#slot = slot;
  }

  get size(): number {
    return this.items.length;
  }

  add(item: T): void {
    item[this.#slot] = this.items.length;
    this.items.push(item);
    this.#journal.note(this, null);
  }

  remove(item: T): void {
    const slot = this.#slot;
    const index = item[slot];
    if (this.items[index] !== item) throw new Error('The item is not in this bag');
    const last = this.items.pop()!;
    if (last !== item) {
      this.items[index] = last;
      last[slot] = index;
    }
    item[slot] = -1;
    this.#journal.note(this, { item, index });
  }

  has(item: T): boolean {
    return this.items[item[this.#slot]] === item;
  }

  pick(random: Random): T | undefined {
    return this.items.length === 0 ? undefined : this.items[random.below(this.items.length)];
  }

  /** The older items more often. */
  pickSkewed(random: Random): T | undefined {
    return this.items.length === 0 ? undefined : this.items[random.skewed(this.items.length)];
  }

  /** Draws up to `draws` items and returns the first that `accepts` takes, or null. */
  pickWhere(random: Random, draws: number, accepts: (item: T) => boolean): T | null {
    for (let draw = 0; draw < draws; draw++) {
      const item = this.pick(random);
      if (item !== undefined && accepts(item)) return item;
    }
    return null;
  }

  undo(record: unknown): void {
    const slot = this.#slot;
    if (record === null) {
      this.items.pop()![slot] = -1;
      return;
    }
    const { item, index } = record as { item: T; index: number };
    const moved = this.items[index];
    if (moved !== undefined) {
      moved[slot] = this.items.length;
      this.items.push(moved);
      this.items[index] = item;
    } else this.items.push(item);
    item[slot] = index;
  }
}

/** A map whose changes can be taken back; its values are in no order. */
export class UndoableMap<V> implements Undoable {
  readonly #map = new Map<string, V>();
  readonly #journal: UndoJournal;

  constructor(journal: UndoJournal) {
    this.#journal = journal;
  }

  get size(): number {
    return this.#map.size;
  }

  get(key: string): V | undefined {
    return this.#map.get(key);
  }

  keys(): MapIterator<string> {
    return this.#map.keys();
  }

  values(): MapIterator<V> {
    return this.#map.values();
  }

  set(key: string, value: V): void {
    this.#journal.note(this, { key, old: this.#map.get(key) });
    this.#map.set(key, value);
  }

  delete(key: string): void {
    const old = this.#map.get(key);
    if (old === undefined) return;
    this.#journal.note(this, { key, old });
    this.#map.delete(key);
  }

  undo(record: unknown): void {
    const { key, old } = record as { key: string; old: V | undefined };
    if (old === undefined) this.#map.delete(key);
    else this.#map.set(key, old);
  }
}

/** Outputs that come free at a height or time: lists by number. */
export class UndoableListsByNumber<T> implements Undoable {
  readonly #lists = new Map<number, T[]>();
  readonly #journal: UndoJournal;
  /** Lists below were dropped. */
  #lowest: number | null = null;

  constructor(journal: UndoJournal) {
    this.#journal = journal;
  }

  at(number: number): readonly T[] {
    return this.#lists.get(number) ?? [];
  }

  add(number: number, item: T): void {
    const list = this.#lists.get(number);
    if (list === undefined) this.#lists.set(number, [item]);
    else list.push(item);
    this.#journal.note(this, number);
  }

  /** Drops lists that are not needed any more, also to take something back. */
  dropBelow(number: number): void {
    for (let dropped = this.#lowest ?? number - 1; dropped < number; dropped++) this.#lists.delete(dropped);
    this.#lowest = Math.max(this.#lowest ?? number, number);
  }

  undo(record: unknown): void {
    const list = this.#lists.get(record as number)!;
    list.pop();
    if (list.length === 0) this.#lists.delete(record as number);
  }
}
