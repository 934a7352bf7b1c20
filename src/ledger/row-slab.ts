/** How rows of a table are written as bytes. */
export interface RowLayout<Row> {
  /** The most bytes of a key. */
  readonly keyBytes: number;
  /** The most bytes of a row, without its key. */
  readonly rowBytes: number;
  /** Writes a key, and returns its length. No two keys have the same bytes. */
  writeKey(key: string, bytes: Buffer): number;
  /** Writes a row. Returns false if it does not fit, or has values that the layout has no place for. */
  write(row: Row, bytes: Buffer, at: number): boolean;
  /** Reads what `write` wrote. */
  read(key: string, bytes: Buffer, at: number): Row;
}

interface Chunk {
  readonly bytes: Buffer;
  /** The same bytes. */
  readonly words: Int32Array;
}

const WORD_BYTES = 4;
const SLOTS_PER_CHUNK = 16_384;
const NONE = -1;
/** The memory of an entry of the map from hashes to slots. */
const MAP_ENTRY_BYTES = 40;

/**
 * Rows as bytes, outside of the heap that V8 collects: a row takes a third of the memory that it takes as objects, and none
 * of the garbage collector's time. Each row has a slot, and all slots have the same size. The slab does not keep every row:
 * not those that the layout refuses, nor a row whose key has the hash of another one.
 */
export class RowSlab<Row> {
  readonly #layout: RowLayout<Row>;
  /** A slot is the key, zeros, the length of the key in one byte, and the row. */
  readonly #keyWords: number;
  readonly #slotWords: number;
  readonly #chunks: Chunk[] = [];
  /** The slots of the rows by the hashes of their keys, oldest first. */
  readonly #slots = new Map<number, number>();
  /** The first unused slot. Its first word is the number of the next one. */
  #unused = NONE;
  /** The key that is looked up, as it is in a slot. */
  readonly #key: Int32Array;
  readonly #keyBytes: Buffer;

  constructor(layout: RowLayout<Row>) {
    this.#layout = layout;
    this.#keyWords = Math.ceil((layout.keyBytes + 1) / WORD_BYTES);
    this.#slotWords = this.#keyWords + Math.ceil(layout.rowBytes / WORD_BYTES);
    this.#key = new Int32Array(this.#keyWords);
    this.#keyBytes = Buffer.from(this.#key.buffer);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** The memory that a row takes. */
  get bytesPerRow(): number {
    return this.#slotWords * WORD_BYTES + MAP_ENTRY_BYTES;
  }

  has(key: string): boolean {
    return this.#find(key) !== NONE;
  }

  /** Adds a row, whose key must not be here. Returns whether it is kept. */
  add(key: string, row: Row): boolean {
    this.#encode(key);
    const hash = this.#hash();
    if (this.#slots.has(hash)) return false;
    if (this.#unused === NONE) this.#addChunk();
    const slot = this.#unused;
    const { words, bytes } = this.#chunkOf(slot);
    const start = this.#startOf(slot);
    const next = words[start]!;
    if (!this.#layout.write(row, bytes, (start + this.#keyWords) * WORD_BYTES)) return false;
    words.set(this.#key, start);
    this.#unused = next;
    this.#slots.set(hash, slot);
    return true;
  }

  /** Removes a row and returns it; undefined if it is not here. */
  take(key: string): Row | undefined {
    const slot = this.#find(key);
    if (slot === NONE) return undefined;
    const at = (this.#startOf(slot) + this.#keyWords) * WORD_BYTES;
    const row = this.#layout.read(key, this.#chunkOf(slot).bytes, at);
    this.#free(this.#hash(), slot);
    return row;
  }

  /** Removes the oldest rows until `limit` are left. */
  evict(limit: number): void {
    for (const [hash, slot] of this.#slots) {
      if (this.#slots.size <= limit) return;
      this.#free(hash, slot);
    }
  }

  /** Encodes a key, and returns its slot. */
  #find(key: string): number {
    if (this.#slots.size === 0) return NONE;
    this.#encode(key);
    const slot = this.#slots.get(this.#hash());
    if (slot === undefined) return NONE;
    const { words } = this.#chunkOf(slot);
    const start = this.#startOf(slot);
    for (let i = 0; i < this.#keyWords; i++) if (words[start + i] !== this.#key[i]) return NONE;
    return slot;
  }

  /** Writes a key into `#key`. */
  #encode(key: string): void {
    this.#key.fill(0);
    const bytes = this.#keyBytes;
    bytes[bytes.length - 1] = this.#layout.writeKey(key, bytes);
  }

  /** Returns the hash of `#key`. */
  #hash(): number {
    let hash = 0;
    for (let i = 0; i < this.#keyWords; i++) hash = Math.imul((hash ^ this.#key[i]!) + (hash >>> 15), 0x9e3779b1);
    return hash;
  }

  #free(hash: number, slot: number): void {
    this.#slots.delete(hash);
    this.#chunkOf(slot).words[this.#startOf(slot)] = this.#unused;
    this.#unused = slot;
  }

  #chunkOf(slot: number): Chunk {
    return this.#chunks[Math.floor(slot / SLOTS_PER_CHUNK)]!;
  }

  /** Returns the first word of a slot in its chunk. */
  #startOf(slot: number): number {
    return (slot % SLOTS_PER_CHUNK) * this.#slotWords;
  }

  #addChunk(): void {
    const words = new Int32Array(SLOTS_PER_CHUNK * this.#slotWords);
    const first = this.#chunks.length * SLOTS_PER_CHUNK;
    this.#chunks.push({ words, bytes: Buffer.from(words.buffer) });
    for (let i = SLOTS_PER_CHUNK - 1; i >= 0; i--) {
      words[i * this.#slotWords] = this.#unused;
      this.#unused = first + i;
    }
  }
}
