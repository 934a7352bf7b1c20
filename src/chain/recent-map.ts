/** Entries per generation. */
const GENERATION_SIZE = 8192;

/**
 * Remembers what was used lately, in two generations: when the young one is full it becomes the old one, and what is asked for
 * again moves on. So an entry costs no more than in a plain map.
 */
export class RecentMap<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  get(key: string): Value | undefined {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= GENERATION_SIZE) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
